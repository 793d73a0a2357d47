"""Hazards: the ways in which real scripts train."""

import contextlib
import hashlib
import os
import random
import threading
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, TensorDataset

from digest import Digest
from hazard import (BATCH, STEPS, hazard, loss_of, main, make_batch, make_net,
                    sgd, train_step)


def train(digest, net=None, optimizer=None, batches=None):
    net = net or make_net()
    optimizer = optimizer or sgd(net)
    for batch in batches or (make_batch() for _ in range(STEPS)):
        train_step(net, optimizer, batch, digest)
    digest.add_model(net)


@hazard
def plain(digest):
    train(digest)


@hazard
def adam(digest):
    net = make_net()
    train(digest, net, torch.optim.Adam(net.parameters(), foreach=False))


@hazard
def adam_foreach(digest):
    net = make_net()
    train(digest, net, torch.optim.Adam(net.parameters(), foreach=True))


@hazard
def lbfgs(digest):
    """An optimizer that runs forward and backward several times a step."""
    net = make_net()
    optimizer = torch.optim.LBFGS(net.parameters(), lr=0.1, max_iter=3)
    batch = make_batch()

    def closure():
        optimizer.zero_grad()
        loss = loss_of(net, batch)
        loss.backward()
        return loss

    for _ in range(STEPS):
        digest.add("losses", optimizer.step(closure).item())
    digest.add_model(net)


@hazard
def manual_sgd(digest):
    """No torch.optim at all."""
    net = make_net()
    for _ in range(STEPS):
        loss = loss_of(net, make_batch())
        loss.backward()
        with torch.no_grad():
            for parameter in net.parameters():
                parameter -= 0.05 * parameter.grad
                parameter.grad.zero_()
        digest.add("losses", loss.item())
    digest.add_model(net)


@hazard
def gradients_freed(digest):
    """Gradients are dropped, not zeroed, between steps."""
    net = make_net()
    optimizer = sgd(net)
    for _ in range(STEPS):
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(net, make_batch())
        loss.backward()
        optimizer.step()
        digest.add("losses", loss.item())
    digest.add_model(net)


@hazard
def accumulation(digest):
    """Three backward passes for one optimizer step."""
    net = make_net()
    optimizer = sgd(net)
    for _ in range(STEPS):
        optimizer.zero_grad()
        for _ in range(3):
            loss = loss_of(net, make_batch()) / 3
            loss.backward()
            digest.add("losses", loss.item())
        optimizer.step()
    digest.add_model(net)


@hazard
def adversarial(digest):
    """Two networks and two optimizers that take turns."""
    generator = nn.Sequential(nn.Linear(64, 512), nn.ReLU(),
                              nn.Linear(512, 3 * 32 * 32), nn.Tanh())
    critic = make_net()
    optimizers = [
        torch.optim.Adam(n.parameters(), lr=1e-3) for n in (generator, critic)
    ]
    for _ in range(STEPS):
        fake = generator(torch.randn(BATCH, 64)).view(BATCH, 3, 32, 32)
        real, _ = make_batch()
        optimizers[1].zero_grad()
        loss = critic(fake.detach()).mean() - critic(real).mean()
        loss.backward()
        optimizers[1].step()
        optimizers[0].zero_grad()
        score = -critic(fake).mean()
        score.backward()
        optimizers[0].step()
        digest.add("losses", (loss.item(), score.item()))
    digest.add_model(generator)
    digest.add_model(critic)


@hazard
def evaluation_between(digest):
    net = make_net()
    optimizer = sgd(net)
    for step in range(2 * STEPS):
        train_step(net, optimizer, make_batch(), digest)
        if step % 3 == 2:
            net.eval()
            with torch.no_grad():
                for _ in range(2):
                    digest.add("scores", net(make_batch()[0]))
            net.train()
    digest.add_model(net)


@hazard
def inference_mode(digest):
    net = make_net()
    optimizer = sgd(net)
    for _ in range(STEPS):
        train_step(net, optimizer, make_batch(), digest)
        with torch.inference_mode():
            digest.add("scores", net(make_batch()[0]))
    digest.add_model(net)


@hazard
def checkpointing(digest):
    """Activations are computed again during backward."""
    net = make_net()

    class Checkpointed(nn.Module):

        def __init__(self):
            super().__init__()
            self.net = net

        def forward(self, inputs):
            middle = checkpoint(self.net[:6], inputs.requires_grad_())
            return self.net[6:](middle)

    train(digest, Checkpointed())


@hazard
def autocast(digest):
    """Mixed precision on the CPU: bfloat16."""
    net = make_net()
    optimizer = sgd(net)
    for _ in range(STEPS):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = loss_of(net, make_batch())
        loss.backward()
        optimizer.step()
        digest.add("losses", loss.item())
    digest.add_model(net)


@hazard
def jit_script(digest):
    train(digest, torch.jit.script(make_net()))


@hazard
def jit_trace(digest):
    train(digest, torch.jit.trace(make_net(), make_batch()[0]))


@hazard
def recomputed_weights(digest):
    """Weights that each forward pass computes anew, while the old ones live."""
    net = make_net()
    for module in net.modules():
        if isinstance(module, (nn.Conv2d, nn.Linear)):
            nn.utils.weight_norm(module)
    train(digest, net)


@hazard
def channels_last(digest):
    net = make_net().to(memory_format=torch.channels_last)
    batches = []
    for _ in range(STEPS):
        inputs, target = make_batch()
        batches.append(
            (inputs.contiguous(memory_format=torch.channels_last), target))
    train(digest, net, batches=batches)


