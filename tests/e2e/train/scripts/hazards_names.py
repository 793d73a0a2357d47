"""Hazards: programs that take the addresses of storages for their names.

Two tensors that have one name share memory, they think. The tensors of each job outgrow
the fast memory that it gets, so they move, and leave their addresses to others.
"""

import ctypes
import importlib.util
import os
import tempfile

import torch

from hazard import (STEPS, hazard, hazard_if, loss_of, main, make_layers, make_layers_batch,
                    storage_of, train_step)

HAS_EXPORT = hasattr(torch, "export")
HAS_SAFETENSORS = importlib.util.find_spec("safetensors") is not None
if HAS_SAFETENSORS:
    from safetensors.torch import load_file, load_model, save_file, save_model


def train_and_save(digest, save):
    """Trains; calls save(net, tensors), with the optimizer's among them, now and then."""
    net = make_layers()
    optimizer = torch.optim.Adam(net.parameters())
    for step in range(3 * STEPS):
        train_step(net, optimizer, make_layers_batch(256), digest)
        if step % 4 == 3:
            states = optimizer.state_dict()["state"]
            moments = {"%s.%d" % (name, i): value for i, state in states.items()
                       for name, value in state.items()}
            save(net, {**net.state_dict(), **moments})
    digest.add_model(net)


@hazard
def saved_by_address(digest):
    """A saver writes each storage once, and reads it behind its address."""

    def save(net, tensors):
        del net
        storages = {}
        for tensor in tensors.values():
            name = storage_of(tensor).data_ptr()
            begin = tensor.data_ptr()
            digest.add("offset", begin - name)
            storages.setdefault(name, (begin, tensor.numel() * tensor.element_size()))
        digest.add("storages", len(storages))
        for begin, size in storages.values():
            data = (ctypes.c_ubyte * size).from_address(begin)
            digest.add("bytes", torch.frombuffer(bytearray(data), dtype=torch.uint8))

    train_and_save(digest, save)


@hazard
def saved_once_for_backward(digest):
    """Hooks keep each tensor that autograd saves once, by its storage's name."""
    net = make_layers()
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(3 * STEPS):
        kept = {}

        def pack(tensor):
            name = (storage_of(tensor).data_ptr(), tensor.shape, tensor.stride())
            kept.setdefault(name, tensor)
            return name

        optimizer.zero_grad()
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda name: kept[name]):
            loss = loss_of(net, make_layers_batch(256))
        loss.backward()
        optimizer.step()
        digest.add("losses", loss.item())
        digest.add("kept", len(kept))
    digest.add_model(net)


def add_file(digest, path):
    with open(path, "rb") as file:
        digest.add("file", torch.frombuffer(bytearray(file.read()), dtype=torch.uint8))


@hazard_if(HAS_EXPORT)
def exported(digest):
    """Weights that training has changed are saved as a program, and loaded."""
    inputs, _ = make_layers_batch(256)

    def save(net, tensors):
        del tensors
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "net.pt2")
            torch.export.save(torch.export.export(net, (inputs,)), path)
            digest.add_model(torch.export.load(path).module())

    train_and_save(digest, save)


@hazard
def asked_for_memory(digest):
    """A program asks of each tensor whether it has memory."""

    def save(net, tensors):
        del net
        some = [tensor for tensor in tensors.values() if tensor.data_ptr()]
        none = [tensor for tensor in tensors.values() if tensor.data_ptr() == 0]
        digest.add("counts", (len(some), len(none)))

    train_and_save(digest, save)


@hazard_if(HAS_SAFETENSORS)
def safetensors(digest):
    """Weights and an optimizer's state are saved and loaded as Hugging Face's libraries do."""

    def save(net, tensors):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "net.safetensors")
            save_file(tensors, path)
            add_file(digest, path)
            for name, value in load_file(path).items():
                digest.add(name, value)
            save_model(net, path)
            load_model(net, path)
            add_file(digest, path)

    train_and_save(digest, save)


if __name__ == "__main__":
    main()
