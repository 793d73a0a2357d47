"""Trains one model on fixed random data and writes a hash of all it computed.

    python3 train_model.py resnet50 --out digest.json [--steps 5]
        [--batch 4] [--image 96] [--paced]

An ordinary PyTorch script: it knows nothing of what runs it. It prints
"step INDEX SECONDS s" after each step; with --paced it waits for a line on
standard input before each.
"""

import argparse
import sys
import time

import torch
import torchvision

from digest import Digest

CLASSES = 1000
WORDS = 2000


class Encoder(torch.nn.Module):
    """A transformer encoder that predicts one of `WORDS` for each position."""

    def __init__(self, width=256, layers=4):
        super().__init__()
        layer = torch.nn.TransformerEncoderLayer(width,
                                                 nhead=8,
                                                 dim_feedforward=4 * width,
                                                 batch_first=True)
        self.embedding = torch.nn.Embedding(WORDS, width)
        self.encoder = torch.nn.TransformerEncoder(layer, layers)
        self.head = torch.nn.Linear(width, WORDS)

    def forward(self, words):
        return self.head(self.encoder(self.embedding(words)))


def make_model(name):
    if name == "transformer":
        return Encoder()
    arguments = {}
    if name == "inception_v3":
        arguments = {"init_weights": False, "aux_logits": True}
    return getattr(torchvision.models, name)(**arguments)


def make_data(name, batch, image):
    if name == "transformer":
        words = torch.randint(0, WORDS, (batch, 64))
        return words, torch.roll(words, 1, dims=1)
    return (torch.randn(batch, 3, image,
                        image), torch.randint(0, CLASSES, (batch,)))


def loss_of(output, target):
    cross_entropy = torch.nn.functional.cross_entropy
    if hasattr(output, "aux_logits"):
        return cross_entropy(output.logits, target) + 0.4 * cross_entropy(
            output.aux_logits, target)
    return cross_entropy(output.flatten(0, -2), target.flatten())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--out", required=True)
    parser.add_argument("--paced", action="store_true")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--image", type=int, default=96)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()

    torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)
    net = make_model(arguments.model).train()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    inputs, target = make_data(arguments.model, arguments.batch,
                               arguments.image)

    digest = Digest()
    for step in range(arguments.steps):
        if arguments.paced and not sys.stdin.readline():
            break
        begin_s = time.perf_counter()
        optimizer.zero_grad()
        loss = loss_of(net(inputs), target)
        loss.backward()
        optimizer.step()
        digest.add("losses", loss.item())
        seconds = time.perf_counter() - begin_s
        print(f"step {step} {seconds:.6f} s", flush=True)
    digest.add_model(net)
    digest.write(arguments.out)


if __name__ == "__main__":
    main()
