"""Data-parallel training with gloo; each rank writes FILE.RANK.

    python3 -m torch.distributed.run --standalone --nproc_per_node 2 \
        train_distributed.py --out digest.json
"""

import torch
import torch.distributed
from torch.nn.parallel import DistributedDataParallel

import rank
from hazard import STEPS, make_batch, make_net, sgd, train_step


def train(my_rank, digest):
    torch.manual_seed(my_rank)
    net = make_net()
    parallel = DistributedDataParallel(net)
    optimizer = sgd(net)
    for _ in range(STEPS):
        train_step(parallel, optimizer, make_batch(), digest)
    digest.add_model(net)


if __name__ == "__main__":
    rank.main(train)
