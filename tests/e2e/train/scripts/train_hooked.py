"""Data-parallel training whose communication hook runs operators in gloo's threads.

    python3 -m torch.distributed.run --standalone --nproc_per_node 2 \
        train_hooked.py --out digest.json
"""

import argparse

import torch
import torch.distributed
from torch.nn.parallel import DistributedDataParallel

from digest import Digest
from hazard import make_layers, make_layers_batch, train_step

STEPS = 20


def average(unused_state, bucket):
    """Averages copies of the bucket, as hooks do that compress it.

    A thread of gloo's copies the result back, beside the backward pass.
    """
    buffer = bucket.buffer()
    copies = buffer.clone().div_(torch.distributed.get_world_size())
    work = torch.distributed.all_reduce(copies, async_op=True)

    def copy_back(future):
        buffer.copy_(future.value()[0])
        return buffer

    return work.get_future().then(copy_back)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo")
    rank = torch.distributed.get_rank()
    torch.manual_seed(rank)
    net = make_layers()
    parallel = DistributedDataParallel(net, gradient_as_bucket_view=True, bucket_cap_mb=1)
    parallel.register_comm_hook(None, average)
    optimizer = torch.optim.Adam(net.parameters())
    digest = Digest()
    for _ in range(STEPS):
        train_step(parallel, optimizer, make_layers_batch(128), digest)
    digest.add_model(net)
    digest.write(f"{arguments.out}.{rank}")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
