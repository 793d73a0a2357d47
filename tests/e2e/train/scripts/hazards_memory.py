"""Hazards: memory that is seen, shared or changed behind PyTorch's operators."""

import copy
import ctypes
import io
import os
import pickle
import tempfile

import numpy
import torch
from torch import nn
from torch.utils.dlpack import from_dlpack, to_dlpack

from hazard import (BATCH, STEPS, hazard, hazard_if, loss_of, main, make_batch, make_layers,
                    make_layers_batch, make_net, sgd, storage_of, train_step)


def train_with(digest, between):
    """Trains; calls between(step, net) before each step."""
    net = make_net()
    optimizer = sgd(net)
    for step in range(STEPS):
        between(step, net)
        train_step(net, optimizer, make_batch(), digest)
    digest.add_model(net)
    return net


@hazard
def numpy_view(digest):
    """A NumPy array of a weight is kept, read and written all along."""
    kept = {}

    def between(step, net):
        if step == 0:
            kept["weight"] = net[7].weight.detach().numpy()
        kept["weight"] *= 0.99
        digest.add("seen", float(kept["weight"].sum()))

    net = train_with(digest, between)
    digest.add("alias",
               bool((kept["weight"] == net[7].weight.detach().numpy()).all()))


@hazard
def numpy_view_of_activation(digest):
    """Arrays of activations outlive the tensors they came from."""
    arrays = []

    def hook(unused_module, unused_inputs, output):
        arrays.append(output.detach().numpy())

    net = make_net()
    net[3].register_forward_hook(hook)
    optimizer = sgd(net)
    for _ in range(STEPS):
        train_step(net, optimizer, make_batch(), digest)
    for array in arrays:
        digest.add("arrays", float(array.astype(numpy.float64).sum()))


@hazard
def from_numpy(digest):
    """The inputs are memory that NumPy owns and refills."""
    inputs = numpy.zeros((BATCH, 3, 32, 32), numpy.float32)
    tensor = torch.from_numpy(inputs)
    _, target = make_batch()
    net = make_net()
    optimizer = sgd(net)
    for step in range(STEPS):
        inputs[:] = numpy.sin(numpy.arange(inputs.size) * (step + 1)).reshape(
            inputs.shape)
        train_step(net, optimizer, (tensor, target), digest)
    digest.add_model(net)


def train_layers(digest, change):
    """Trains weights that a plan moves out and in; calls change(net) after each step."""
    net = make_layers()
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(4 * STEPS):
        train_step(net, optimizer, make_layers_batch(256), digest)
        change(net)
    digest.add_model(net)


@hazard
def storage_address(digest):
    """C code writes to every weight, at addresses that storages tell."""
    c_library = ctypes.CDLL(None)

    def change(net):
        for parameter in net.parameters():
            address = ctypes.c_void_p(storage_of(parameter).data_ptr())
            c_library.memset(address, 0, min(4096, 4 * parameter.numel()))

    train_layers(digest, change)


@hazard
def storage_filled(digest):
    """Storages of weights are assigned to and filled, which no operator does."""

    def change(net):
        for layer in net[::2]:
            storage_of(layer.weight)[7] = 7
        storage_of(net[4].weight).fill_(0)

    train_layers(digest, change)


def train_at_address(digest, address_of):
    kept = {}

    def between(step, net):
        weight = net[7].weight
        if step == 0:
            kept["array"] = (ctypes.c_float * weight.numel()).from_address(
                address_of(weight))
        digest.add("seen", sum(kept["array"][:64]))
        kept["array"][5] = 0.25

    net = train_with(digest, between)
    kept["array"][7] = 0.5
    digest.add("written", net[7].weight[0, 7].item())


@hazard
def data_ptr(digest):
    """An address taken in the first step is read and written in later ones."""
    train_at_address(digest, lambda weight: weight.data_ptr())


@hazard_if(hasattr(torch.Tensor, "const_data_ptr"))
def const_data_ptr(digest):
    """The same with an address that is only to be read, PyTorch says."""
    train_at_address(digest, lambda weight: weight.const_data_ptr())


def address_for_libraries(tensor):
    """Returns the address as libraries get it that exchange tensors by DLPack in C."""
    pointer_in = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_in.restype = ctypes.c_void_p
    pointer_in.argtypes = [ctypes.py_object, ctypes.c_char_p]
    exchange = getattr(type(tensor), "__dlpack_c_exchange_api__", None)
    if exchange is None:
        capsule = tensor.__dlpack__()  # owns a DLManagedTensor, which begins with the address
        return ctypes.c_void_p.from_address(pointer_in(capsule, b"dltensor")).value
    # Behind a version and an older table are the functions: the first allocates.
    table = pointer_in(exchange, b"dlpack_exchange_api")
    export = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p))(
        ctypes.c_void_p.from_address(table + 24).value)
    managed = ctypes.c_void_p()
    assert export(tensor, ctypes.byref(managed)) == 0
    # A DLManagedTensorVersioned has four fields before its tensor.
    return ctypes.c_void_p.from_address(managed.value + 32).value


