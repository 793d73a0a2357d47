"""The frame of scripts that torchrun starts once for each rank.

    def train(rank, digest): ...
    rank.main(train)  # writes FILE.RANK for --out FILE
"""

import argparse

import torch
import torch.distributed

from digest import Digest


def main(train):
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo")
    rank = torch.distributed.get_rank()
    digest = Digest()
    train(rank, digest)
    digest.write(f"{arguments.out}.{rank}")
    torch.distributed.destroy_process_group()
