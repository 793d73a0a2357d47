"""Trains one linear layer whose weight does not fit, and prints each part's time.

    stowage run --fast 40% --slow file:/mnt/nvme -- \\
        python3 tests/bench/streaming_linear.py --size 2000 --steps 4

The matrix products of the layer sweep over its weight, or over the weight's
gradient, many times (docs/measurements.md).
"""

import argparse
import time

import torch


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=2000)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--steps", type=int, default=4)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    layer = torch.nn.Linear(arguments.size, arguments.size)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    for step in range(arguments.steps):
        times = [time.perf_counter()]
        optimizer.zero_grad()
        loss = layer(torch.randn(arguments.batch, arguments.size)).sum()
        times.append(time.perf_counter())
        loss.backward()
        times.append(time.perf_counter())
        optimizer.step()
        times.append(time.perf_counter())
        forward, backward, update = (
            after - before for before, after in zip(times, times[1:]))
        print(
            f"{step}: forward {forward:.2f} s, backward {backward:.2f} s, "
            f"update {update:.2f} s",
            flush=True)


if __name__ == "__main__":
    main()
