"""Data-parallel training whose communication hook runs operators in gloo's threads.

    python3 -m torch.distributed.run --standalone --nproc_per_node 2 \
        train_hooked.py --out digest.json
"""

import torch
import torch.distributed
from torch.nn.parallel import DistributedDataParallel

import rank
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


def train(my_rank, digest):
    torch.manual_seed(my_rank)
    net = make_layers()
    parallel = DistributedDataParallel(net, gradient_as_bucket_view=True, bucket_cap_mb=1)
    parallel.register_comm_hook(None, average)
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(STEPS):
        train_step(parallel, optimizer, make_layers_batch(128), digest)
    digest.add_model(net)


if __name__ == "__main__":
    rank.main(train)
