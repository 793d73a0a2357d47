"""Announces operators of extensions that run before the hook's turn comes.

An operator that is nothing but a function (`library.def("name", &function)`, as those of
torch_scatter are) is to PyTorch a composite of others: it calls the function before its
backends are asked for, and the hook stands among these. The function may take addresses all
the same. So a call from Python is announced as that of any function of an extension is.
"""

import functools

import torch
from torch import _ops

from stowage import _extensions, _frames

# PyTorch's own are composites indeed, and Stowage's take no addresses.
_KNOWN = {"aten", "inductor", "mkldnn", "quantized", "sparse", "stowage", "_native_aot", "_test"}


def _is_function(name):
    if name.partition("::")[0] in _KNOWN:
        return False
    try:
        return torch._C._dispatch_has_kernel_for_dispatch_key(name, "CompositeImplicitAutograd")
    except RuntimeError:
        return False  # an instruction of TorchScript


def _announce(operator, name):
    if not isinstance(operator._op, _extensions.Announced):
        operator._op = _extensions.Announced(name, operator._op)


def _announce_packet(packet):
    """Announces calls of an operator that chooses the overload by its arguments."""
    name = packet._qualified_op_name
    overloads = packet.overloads()
    if any(_is_function(name if o == "default" else f"{name}.{o}") for o in overloads):
        _announce(packet, name)
        torch.jit._builtins._register_builtin(packet._op, name)


def _announce_overload(overload):
    if _is_function(overload.name()):
        _announce(overload, overload.name())


def _announce_made(value):
    if isinstance(value, _ops.OpOverloadPacket):
        _announce_packet(value)
        for overload in vars(value).values():
            _announce_made(overload)
    elif isinstance(value, _ops.OpOverload):
        _announce_overload(value)


def _announce_new(kind):
    """Announces what this class makes when a script first asks for it."""
    make = kind.__getattr__

    @_frames.hidden
    @functools.wraps(make)
    def announced(self, name):
        value = make(self, name)
        _announce_made(value)
        return value

    kind.__getattr__ = announced


def install():
    for namespace in vars(torch.ops).values():
        if isinstance(namespace, _ops._OpNamespace):
            for value in list(vars(namespace).values()):
                _announce_made(value)
    _announce_new(_ops._OpNamespace)
    _announce_new(_ops.OpOverloadPacket)
