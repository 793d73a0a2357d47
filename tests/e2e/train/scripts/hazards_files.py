"""Hazards: system calls on the bytes of tensors, wherever these are.

The tensors of each job outgrow the fast memory that it gets, so some of those
that files and sockets read from or write to are in the slow tier.
"""

import contextlib
import json
import mmap
import os
import socket
import subprocess
import sys
import tempfile
import threading

import numpy
import torch
from torch import multiprocessing, nn
from torch.distributed import rpc

from hazard import STEPS, hazard, hazard_if, main

WIDTH = 512
DEPTH = 6


def make_net():
    return nn.Sequential(*[nn.Linear(WIDTH, WIDTH) for _ in range(DEPTH)])


def train(net, optimizer, steps, digest):
    for _ in range(steps):
        optimizer.zero_grad()
        loss = net(torch.randn(64, WIDTH)).square().mean()
        loss.backward()
        optimizer.step()
        digest.add("losses", loss.item())


def make_training():
    net = make_net()
    return net, torch.optim.Adam(net.parameters(), lr=1e-3)


def add_training(digest, net, optimizer):
    digest.add_model(net)
    for state in optimizer.state_dict()["state"].values():
        for value in state.values():
            digest.add("optimizer", value)


def save(path, net, optimizer):
    torch.save({
        "net": net.state_dict(),
        "optimizer": optimizer.state_dict()
    }, path)


def load(path, net, optimizer):
    state = torch.load(path)
    net.load_state_dict(state["net"])
    optimizer.load_state_dict(state["optimizer"])


def in_folder(function):
    """Hands the hazard a path for its files."""

    def run(digest):
        with tempfile.TemporaryDirectory() as folder:
            function(digest, os.path.join(folder, "file"))

    run.__name__ = function.__name__
    return run


@hazard
def checkpoint(digest):
    """Trains and leaves a checkpoint where $CHECKPOINT says."""
    net, optimizer = make_training()
    train(net, optimizer, STEPS, digest)
    save(os.environ.get("CHECKPOINT", os.devnull), net, optimizer)


@hazard
@in_folder
def resumed(digest, path):
    """A process loads the checkpoint of another and trains on."""
    subprocess.run([sys.executable, sys.argv[0], "checkpoint", "--out", path + ".json"],
                   check=True,
                   env={**os.environ, "CHECKPOINT": path})
    with open(path + ".json", encoding="utf-8") as file:
        digest.add("before", json.load(file))
    net, optimizer = make_training()
    load(path, net, optimizer)
    train(net, optimizer, STEPS, digest)
    add_training(digest, net, optimizer)


@hazard
@in_folder
def best_weights(digest, path):
    """The best state is saved, loaded again in mid-training, and trained on."""
    net, optimizer = make_training()
    train(net, optimizer, STEPS, digest)
    save(path, net, optimizer)
    train(net, optimizer, 2, digest)
    load(path, net, optimizer)
    train(net, optimizer, STEPS, digest)
    add_training(digest, net, optimizer)


@hazard
@in_folder
def saved_first(digest, path):
    """Tensors are saved before anything else happens to them."""
    torch.save([torch.ones(WIDTH, WIDTH) * i for i in range(DEPTH)], path)
    for tensor in torch.load(path):
        digest.add("loaded", tensor)


@hazard
@in_folder
def saved_module_first(digest, path):
    """A scripted module saves them in the same way."""
    torch.jit.script(make_net()).save(path)
    for parameter in torch.jit.load(path).parameters():
        digest.add("loaded", parameter)


@hazard
@in_folder
def scripted(digest, path):
    """A scripted module is saved and loaded several times in mid-training."""
    net, optimizer = make_training()
    train(net, optimizer, STEPS, digest)
    torch.jit.save(torch.jit.script(net), path)
    loaded = [torch.jit.load(path) for _ in range(3)]
    train(net, optimizer, 2, digest)
    for module in loaded:
        digest.add_model(module)
    digest.add_model(net)


@hazard
@in_folder
def numpy_files(digest, path):
    """NumPy writes tensors to files and reads them back into others."""
    tensors = [torch.randn(WIDTH, WIDTH) for _ in range(3 * DEPTH)]
    for tensor in tensors:
        array = tensor.numpy()
        array.tofile(path)
        other = torch.empty_like(tensor)
        other.numpy()[:] = numpy.fromfile(path, array.dtype).reshape(array.shape)
        digest.add("copied", other)
        array[:] = 0
        with open(path, "rb", buffering=0) as file:
            digest.add("bytes", file.readinto(array))
    for tensor in tensors:
        digest.add("read", tensor)


@hazard
@in_folder
def mapped(digest, path):
    """Weights are views of a mapped file, as those of safetensors are."""
    net, optimizer = make_training()
    with open(path, "wb") as file:
        for parameter in net.parameters():
            file.write(memoryview(parameter.detach().numpy()))
    train(net, optimizer, STEPS, digest)
    with open(path, "rb") as file:
        view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    offset_bytes = 0
    for parameter in net.parameters():
        data = torch.frombuffer(view,
                                dtype=torch.float32,
                                count=parameter.numel(),
                                offset=offset_bytes).view_as(parameter)
        offset_bytes += data.numel() * 4
        parameter.data.copy_(data)
    train(net, optimizer, STEPS, digest)
    digest.add_model(net)


@hazard
def sockets(digest):
    """Weights go from tensor to tensor through a socket."""
    net, optimizer = make_training()
    other = make_net()
    near, far = socket.socketpair()

    def send():
        for parameter in net.parameters():
            near.sendall(memoryview(parameter.detach().numpy()))

    for _ in range(2):
        train(net, optimizer, 2, digest)
        sender = threading.Thread(target=send)
        sender.start()
        for parameter in other.parameters():
            view = memoryview(parameter.detach().numpy()).cast("B")
            while view:
                view = view[far.recv_into(view):]
        sender.join()
        digest.add_model(other)
    add_training(digest, net, optimizer)


def _serve(port):
    with _messages("server", 1, port):
        pass


@contextlib.contextmanager
def _messages(name, rank, port):
    """Sends and receives by torch.distributed.rpc, until both processes are done."""
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    rpc.init_rpc(name, rank=rank, world_size=2)
    yield
    rpc.shutdown()


@hazard_if(rpc.is_available())
def remote_calls(digest):
    """Weights go to another process and come back, in messages of a MiB and more."""
    net, optimizer = make_training()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(port,))
    server.start()
    with _messages("client", 0, port):
        for _ in range(2):
            train(net, optimizer, 2, digest)
            with torch.no_grad():
                for parameter in net.parameters():
                    parameter.copy_(rpc.rpc_sync("server", torch.mul, args=(parameter, 0.5)))
    server.join()
    add_training(digest, net, optimizer)


if __name__ == "__main__":
    main()
