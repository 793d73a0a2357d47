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

import language_models

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "e2e/train/scripts"))

from train_model import WORDS, Encoder, make_data  # pylint: disable=wrong-import-position


@dataclasses.dataclass
class Job:
    """`batch` maps a step's index to (inputs, target), `blocks` inputs to modules.

    A job with mixed precision computes in bfloat16 where autocast does, adds up
    the gradients of two batches, and evaluates after every fourth step.
    """
    net: torch.nn.Module
    optimizer: torch.optim.Optimizer
    batch: Callable
    blocks: Callable
    mixed_precision: bool = False
    backward: Callable = torch.Tensor.backward  # from a loss


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


class Experts(torch.nn.Module):
    """Sends each row through the one network of several that it is closest to."""

    def __init__(self, width, count):
        super().__init__()
        self.gate = torch.nn.Linear(width, count)
        self.experts = torch.nn.ModuleList(
            torch.nn.Sequential(torch.nn.Linear(width, 4 * width), torch.nn.ReLU(),
                                torch.nn.Linear(4 * width, width)) for _ in range(count))

    def forward(self, words):
        rows = words.flatten(0, 1)
        share, chosen = self.gate(rows).softmax(-1).max(-1)
        order = chosen.argsort(stable=True)
        sizes = chosen.bincount(minlength=len(self.experts)).tolist()
        groups = rows[order].split(sizes)
        made = torch.cat([expert(group) for expert, group in zip(self.experts, groups)])
        return (rows + share[:, None] * made[order.argsort()]).view_as(words)


class Unet(torch.nn.Module):
    """Classifies each pixel; each level halves the image and doubles the channels."""

    def __init__(self, width, levels, classes=8):
        super().__init__()
        widths = [width << level for level in range(levels)]
        self.down = torch.nn.ModuleList(
            convolutions(a, b) for a, b in zip([3, *widths], widths))
        self.up = torch.nn.ModuleList(
            torch.nn.ConvTranspose2d(b, a, 2, stride=2) for a, b in zip(widths, widths[1:]))
        self.merge = torch.nn.ModuleList(convolutions(2 * a, a) for a in widths[:-1])
        self.head = torch.nn.Conv2d(width, classes, 1)

    def forward(self, image):
        skipped = []
        for down in self.down:
            image = down(torch.nn.functional.max_pool2d(image, 2) if skipped else image)
            skipped.append(image)
        for up, merge, skip in reversed(list(zip(self.up, self.merge, skipped))):
            image = merge(torch.cat([skip, up(image)], dim=1))
        return self.head(image).movedim(1, -1)


def convolutions(inputs, outputs):
    layers = []
    for channels in (inputs, outputs):
        layers += [torch.nn.Conv2d(channels, outputs, 3, padding=1, bias=False),
                   torch.nn.BatchNorm2d(outputs), torch.nn.ReLU(inplace=True)]
    return torch.nn.Sequential(*layers)


def sequential_job(net, optimizer, blocks, data):
    return Job(net, optimizer, batch=lambda step: data, blocks=lambda inputs: blocks)


def image_job(net, blocks, batch, image):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    return sequential_job(net, optimizer, blocks, make_data("images", batch, image))


def resnet_job(net, batch, image):
    stem = torch.nn.Sequential(net.conv1, net.bn1, net.relu, net.maxpool)
    head = torch.nn.Sequential(net.avgpool, torch.nn.Flatten(), net.fc)
    blocks = [stem, *net.layer1, *net.layer2, *net.layer3, *net.layer4, head]
    return image_job(net, blocks, batch, image)


def resnet(quick):
    net = (torchvision.models.resnet18 if quick else torchvision.models.resnet50)()
    return resnet_job(net, *((8, 128) if quick else (16, 224)))


def resnet152(quick):
    return resnet_job(torchvision.models.resnet152(), *((2, 64) if quick else (4, 160)))


def mixed_precision(quick):
    job = resnet_job(torchvision.models.resnet18(), *((1, 64) if quick else (2, 96)))
    return dataclasses.replace(job, mixed_precision=True)


def vgg19(quick):
    net = torchvision.models.vgg19()
    blocks = [*net.features, net.avgpool, torch.nn.Flatten(), *net.classifier]
    return image_job(net, blocks, *((2, 64) if quick else (4, 128)))


def mobilenet(quick):
    net = torchvision.models.mobilenet_v2()
    head = torch.nn.Sequential(torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(),
                               net.classifier)
    return image_job(net, [*net.features, head], *((4, 64) if quick else (16, 160)))


def inception(quick):
    net = torchvision.models.inception_v3(init_weights=False, aux_logits=True)
    return image_job(net, [net], 2 if quick else 3, 299)


def vision_transformer(quick):
    net = torchvision.models.vit_b_16()
    return image_job(net, [net], 1 if quick else 2, 224)


def unet(quick):
    net = Unet(*((8, 3) if quick else (24, 4)))
    size = 64 if quick else 256
    data = (torch.randn(4, 3, size, size), torch.randint(0, 8, (4, size, size)))
    optimizer = torch.optim.Adam(net.parameters())
    return sequential_job(net, optimizer, [net], data)


def transformer(quick):
    net = Encoder(width=256 if quick else 384, layers=4 if quick else 6)
    blocks = [net.embedding, *net.encoder.layers, net.head]
    return sequential_job(net, torch.optim.Adam(net.parameters()), blocks,
                          make_data("transformer", 8 if quick else 32, 0))


def language_job(net, vocabulary, batch, positions):
    words = torch.randint(0, vocabulary, (2, batch, positions)).unbind()
    return sequential_job(net, torch.optim.Adam(net.parameters()), [net], words)


def gpt2(quick):
    """Returns one with fewer layers than GPT-2 small has."""
    net = language_models.gpt2(layers=1 if quick else 4)
    return language_job(net, language_models.GPT2_WORDS, *((1, 64) if quick else (4, 256)))


def bert(quick):
    net = language_models.bert(layers=2 if quick else 12)
    return language_job(net, language_models.BERT_WORDS, *((1, 64) if quick else (4, 128)))


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


def experts(quick):
    """Returns a language model whose experts each step has other rows for."""
    width, layers, count, batch = (128, 2, 4, 4) if quick else (384, 4, 8, 16)
    blocks = [torch.nn.Embedding(WORDS, width),
              *[Experts(width, count) for _ in range(layers)],
              torch.nn.Linear(width, WORDS)]
    net = torch.nn.Sequential(*blocks)

    def words(step):
        generator = torch.Generator().manual_seed(step)
        return torch.randint(0, WORDS, (2, batch, 64), generator=generator).unbind()

    return Job(net, torch.optim.Adam(net.parameters()), words, lambda inputs: blocks)


MAKERS = {
    "resnet": resnet, "vgg19": vgg19, "mobilenet": mobilenet, "inception": inception,
    "resnet152": resnet152, "unet": unet, "vision-transformer": vision_transformer,
    "transformer": transformer, "gpt2": gpt2, "bert": bert, "lstm": lstm,
    "mixed-precision": mixed_precision, "tree": tree, "experts": experts
}


def make(name, quick):
    torch.manual_seed(0)
    job = MAKERS[name](quick)
    job.net.train()
    return job
