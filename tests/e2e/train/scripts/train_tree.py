"""Trains a network over random binary trees: no step repeats another.

    python3 train_tree.py --out digest.json [--steps 20] [--leaves 24]
        [--batch 64] [--width 256] [--threads 2]

An ordinary PyTorch script: it knows nothing of what runs it. Each step has
another tree, of 5/8 as many leaves as `--leaves` to so many, and so other
kernels in another order. It prints "step INDEX SECONDS s" after each.
"""

import argparse
import random
import time

import torch

from digest import Digest

CLASSES = 5
WORDS = 2000


class TreeLstm(torch.nn.Module):
    """A binary tree LSTM (Tai et al., 2015) that classifies each node."""

    def __init__(self, width):
        super().__init__()
        self.embedding = torch.nn.Embedding(WORDS, width)
        self.leaf = torch.nn.Linear(width, 3 * width)
        self.inner = torch.nn.Linear(2 * width, 5 * width)
        self.head = torch.nn.Linear(width, CLASSES)

    def forward(self, tree, words):
        """Returns the hidden state, the cell and the summed logits of a tree."""
        if isinstance(tree, int):
            gate, out, value = self.leaf(self.embedding(words[tree])).chunk(3, 1)
            cell = torch.sigmoid(gate) * torch.tanh(value)
            hidden = torch.sigmoid(out) * torch.tanh(cell)
            return hidden, cell, self.head(hidden)
        (left, left_cell, left_logits), (right, right_cell, right_logits) = (
            self(subtree, words) for subtree in tree)
        gates = self.inner(torch.cat([left, right], 1))
        gate, forget_left, forget_right, out, value = gates.chunk(5, 1)
        cell = (torch.sigmoid(gate) * torch.tanh(value) +
                torch.sigmoid(forget_left) * left_cell +
                torch.sigmoid(forget_right) * right_cell)
        hidden = torch.sigmoid(out) * torch.tanh(cell)
        return hidden, cell, left_logits + right_logits + self.head(hidden)


def random_tree(first, end):
    """Returns nested pairs over the leaves [first, end)."""
    if end - first == 1:
        return first
    middle = random.randint(first + 1, end - 1)
    return random_tree(first, middle), random_tree(middle, end)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--leaves", type=int, default=24)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()

    torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)
    random.seed(0)
    net = TreeLstm(arguments.width)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    digest = Digest()
    for step in range(arguments.steps):
        begin_s = time.perf_counter()
        leaves = random.randint(5 * arguments.leaves // 8, arguments.leaves)
        words = torch.randint(0, WORDS, (leaves, arguments.batch))
        target = torch.randint(0, CLASSES, (arguments.batch,))
        optimizer.zero_grad()
        _, _, logits = net(random_tree(0, leaves), words)
        loss = torch.nn.functional.cross_entropy(logits, target)
        loss.backward()
        optimizer.step()
        digest.add("losses", loss.item())
        seconds = time.perf_counter() - begin_s
        print(f"step {step} {seconds:.6f} s", flush=True)
    digest.add_model(net)
    if arguments.out:
        digest.write(arguments.out)


if __name__ == "__main__":
    main()
