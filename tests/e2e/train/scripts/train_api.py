"""Trains a small network and uses the functions of the package stowage on the way.

    python3 train_api.py --out digest.json [--facts facts.json] [--steps 8] [--adam]
        [--keep LAYERS] [--keep-at STEP] [--replace] [--unmanaged MIB] [--phases]
        [--raises] [--evaluate] [--no-optimizer] [--compile]

--keep keeps the first so many layers in fast memory, --replace gives the first one
another storage half way. With --facts the file gets what on_step() was told, where the
kept weights were after each step, and what was caught.
"""

import argparse
import contextlib
import json
import sys
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).resolve().parents[4] / "client_sdk/python"))
import stowage

from digest import Digest

WIDTH = 512
LAYERS = 8


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--facts")
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--keep", type=int, default=0)
    parser.add_argument("--keep-at", type=int, default=0)
    parser.add_argument("--unmanaged", type=int, default=0)
    for flag in ("adam", "replace", "phases", "raises", "evaluate", "no-optimizer", "compile"):
        parser.add_argument("--" + flag, action="store_true")
    return parser.parse_args()


def place_of(tensor):
    """Returns the address and what is mapped there. Tells nobody the address."""
    base = getattr(torch._C, "TensorBase", None) or torch._C._TensorBase
    address = base.data_ptr(tensor)
    with open("/proc/self/maps", encoding="utf-8") as maps:
        for line in maps:
            begin, end = (int(part, 16) for part in line.split()[0].split("-"))
            if begin <= address < end:
                return [address, " ".join(line.split()[5:])]
    return [address, ""]


class Update:
    """SGD that no optimizer of torch.optim makes."""

    def __init__(self, net):
        self._net = net

    def zero_grad(self):
        self._net.zero_grad()

    def step(self):
        with torch.no_grad():
            for parameter in self._net.parameters():
                parameter -= 0.01 * parameter.grad


def make_update(net, options):
    if options.no_optimizer:
        return Update(net)
    if options.adam:
        return torch.optim.Adam(net.parameters(), lr=1e-3)
    return torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)


class Facts:

    def __init__(self, options):
        self._raises = options.raises
        self.steps, self.places, self.caught = [], [], []

    def note_step(self, step):
        self.steps.append(step)
        if self._raises and step["step"] == 3:
            raise KeyError("a logger failed")

    @contextlib.contextmanager
    def catching(self):
        try:
            yield
        except (KeyError, RuntimeError) as error:
            self.caught.append(str(error))

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            json.dump(vars(self), file)


def phase_of(options, index):
    if not options.phases:
        return contextlib.nullcontext()
    return stowage.phase("warmup" if index < 3 else "train")


def keep(layers, facts):
    with facts.catching():
        for layer in layers:
            assert stowage.keep_fast(layer) is layer


@stowage.never_manage()
def make_unmanaged(mib):
    return torch.randn(mib << 18)


def main():
    options = arguments()
    torch.manual_seed(7)
    facts, digest = Facts(options), Digest()
    stowage.on_step(facts.note_step)
    net = torch.nn.Sequential(*[torch.nn.Linear(WIDTH, WIDTH) for _ in range(LAYERS)])
    model = torch.compile(net) if options.compile else net
    update = make_update(net, options)
    extra = None
    for index in range(options.steps):
        if index == options.keep_at and options.keep:
            keep(net[:options.keep], facts)
        if index == options.steps // 2 and options.replace:
            net[0].weight.data = net[0].weight.data.clone()
        with phase_of(options, index), facts.catching():
            inputs = torch.randn(256, WIDTH)
            if options.unmanaged and extra is None:
                extra = make_unmanaged(options.unmanaged)
            update.zero_grad()
            loss = model(inputs).square().mean()
            if extra is not None:
                loss = loss + extra.sum() * 1e-9
            loss.backward()
            digest.add("losses", loss.item())
            update.step()
        facts.places.append([place_of(layer.weight) for layer in net[:options.keep]])
        if options.evaluate and index % 4 == 3:
            with stowage.phase("evaluation"), torch.no_grad():
                digest.add("scores", [net(inputs).sum().item() for _ in range(3)])
    digest.add_model(net)
    digest.write(options.out)
    if options.facts:
        facts.write(options.facts)


if __name__ == "__main__":
    main()
