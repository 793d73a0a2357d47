"""Trains one of the papers' models on random data for a few steps.

    python3 train.py vgg19 --batch 6 [--steps 4] [--threads 2]

An ordinary PyTorch script; capture.py runs it under `stowage graph capture`.
"""

import argparse
import time

import torch

import models


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=models.NAMES)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()

    torch.set_num_threads(arguments.threads)
    net, inputs, target, loss_of = models.make(arguments.model, arguments.batch)
    optimizer = models.make_optimizer(arguments.model, net)
    for step in range(arguments.steps):
        begin_s = time.perf_counter()
        optimizer.zero_grad()
        loss = loss_of(net(inputs), target)
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.4f} "
              f"{time.perf_counter() - begin_s:.3f} s", flush=True)


if __name__ == "__main__":
    main()
