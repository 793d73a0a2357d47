"""Trains a deep perceptron and, from one step on, holds on to activations.

    python3 departing.py --out digest.json [--steps 12] [--hold-from 6]

The activations of all layers are exposed where only PyTorch itself notices, so that
they stay where they are, and outlive two steps, which no plan made of the steps before
expects: their rooms are taken when it wants them again. The kernels stay the same.
"""

import argparse

import torch
from torch import nn

from digest import Digest

WIDTH = 512
DEPTH = 8
BATCH = 1024
HELD_STEPS = 2


def make_net():
    layers = []
    for _ in range(DEPTH):
        layers += [nn.Linear(WIDTH, WIDTH), nn.ReLU()]
    return nn.Sequential(*layers)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--hold-from", type=int, default=6)
    arguments = parser.parse_args()

    torch.set_num_threads(2)
    torch.manual_seed(0)
    net = make_net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    inputs, target = torch.randn(BATCH, WIDTH), torch.randn(BATCH, WIDTH)
    held = []
    holds = False

    def hold(_module, _inputs, output):
        if holds:
            held.append(torch._C._TensorBase.numpy(output.detach()))

    for layer in net[::2]:
        layer.register_forward_hook(hold)

    digest = Digest()
    for step in range(arguments.steps):
        holds = step >= arguments.hold_from
        del held[:-HELD_STEPS * DEPTH]
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(inputs), target)
        loss.backward()
        optimizer.step()
        digest.add("losses", loss.item())
        print(f"step {step}", flush=True)
    for activation in held:
        digest.add("held", torch.from_numpy(activation))
    digest.add_model(net)
    digest.write(arguments.out)


if __name__ == "__main__":
    main()
