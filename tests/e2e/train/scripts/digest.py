"""Hashes what a training run computed: equal hashes mean equal bits.

    digest = Digest()
    digest.add("loss", loss)
    digest.add_model(net)
    digest.write("out.json")
"""

import hashlib
import json

import torch


class Digest:
    """SHA-256 by name, in the order in which values are added."""

    def __init__(self):
        self._hashes = {}
        self._skipped = {}

    def skip(self, reason):
        """Notes why PyTorch cannot run this here, without Stowage neither."""
        self._skipped = {"skipped": reason}

    def add(self, name, value):
        """`value`: a tensor, or anything that repr() shows exactly."""
        self._hash(name).update(_bytes(value))

    def add_model(self, net):
        for parameter in net.parameters():
            self.add("weights", parameter)
            if parameter.grad is not None:
                self.add("gradients", parameter.grad)
        for buffer in net.buffers():
            self.add("buffers", buffer)

    def values(self):
        return {name: h.hexdigest() for name, h in self._hashes.items()} | self._skipped

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.values(), file, indent=2)

    def _hash(self, name):
        return self._hashes.setdefault(name, hashlib.sha256())


def _bytes(value):
    if not isinstance(value, torch.Tensor):
        return repr(value).encode()
    dense = value.detach()
    if dense.is_sparse:
        dense = dense.to_dense()
    return dense.contiguous().view(-1).view(torch.uint8).numpy().tobytes()