@hazard
def dlpack_in_c(digest):
    """The same with the address that a library in C gets, and keeps."""
    train_at_address(digest, lambda weight: address_for_libraries(weight.detach()))


class Strict(torch.Tensor):
    """Takes part in nothing but what gives its address."""

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        name = getattr(function, "__name__", "")
        assert name in ("numpy", "data_ptr", "detach"), name
        return super().__torch_function__(function, types, args, kwargs or {})


@hazard
def strict_subclass(digest):
    """A class of tensors refuses what it does not know, as read-only ones do."""

    def between(step, net):
        strict = net[7].weight.detach().as_subclass(Strict)
        digest.add("seen", (strict.data_ptr() != 0, float(strict.numpy()[step].sum())))

    train_with(digest, between)


@hazard
def data_ptr_within_operator(digest):
    """An operator takes its operand's address while it runs, for later."""
    kept = {}

    def first_of(weight):
        kept.setdefault(
            "array", (ctypes.c_float * weight.numel()).from_address(
                weight.data_ptr()))
        return weight.sum()

    library = torch.library.Library("hazard", "DEF")
    library.define("first_of(Tensor weight) -> Tensor")
    library.impl("first_of", first_of, "CPU")

    def between(step, net):
        digest.add("sum", torch.ops.hazard.first_of(net[7].weight.detach()))
        digest.add("seen", sum(kept["array"][:64]))
        kept["array"][step] = 0.25

    net = train_with(digest, between)
    digest.add("alias", list(kept["array"]) == net[7].weight.flatten().tolist())


@hazard
def dlpack_imported_by_name(digest):
    """The function was imported before the process attached."""
    kept = {}

    def between(step, net):
        if step == 0:
            kept["alias"] = from_dlpack(to_dlpack(net[7].weight.detach()))
        kept["alias"].mul_(0.99)

    net = train_with(digest, between)
    digest.add("alias", torch.equal(kept["alias"], net[7].weight))


@hazard
def dlpack(digest):
    """A DLPack alias is used beside the tensor."""
    kept = {}

    def between(step, net):
        if step == 0:
            capsule = torch.utils.dlpack.to_dlpack(net[7].weight.detach())
            kept["alias"] = torch.utils.dlpack.from_dlpack(capsule)
            kept["array"] = numpy.from_dlpack(net[9].weight.detach())
        kept["alias"].mul_(0.99)
        digest.add("seen", float(kept["array"].sum()))

    net = train_with(digest, between)
    digest.add("alias", torch.equal(kept["alias"], net[7].weight))


@hazard
def sparse_tensor(digest):
    """The address of a sparse tensor's values is taken while kernels use it."""
    graph = torch.randn(512, 512).relu().to_sparse()
    dense = torch.randn(512, 256)
    digest.add("address", graph._values().data_ptr() != 0)

    def between(step, net):
        del step, net
        digest.add("product", torch.sparse.mm(graph, dense))

    train_with(digest, between)
    digest.add("values", graph._values())


@hazard
def views(digest):
    """Strided views, in-place updates through them, tied weights, out=."""
    table = torch.arange(1 << 18, dtype=torch.float32)
    window = table.view(512, 512)[3:, ::2].t()
    out = torch.empty(0)

    def between(step, net):
        del net
        window.mul_(1.0 + 1.0 / (step + 2))
        torch.matmul(table.view(512, 512),
                     table.view(512, 512)[:, :64],
                     out=out)
        digest.add("out", out)

    train_with(digest, between)
    digest.add("table", table)


@hazard
def resize(digest):
    """A storage that grows and shrinks while it holds data."""
    buffer = torch.ones(1 << 18)

    def between(step, net):
        del net
        before = buffer[:1 << 16].clone()
        buffer.resize_((1 << 18) + (step % 3) * (1 << 17))
        digest.add("kept", torch.equal(before, buffer[:1 << 16]))
        buffer.fill_(step)

    train_with(digest, between)


@hazard
def set_data(digest):
    """Weights are exchanged under the parameters: p.data, set_."""

    def between(step, net):
        net[7].weight.data = net[7].weight.data.clone() * 0.9
        if step == 3:
            with torch.no_grad():
                net[9].weight.set_(net[9].weight.detach().clone())

    train_with(digest, between)