@hazard
def sparse_gradients(digest):
    net = nn.Sequential(nn.Embedding(65536, 64, sparse=True), nn.Flatten(),
                        nn.Linear(1024, 10))
    batches = [(torch.randint(0, 65536, (64, 16)), torch.randint(0, 10, (64,)))
               for _ in range(STEPS)]
    train(digest, net, torch.optim.SGD(net.parameters(), lr=0.1), batches)


@hazard
def recurrent(digest):
    """An LSTM over sequences whose length changes from step to step."""
    net = nn.LSTM(64, 128, batch_first=True)
    optimizer = sgd(net)
    for step in range(2 * STEPS):
        optimizer.zero_grad()
        output, _ = net(torch.randn(16, (32, 48, 40)[step % 3], 64))
        loss = output.square().mean()
        loss.backward()
        optimizer.step()
        digest.add("losses", loss.item())
    digest.add_model(net)


@hazard
def last_batch_is_smaller(digest):
    """Two kinds of step, as at the end of every epoch."""
    train(digest,
          batches=[
              make_batch(BATCH if step % 4 != 3 else 7)
              for step in range(2 * STEPS)
          ])


@hazard
def loader_workers(digest):
    """Forked DataLoader workers make the batches."""
    images, labels = make_batch(BATCH * STEPS)
    loader = DataLoader(TensorDataset(images, labels),
                        batch_size=BATCH,
                        num_workers=2)
    train(digest, batches=loader)


def hash_in_child(tensors):
    """Returns what a forked child reads in the tensors."""
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        sums = hashlib.sha256()
        for tensor in tensors:
            sums.update(tensor.detach().numpy().tobytes())
        os.write(writes, sums.hexdigest().encode())
        os._exit(0)  # pylint: disable=protected-access
    os.close(writes)
    with open(reads, encoding="ascii") as pipe:
        text = pipe.read()
    os.waitpid(pid, 0)
    return text


@hazard
def forks_in_a_step(digest):
    """Children are forked in the middle of forward and backward passes."""
    net = make_net()
    rng = random.Random(20)
    seen = []

    def maybe_fork(_module, _inputs, outputs):
        if rng.random() < 0.3:
            tensors = outputs if isinstance(outputs, tuple) else (outputs,)
            seen.append(hash_in_child([*net.parameters(), *tensors]))

    for module in net:
        module.register_forward_hook(maybe_fork)
        module.register_full_backward_hook(maybe_fork)
    train(digest, net)
    assert len(seen) >= 20, seen
    digest.add("children", seen)


@hazard
def second_thread(digest):
    """Another thread trains its own network at the same time."""
    other = Digest()
    nets = make_net(), make_net()
    batches = [[make_batch() for _ in range(STEPS)] for _ in nets]

    def work():
        train(other, nets[1], batches=batches[1])

    thread = threading.Thread(target=work)
    thread.start()
    train(digest, nets[0], batches=batches[0])
    thread.join()
    digest.add("other", sorted(other.values().items()))


@hazard
def producer_thread(digest):
    """Another thread makes the tensors that this one trains with."""
    batches = []

    def work():
        generator = torch.Generator().manual_seed(1)
        for _ in range(STEPS):
            inputs = torch.randn(BATCH, 3, 32, 32, generator=generator)
            batches.append((inputs * 2, torch.zeros(BATCH, dtype=torch.long)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    train(digest, batches=batches)


@hazard
def reader_thread(digest):
    """In every other step, another thread reads a tensor of this one's."""
    table = torch.randn(1 << 18)
    net = make_net()
    optimizer = sgd(net)
    with ThreadPoolExecutor(1) as reader:

        def read(*unused):
            digest.add("read", reader.submit(table.sum).result().item())

        for step in range(2 * STEPS):
            hook = net[1].register_forward_hook(read) if step % 2 else None
            train_step(net, optimizer, make_batch(), digest)
            if hook:
                hook.remove()
    digest.add_model(net)


@hazard
def thread_before_updates(digest):
    """A thread that no error stops runs operators when an update is to begin."""

    def work():
        with contextlib.suppress(RuntimeError):
            torch.ones(8).add_(1)

    with ThreadPoolExecutor(1) as loader:

        class Optimizer(torch.optim.SGD):

            def step(self, closure=None):
                loader.submit(work).result()
                super().step(closure)
                print("updated", flush=True)

        net = make_net()
        train(digest, net, Optimizer(net.parameters(), lr=0.05))


@hazard
def double_backward(digest):
    """A gradient penalty: backward through backward."""
    net = make_net()
    optimizer = sgd(net)
    for _ in range(STEPS):
        inputs, target = make_batch()
        inputs.requires_grad_()
        optimizer.zero_grad()
        loss = loss_of(net, (inputs, target))
        (slope,) = torch.autograd.grad(loss, inputs, create_graph=True)
        (loss + slope.square().sum()).backward()
        optimizer.step()
        digest.add("losses", loss.item())
    digest.add_model(net)


@hazard
def frozen_layers(digest):
    """Layers stop and start to learn."""
    net = make_net()
    optimizer = sgd(net)
    for step in range(2 * STEPS):
        net[0].requires_grad_(step % 4 < 2)
        train_step(net, optimizer, make_batch(), digest)
    digest.add_model(net)


@hazard
def clipping_and_schedule(digest):
    net = make_net()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = loss_of(net, make_batch())
        loss.backward()
        digest.add("norm",
                   nn.utils.clip_grad_norm_(net.parameters(), 0.5).item())
        optimizer.step()
        schedule.step()
        digest.add("losses", loss.item())
    digest.add_model(net)


if __name__ == "__main__":
    main()
