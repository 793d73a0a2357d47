"""Small training jobs that do what real scripts do to memory.

A module of hazards defines functions that take a Digest, and ends with main():

    @hazard
    def views(digest): ...

    python3 hazards_memory.py views --out digest.json
    python3 hazards_memory.py --list
"""

import argparse

import torch
from torch import nn

from digest import Digest

HAZARDS = {}
BATCH = 32
IMAGE = 32
CLASSES = 10
WIDTH = 512
STEPS = 6


def hazard(function):
    HAZARDS[function.__name__] = function
    return function


def hazard_if(available):
    """Defines a hazard where this PyTorch has what it is about."""
    return hazard if available else lambda function: function


def make_net():
    """About 9 MB a step: enough to need room under a limit of 40 %."""
    return nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16),
                         nn.ReLU(), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(),
                         nn.MaxPool2d(4), nn.Flatten(), nn.Linear(2048, 256),
                         nn.ReLU(), nn.Linear(256, CLASSES))


def make_layers():
    """Weights of 6 MB, which plans move out and in."""
    return nn.Sequential(*[
        layer for _ in range(6) for layer in (nn.Linear(WIDTH, WIDTH), nn.ReLU())
    ], nn.Linear(WIDTH, CLASSES))


def make_layers_batch(size):
    return torch.randn(size, WIDTH), torch.randint(0, CLASSES, (size,))


def storage_of(tensor):
    if hasattr(tensor, "untyped_storage"):
        return tensor.untyped_storage()
    return tensor.storage().untyped()


def make_batch(size=BATCH):
    return torch.randn(size, 3, IMAGE,
                       IMAGE), torch.randint(0, CLASSES, (size,))


def sgd(net):
    return torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)


def loss_of(net, batch):
    inputs, target = batch
    return nn.functional.cross_entropy(net(inputs), target)


def train_step(net, optimizer, batch, digest):
    optimizer.zero_grad()
    loss = loss_of(net, batch)
    loss.backward()
    optimizer.step()
    digest.add("losses", loss.item())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", nargs="?", choices=sorted(HAZARDS))
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--out")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(sorted(HAZARDS)))
        return
    torch.set_num_threads(2)
    torch.manual_seed(0)
    digest = Digest()
    HAZARDS[arguments.name](digest)
    digest.write(arguments.out)
