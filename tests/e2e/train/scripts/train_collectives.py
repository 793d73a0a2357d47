"""Training whose script calls collectives itself; each rank writes FILE.RANK.

    python3 -m torch.distributed.run --standalone --nproc_per_node 2 \\
        train_collectives.py --out digest.json

Gradients are summed while the backward pass goes on, statistics at the end of a
step; where PyTorch has functional collectives, these sum, too.
"""

import torch
import torch.distributed as dist

import rank
from hazard import STEPS, loss_of, make_batch, make_net, sgd

try:
    from torch.distributed._functional_collectives import all_reduce
except ImportError:
    all_reduce = None


def sum_gradients(net, works):
    """Sums each gradient over the ranks as soon as it is known."""
    for parameter in net.parameters():
        def begin(gradient, owner=parameter):
            total = gradient.clone()
            works.append((owner, dist.all_reduce(total, async_op=True), total))
        parameter.register_hook(begin)


def mean_weight(net):
    """Returns the mean of a large weight over the ranks."""
    weight = net[7].weight.detach() * 2
    if all_reduce is not None:
        return all_reduce(weight, "sum", dist.group.WORLD).mean()
    dist.all_reduce(weight)
    return weight.mean()


def train(my_rank, digest):
    torch.manual_seed(my_rank)
    net = make_net()
    for tensor in [*net.parameters(), *net.buffers()]:
        dist.broadcast(tensor.detach(), 0)
    works = []
    sum_gradients(net, works)
    optimizer = sgd(net)
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = loss_of(net, make_batch())
        loss.backward()
        for parameter, work, total in works:
            work.wait()
            parameter.grad.copy_(total / dist.get_world_size())
        works.clear()
        optimizer.step()
        digest.add("losses", loss.item())
        digest.add("means", mean_weight(net).item())
    digest.add_model(net)


if __name__ == "__main__":
    rank.main(train)
