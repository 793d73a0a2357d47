"""The jobs on which the methods compete, as sequences of blocks.

    job = jobs.make("transformer", quick=False)
    inputs, target = job.batch(step)
    output = inputs
    for block in job.blocks(inputs):
        output = block(output)

A sequence of blocks is what torch.utils.checkpoint asks for; the other methods
run the same blocks one after another.
"""

import dataclasses
import functools
import sys
from pathlib import Path
from typing import Callable

import torch
import torchvision

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "e2e/train/scripts"))

from train_model import WORDS, Encoder, make_data  # pylint: disable=wrong-import-position


@dataclasses.dataclass
class Job:
    """`batch` maps a step's index to (inputs, target), `blocks` inputs to modules."""
    net: torch.nn.Module
    optimizer: torch.optim.Optimizer
    batch: Callable
    blocks: Callable


class LstmLayer(torch.nn.LSTM):

    def forward(self, words):  # pylint: disable=arguments-differ,arguments-renamed
        return super().forward(words)[0]


class Combine(torch.nn.Module):
    """Makes one node of each two: (batch, nodes, width) to (batch, nodes / 2, width)."""

    def __init__(self, width):
        super().__init__()
        self.hidden = torch.nn.Linear(2 * width, 2 * width)
        self.out = torch.nn.Linear(2 * width, width)

    def forward(self, nodes):
        batch, count, width = nodes.shape
        pairs = nodes.reshape(batch, count // 2, 2 * width)
        return torch.tanh(self.out(torch.relu(self.hidden(pairs))))


class Tree(torch.nn.Module):

    def __init__(self, width):
        super().__init__()
        self.leaves = torch.nn.Embedding(WORDS, width)
        self.combine = Combine(width)
        self.head = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(width, WORDS))

    def blocks(self, words):
        depth = words.shape[1].bit_length() - 1
        return [self.leaves, *depth * [self.combine], self.head]


def sequential_job(net, optimizer, blocks, data):
    return Job(net, optimizer, batch=lambda step: data, blocks=lambda inputs: blocks)


def resnet(quick):
    net = (torchvision.models.resnet18 if quick else torchvision.models.resnet50)()
    stem = torch.nn.Sequential(net.conv1, net.bn1, net.relu, net.maxpool)
    head = torch.nn.Sequential(net.avgpool, torch.nn.Flatten(), net.fc)
    blocks = [stem, *net.layer1, *net.layer2, *net.layer3, *net.layer4, head]
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    data = make_data("resnet", *((8, 128) if quick else (16, 224)))
    return sequential_job(net, optimizer, blocks, data)


def transformer(quick):
    net = Encoder(width=256 if quick else 384, layers=4 if quick else 6)
    blocks = [net.embedding, *net.encoder.layers, net.head]
    return sequential_job(net, torch.optim.Adam(net.parameters()), blocks,
                          make_data("transformer", 8 if quick else 32, 0))


def lstm(quick):
    width, layers = (384, 2) if quick else (1024, 2)
    net = torch.nn.Sequential(
        torch.nn.Embedding(WORDS, width),
        *[LstmLayer(width, width, batch_first=True) for _ in range(layers)],
        torch.nn.Linear(width, WORDS))
    return sequential_job(net, torch.optim.Adam(net.parameters()), list(net),
                          make_data("transformer", 8 if quick else 32, 0))


def tree_batch(step, batch, deepest):
    """Returns a batch whose depth only the step knows."""
    generator = torch.Generator().manual_seed(step)
    draw = functools.partial(torch.randint, generator=generator)
    depth = int(draw(deepest - 3, deepest + 1, (1,)))
    return draw(0, WORDS, (batch, 2**depth)), draw(0, WORDS, (batch,))


def tree(quick):
    net = Tree(width=256 if quick else 768)
    batch = functools.partial(tree_batch, batch=16 if quick else 32, deepest=7)
    return Job(net, torch.optim.Adam(net.parameters()), batch, net.blocks)


MAKERS = {"resnet": resnet, "transformer": transformer, "lstm": lstm, "tree": tree}


def make(name, quick):
    torch.manual_seed(0)
    job = MAKERS[name](quick)
    job.net.train()
    return job
