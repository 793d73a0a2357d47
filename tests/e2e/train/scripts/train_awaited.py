"""Training that begins each step with a collective and waits for it.

    python3 train_awaited.py
"""

import torch
import torch.distributed as dist

from hazard import STEPS, loss_of, make_batch, make_net, sgd

BYTES = 5 << 20  # no other tensor is as large


def main():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    total = torch.ones(BYTES // 4)
    net = make_net()
    optimizer = sgd(net)
    for _ in range(STEPS):
        dist.all_reduce(total)
        optimizer.zero_grad()
        loss_of(net, make_batch()).backward()
        optimizer.step()


if __name__ == "__main__":
    main()
