"""Data-parallel training with gloo; each rank writes FILE.RANK.

    python3 -m torch.distributed.run --standalone --nproc_per_node 2 \
        train_distributed.py --out digest.json
"""

import argparse

import torch
import torch.distributed
from torch.nn.parallel import DistributedDataParallel

from digest import Digest
from hazard import STEPS, make_batch, make_net, sgd, train_step


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo")
    rank = torch.distributed.get_rank()
    torch.manual_seed(rank)
    net = make_net()
    parallel = DistributedDataParallel(net)
    optimizer = sgd(net)
    digest = Digest()
    for _ in range(STEPS):
        train_step(parallel, optimizer, make_batch(), digest)
    digest.add_model(net)
    digest.write(f"{arguments.out}.{rank}")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