@hazard
def shared_memory(digest):
    """The weights move to shared memory in the middle."""

    def between(step, net):
        if step == 3:
            net.share_memory()

    train_with(digest, between)


@hazard
def save_and_load(digest):
    """A checkpoint is written and read back in the middle."""

    def between(step, net):
        if step != 3:
            return
        file = io.BytesIO()
        torch.save(net.state_dict(), file)
        digest.add("size", file.tell())
        for parameter in net.parameters():
            parameter.data.zero_()
        file.seek(0)
        net.load_state_dict(torch.load(file))

    train_with(digest, between)


@hazard
def pickled(digest):
    """The weights are pickled after each step."""

    def between(step, net):
        held = pickle.loads(pickle.dumps(net.state_dict()))
        digest.add("held", str(step))
        for tensor in held.values():
            digest.add("held", tensor)

    train_with(digest, between)


def saved(net, path, how):
    """Returns what a checkpoint in a file holds."""
    if how == "module":
        torch.jit.save(torch.jit.script(net), path)
        return torch.jit.load(path).state_dict()
    if how == "open file":
        with open(path, "wb") as file:
            torch.save(net.state_dict(), file)
    else:
        torch.save(net.state_dict(), path,
                   _use_new_zipfile_serialization=how != "old format")
    return torch.load(path)


@hazard
def checkpoints(digest):
    """Evicted weights are written to files, in every way there is."""
    net = nn.Sequential(*[nn.Linear(512, 512) for _ in range(8)])
    optimizer = sgd(net)
    ways = ("path", "open file", "old format", "module")
    with tempfile.TemporaryDirectory() as folder:
        for step in range(STEPS):
            optimizer.zero_grad()
            loss = net(torch.randn(BATCH, 512)).square().mean()
            loss.backward()
            optimizer.step()
            how = ways[step % len(ways)]
            held = saved(net, os.path.join(folder, "net.pt"), how)
            for tensor in held.values():
                digest.add(how, tensor)
    digest.add_model(net)


@hazard
def copies(digest):
    """An average of the weights is kept in a deep copy."""
    kept = {}

    def between(step, net):
        if step == 0:
            kept["average"] = copy.deepcopy(net)
        for mine, other in zip(kept["average"].parameters(), net.parameters()):
            mine.data.mul_(0.9).add_(other.data, alpha=0.1)

    train_with(digest, between)
    digest.add_model(kept["average"])


@hazard
def growing(digest):
    """Every step leaves more tensors behind than the one before."""
    kept = []
    train_with(digest,
               lambda step, net: kept.append(net[0](make_batch()[0]).detach()))
    for tensor in kept:
        digest.add("kept", tensor)


@hazard
def mkldnn(digest):
    """Opaque oneDNN tensors, which have no storage."""

    def between(step, net):
        del step, net
        opaque = torch.randn(4, 64, 64, 64).to_mkldnn()
        digest.add("dense", torch.relu(opaque).to_dense())

    train_with(digest, between)


@hazard
def exception(digest):
    """Forward and backward fail in the middle, and the script goes on."""
    net = make_net()
    optimizer = sgd(net)

    def explode(*unused):
        raise RuntimeError("on purpose")

    for step in range(STEPS):
        if step in (2, 4):
            module = net[6] if step == 2 else net[3]
            hook = (module.register_forward_hook(explode) if step == 2 else
                    module.register_full_backward_hook(explode))
            try:
                loss_of(net, make_batch()).backward()
            except RuntimeError as error:
                digest.add("error", str(error)[:10])
            hook.remove()
        train_step(net, optimizer, make_batch(), digest)
    digest.add_model(net)


@hazard
def many_lifetimes(digest):
    """Tensors of many sizes that live for different numbers of steps."""
    kept = []

    def between(step, net):
        del net
        kept[:] = kept[len(kept) // 2:]
        for index in range(8):
            kept.append(torch.full(((index + 1) << (14 + step % 3),),
                                   step + .5))
        digest.add("kept", sum(t.double().sum().item() for t in kept))

    train_with(digest, between)


@hazard
def empty_tensors(digest):
    """Tensors of no bytes, scalars, and one-byte tensors."""

    def between(step, net):
        del net
        empty = torch.empty(0, 5)
        digest.add("empty", torch.cat([empty, torch.full((2, 5), step + 0.)]))
        digest.add("bytes", torch.ones(step + 1, dtype=torch.bool))
        digest.add("scalar", torch.tensor(step) * 2)

    train_with(digest, between)
    digest.add("linear", nn.Linear(4, 0)(torch.ones(2, 4)))


if __name__ == "__main__":
    main()
