"""Trains a small net for super-resolution and writes a hash of what it computed.

    python3 train_superresolution.py --out digest.json [--steps 8]

Its convolutions are few and large: what the library takes as scratch for one
of them is most of the memory of a step.
"""

import argparse

import torch
from torch import nn

from digest import Digest

BATCH = 4
IMAGE = 64
CHANNELS = 32
SCALE = 2


def make_net():
    return nn.Sequential(
        nn.Conv2d(1, CHANNELS, 5, padding=2), nn.ReLU(),
        nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1), nn.ReLU(),
        nn.Conv2d(CHANNELS, SCALE**2, 3, padding=1), nn.PixelShuffle(SCALE))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--steps", type=int, default=8)
    arguments = parser.parse_args()

    torch.set_num_threads(2)
    torch.manual_seed(0)
    net = make_net()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.001)
    small = torch.randn(BATCH, 1, IMAGE, IMAGE)
    large = torch.randn(BATCH, 1, SCALE * IMAGE, SCALE * IMAGE)
    digest = Digest()
    for step in range(arguments.steps):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(small), large)
        loss.backward()
        optimizer.step()
        digest.add("losses", loss.item())
        print(f"step {step}", flush=True)
    digest.add_model(net)
    digest.write(arguments.out)


if __name__ == "__main__":
    main()
