"""Jobs that use what PyTorch 2 has brought: torch.func, fused updates, torch.compile."""

import os
import tempfile

import torch
from torch import nn
from torch.nn import functional

from hazard import (BATCH, hazard, hazard_if, loss_of, main, make_batch, make_net, sgd,
                    train_step)

STEPS = 10
FUNC = hasattr(torch, "func")
COMPILE = hasattr(torch, "compile")


def train(digest, net, optimizer=None, batches=make_batch):
    optimizer = optimizer or sgd(net)
    for _ in range(STEPS):
        train_step(net, optimizer, batches(), digest)
    digest.add_model(net)


def make_layers():
    return nn.Sequential(nn.Linear(256, 512), nn.Tanh(), nn.Linear(512, 512), nn.Tanh(),
                         nn.Linear(512, 10))


def make_rows():
    return torch.randn(512, 256), torch.randint(0, 10, (512,))


def row_loss(net, weights, inputs, target):
    scores = torch.func.functional_call(net, weights, (inputs,))
    return functional.cross_entropy(scores, target)


@hazard_if(FUNC)
def functional_training(digest):
    """No optimizer and no backward(): new weights are made of old ones and gradients."""
    net = make_layers()
    weights = {name: p.detach() for name, p in net.named_parameters()}
    slope = torch.func.grad_and_value(lambda *all: row_loss(net, *all))
    for _ in range(STEPS):
        gradients, loss = slope(weights, *make_rows())
        weights = {name: w - 0.1 * gradients[name] for name, w in weights.items()}
        digest.add("losses", loss.item())
    for weight in weights.values():
        digest.add("weights", weight)


@hazard_if(FUNC)
def gradients_of_each_sample(digest):
    """Clips the gradient of each sample, by vmap over grad."""
    net = make_layers()
    optimizer = sgd(net)
    one = torch.func.grad(lambda w, x, y: row_loss(net, w, x[None], y[None]))
    of_each = torch.func.vmap(one, in_dims=(None, 0, 0))
    for _ in range(STEPS):
        inputs, target = make_rows()
        weights = {name: p.detach() for name, p in net.named_parameters()}
        each = of_each(weights, inputs[:16], target[:16])
        for name, parameter in net.named_parameters():
            parameter.grad = each[name].clamp(-1, 1).mean(0)
        optimizer.step()
    digest.add_model(net)


@hazard_if(FUNC)
def ensemble(digest):
    """Several networks as one, by vmap over stacked weights."""
    nets = [make_layers() for _ in range(3)]
    weights, _ = torch.func.stack_module_state(nets)
    optimizer = torch.optim.Adam(weights.values(), lr=1e-3)
    for _ in range(STEPS):
        inputs, target = make_rows()
        optimizer.zero_grad()
        losses = torch.func.vmap(lambda w: row_loss(nets[0], w, inputs, target))(weights)
        losses.sum().backward()
        optimizer.step()
        digest.add("losses", losses.tolist())


@hazard_if(FUNC)
def inner_updates_differentiated(digest):
    """MAML: the loss after an inner update, differentiated through it."""
    net = make_layers()
    optimizer = sgd(net)
    for _ in range(STEPS):
        weights = dict(net.named_parameters())
        slope = torch.func.grad(lambda *all: row_loss(net, *all))(weights, *make_rows())
        adapted = {name: w - 0.1 * slope[name] for name, w in weights.items()}
        optimizer.zero_grad()
        loss = row_loss(net, adapted, *make_rows())
        loss.backward()
        optimizer.step()
        digest.add("losses", loss.item())
    digest.add_model(net)


def _fused():
    names = ("Adam", "SGD", "Adagrad")
    return [name for name in names
            if COMPILE and "fused" in getattr(torch.optim, name).__init__.__code__.co_varnames]


@hazard_if("SGD" in _fused())
def fused_updates(digest):
    for name in _fused():
        net = make_net()
        train(digest, net, getattr(torch.optim, name)(net.parameters(), lr=1e-3, fused=True))


@hazard_if(hasattr(torch.optim, "Muon"))
def muon(digest):
    net = make_layers()
    matrices = [p for p in net.parameters() if p.ndim == 2]
    train(digest, net, torch.optim.Muon(matrices, lr=1e-3), make_rows)


@hazard_if(hasattr(torch.optim, "Adafactor"))
def adafactor(digest):
    net = make_layers()
    train(digest, net, torch.optim.Adafactor(net.parameters()), make_rows)


