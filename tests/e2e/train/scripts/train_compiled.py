"""Trains a small transformer that torch.compile compiles, on fixed random data.

    python3 train_compiled.py --out digest.json [--steps 8] [--mode max-autotune]
        [--batches 4,6] [--breaks] [--compile-loss] [--compile-update] [--cpp-wrapper]
        [--evaluate]

Batches of these sizes take turns; with several, shapes are dynamic. --breaks breaks the
graph in each layer. --compile-loss compiles the function that calls the network, one
layer of which has a hook, and the loss as one graph. An ordinary PyTorch script for 2.x.
It looks up no embedding, since the gradient of one is added up by compiled threads in
whatever order they come.
"""

import argparse
import functools
import importlib
import time

import torch

from digest import Digest

WORDS = 2000
POSITIONS = 128
WIDTH = 256


class Layer(torch.nn.Module):
    """Attention and a feed-forward network, each after a normalisation."""

    def __init__(self, breaks):
        super().__init__()
        self.breaks = breaks
        self.first = torch.nn.LayerNorm(WIDTH)
        self.second = torch.nn.LayerNorm(WIDTH)
        self.projections = torch.nn.Linear(WIDTH, 3 * WIDTH)
        self.output = torch.nn.Linear(WIDTH, WIDTH)
        self.feed_forward = torch.nn.Sequential(
            torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.GELU(),
            torch.nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, values):
        batch, positions, _ = values.shape
        parts = self.projections(self.first(values)).chunk(3, dim=-1)
        heads = [part.view(batch, positions, 8, WIDTH // 8).transpose(1, 2)
                 for part in parts]
        attended = torch.nn.functional.scaled_dot_product_attention(
            *heads, is_causal=True)
        if self.breaks:
            torch._dynamo.graph_break()
        values = values + self.output(attended.transpose(1, 2).flatten(2))
        return values + self.feed_forward(self.second(values))


def make_net(breaks):
    return torch.nn.Sequential(*[Layer(breaks) for _ in range(2)],
                               torch.nn.Linear(WIDTH, WORDS))


def loss_of(net, inputs, target):
    return torch.nn.functional.cross_entropy(net(inputs).flatten(0, 1), target.flatten())


def make_batch(size):
    return (torch.randn(size, POSITIONS, WIDTH),
            torch.randint(0, WORDS, (size, POSITIONS)))


def main():
    def sizes(text):
        return [int(size) for size in text.split(",")]

    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--mode")
    parser.add_argument("--batches", type=sizes, default=[4])
    parser.add_argument("--breaks", action="store_true")
    parser.add_argument("--compile-loss", action="store_true")
    parser.add_argument("--compile-update", action="store_true")
    parser.add_argument("--cpp-wrapper", action="store_true")
    parser.add_argument("--evaluate", action="store_true")
    arguments = parser.parse_args()

    if arguments.compile_loss:
        importlib.import_module("torch._dynamo")  # before there is any tensor
    torch.set_num_threads(2)
    torch.manual_seed(0)
    net = make_net(arguments.breaks)
    dynamic = True if len(arguments.batches) > 1 else None
    options = {"cpp_wrapper": True} if arguments.cpp_wrapper else None
    compiled = torch.compile(net, mode=arguments.mode, options=options, dynamic=dynamic)
    compute_loss = functools.partial(loss_of, compiled)
    if arguments.compile_loss:
        net[0].register_forward_hook(lambda layer, inputs, output: output * 0.5)
        compute_loss = torch.compile(functools.partial(loss_of, net), fullgraph=True)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    update = optimizer.step
    if arguments.compile_update:
        update = torch.compile(lambda: optimizer.step())  # pylint: disable=unnecessary-lambda
    batches = [make_batch(size) for size in arguments.batches]

    digest = Digest()
    for step in range(arguments.steps):
        begin_s = time.perf_counter()
        inputs, target = batches[step % len(batches)]
        optimizer.zero_grad()
        loss = compute_loss(inputs, target)
        loss.backward()
        update()
        digest.add("losses", loss.item())
        if arguments.evaluate and step % 3 == 2:
            with torch.no_grad():
                digest.add("evaluations", compiled(inputs).sum().item())
        print(f"step {step} {time.perf_counter() - begin_s:.6f} s", flush=True)
    digest.add_model(net)
    digest.write(arguments.out)


if __name__ == "__main__":
    main()
