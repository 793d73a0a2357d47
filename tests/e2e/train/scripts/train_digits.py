"""Trains a small network on digits and writes a hash of what it computed.

    python3 train_digits.py --out digest.json [--steps 60]

Two convolutions and two linear layers, as first examples have them: most tensors
are small, and most kernels short.
"""

import argparse

import torch
from torch import nn

from digest import Digest

BATCH = 64
CLASSES = 10


def make_net():
    return nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3),
                         nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.25),
                         nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(),
                         nn.Dropout(0.5), nn.Linear(128, CLASSES),
                         nn.LogSoftmax(dim=1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--steps", type=int, default=60)
    arguments = parser.parse_args()

    torch.set_num_threads(2)
    torch.manual_seed(0)
    net = make_net()
    optimizer = torch.optim.Adadelta(net.parameters())
    digest = Digest()
    for _ in range(arguments.steps):
        images = torch.randn(BATCH, 1, 28, 28)
        digits = torch.randint(0, CLASSES, (BATCH,))
        optimizer.zero_grad()
        loss = nn.functional.nll_loss(net(images), digits)
        loss.backward()
        optimizer.step()
        digest.add("losses", loss.item())
    digest.add_model(net)
    digest.write(arguments.out)


if __name__ == "__main__":
    main()