@hazard_if(COMPILE)
def attention(digest):
    """scaled_dot_product_attention, causal."""
    project, output = nn.Linear(128, 384), nn.Linear(128, 10)

    class Net(nn.Module):

        def __init__(self):
            super().__init__()
            self.project, self.output = project, output

        def forward(self, values):
            parts = self.project(values).view(8, 128, 3, 4, 32).permute(2, 0, 3, 1, 4)
            seen = functional.scaled_dot_product_attention(*parts, is_causal=True)
            return self.output(seen.transpose(1, 2).flatten(2).mean(1))

    train(digest, Net(), None, lambda: (torch.randn(8, 128, 128), torch.randint(0, 10, (8,))))


@hazard_if(COMPILE)
def nested_tensors(digest):
    """Sequences of several lengths in one jagged tensor."""
    net = make_layers()
    optimizer = sgd(net)
    lengths = (100, 60, 140, 80)
    for _ in range(STEPS):
        optimizer.zero_grad()
        rows = torch.nested.nested_tensor([torch.randn(n, 256) for n in lengths],
                                          layout=torch.jagged)
        loss = net(rows).values().square().mean()
        loss.backward()
        optimizer.step()
        digest.add("losses", loss.item())
        # Neither has columns of one length, or rows.
        products = torch.bmm(*[torch.nested.nested_tensor([torch.randn(*sizes) for sizes in pair])
                               for pair in (((300, 40), (200, 60)), ((40, 30), (60, 50)))])
        for product in products.unbind():
            digest.add("products", product)
    digest.add_model(net)


@hazard_if(COMPILE)
def checkpoint_mapped_from_a_file(digest):
    """Weights made on the meta device, which a file that is mapped fills in."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "weights.pt")
        torch.save(make_layers().state_dict(), path)
        with torch.device("meta"):
            net = make_layers()
        net = net.to_empty(device="cpu")
        net.load_state_dict(torch.load(path, mmap=True, weights_only=True))
        train(digest, net, None, make_rows)
        assigned = make_layers()
        assigned.load_state_dict(torch.load(path, mmap=True, weights_only=True), assign=True)
        train(digest, assigned, None, make_rows)


@hazard_if(COMPILE)
def exported_and_profiled(digest):
    net = make_net()
    torch.export.export(net, (make_batch()[0],))
    with torch.profiler.profile(record_shapes=True):
        train(digest, net)


def skips_compiling(digest):
    """Skips the job, and returns True, where Inductor's code that checks indices does not link:
    with PyTorch 2.6 on processors whose vector instructions it does not use."""
    try:
        torch.compile(lambda rows, index: rows[index])(torch.ones(3), torch.tensor([1]))
    except Exception as error:  # pylint: disable=broad-except
        if "undefined symbol" not in str(error):
            raise
        digest.skip("Inductor's code that checks indices does not link here")
        return True
    return False


@hazard_if(COMPILE)
def compiled_step(digest):
    """The whole step is compiled, without an optimizer: gradients by torch.func."""
    if skips_compiling(digest):
        return
    net = make_layers()
    weights = {name: p.detach() for name, p in net.named_parameters()}
    slope = torch.func.grad_and_value(lambda *all: row_loss(net, *all))

    @torch.compile
    def step(weights, inputs, target):
        gradients, loss = slope(weights, inputs, target)
        return {name: w - 0.1 * gradients[name] for name, w in weights.items()}, loss

    for _ in range(STEPS):
        weights, loss = step(weights, *make_rows())
        digest.add("losses", loss.item())


@hazard_if(COMPILE)
def compiled_step_in_place(digest):
    """The same with backward() and weights that are updated in place."""
    if skips_compiling(digest):
        return
    net = make_layers()

    @torch.compile
    def step(inputs, target):
        loss = functional.cross_entropy(net(inputs), target)
        loss.backward()
        with torch.no_grad():
            for parameter in net.parameters():
                parameter.sub_(parameter.grad, alpha=0.1)
                parameter.grad = None
        return loss.detach()

    for _ in range(STEPS):
        digest.add("losses", step(*make_rows()).item())
    digest.add_model(net)


@hazard_if(COMPILE)
def flexible_attention(digest):
    """flex_attention, compiled, with a mask of blocks."""
    from torch._inductor.cpu_vec_isa import pick_vec_isa
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    if not pick_vec_isa():  # then PyTorch compiles no flex_attention, alone neither
        digest.skip("Inductor can use no vector instructions here")
        return
    compiled = torch.compile(flex_attention)
    output = nn.Linear(64, 64)
    mask = create_block_mask(lambda b, h, q, k: q >= k, None, None, 256, 256, device="cpu")
    for _ in range(STEPS):
        with torch.no_grad():
            parts = [torch.randn(4, 4, 256, 64) for _ in range(3)]
            seen = compiled(*parts, block_mask=mask)
        loss = output(seen).square().mean()
        loss.backward()
        with torch.no_grad():
            for parameter in output.parameters():
                parameter -= 0.1 * parameter.grad
                parameter.grad = None
        digest.add("losses", loss.item())


if __name__ == "__main__":
    main()
