"""Fully sharded training (FSDP2) with gloo on CPUs; each rank writes FILE.RANK.

    python3 -m torch.distributed.run --standalone --nproc_per_node 2 \
        train_sharded.py --out digest.json
"""

import torch
import torch.distributed
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

import rank

STEPS = 8


def train(my_rank, digest):
    torch.manual_seed(0)
    layers = [torch.nn.Sequential(torch.nn.Linear(384, 768), torch.nn.GELU(),
                                  torch.nn.Linear(768, 384)) for _ in range(6)]
    net = torch.nn.Sequential(*layers)
    mesh = init_device_mesh("cpu", (torch.distributed.get_world_size(),))
    for layer in layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(net, mesh=mesh)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    torch.manual_seed(my_rank)
    for _ in range(STEPS):
        inputs = torch.randn(128, 384)
        optimizer.zero_grad()
        loss = (net(inputs) - inputs).square().mean()
        loss.backward()
        optimizer.step()
        digest.add("losses", loss.item())
    for parameter in net.parameters():
        digest.add("weights", parameter.to_local())


if __name__ == "__main__":
    rank.main(train)
