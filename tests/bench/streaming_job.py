"""Kernels over a tensor that is larger than fast memory.

    stowage run --fast 256MiB --slow file:/mnt/nvme -- \
        python3 tests/bench/streaming_job.py --mib 480

For each name on standard input, runs that kernel once and prints its seconds.
"""

import argparse
import sys
import time

import torch

ROWS = 4096  # of the matrix that a linear layer would have as its weight


def product(x):
    """A linear layer: goes down the columns of all rows together."""
    weight = x.view(ROWS, -1)
    return torch.ones(8, weight.shape[1]) @ weight.t()


def product_back(x):
    """The gradient of its input: goes along some of the rows at a time."""
    return torch.ones(8, ROWS) @ x.view(ROWS, -1)


def product_out(x):
    """The gradient of the weight, which is written as it is read above."""
    torch.mm(torch.ones(ROWS, 8), torch.ones(8, x.numel() // ROWS), out=x.view(ROWS, -1))


KERNELS = {
    "read": lambda x: x.sum(),
    "update": lambda x: x.add_(1),
    "write": torch.ones_like,
    "product": product,
    "product-back": product_back,
    "product-out": product_out,
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mib", type=int, required=True)
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    x = torch.zeros(arguments.mib << 18)
    for count, line in enumerate(sys.stdin):
        begin_s = time.perf_counter()
        KERNELS[line.strip()](x)
        print("kernel", count, time.perf_counter() - begin_s, flush=True)


if __name__ == "__main__":
    main()
