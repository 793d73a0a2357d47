"""Lets a script say where tensors are to be, or that Stowage is not to manage them."""

import contextlib
import weakref

import torch

from stowage import _plugin, _steps

_kept = []  # weak references to tensors and modules
_subscription = None


def pin(tensor):
    """Keeps a tensor in fast memory, at one address, from now on.

    Call it before others learn the address in a way that Stowage does not see. Does
    nothing without Stowage.
    """
    if not _plugin.is_silent():
        torch.ops.stowage.pin(tensor)


def keep_fast(tensor_or_module):
    """Keeps a tensor, or the parameters and buffers of a module, in fast memory.

    They count against the limit, and plans and demand mode leave them there. It holds
    for storages that take their place, too (`.data = ...`, `module.to(...)`), from the
    end of the step on. Gradients, activations and the state of optimizers are moved as
    before; keep the tensors themselves if you want them kept. Returns its argument.

    Under a limit in percent they are kept from the second step on.

    Raises RuntimeError if the limit has no room for them; under a limit in percent,
    the next operator does, once the limit is known. Does nothing without Stowage.
    """
    global _subscription
    if _plugin.is_silent():
        return tensor_or_module
    torch.ops.stowage.keep_fast(_tensors_of(tensor_or_module), False)
    _kept.append(weakref.ref(tensor_or_module))
    if _subscription is None:
        _subscription = _steps.listen(lambda steps: _keep_again())
    return tensor_or_module


def _tensors_of(tensor_or_module):
    if isinstance(tensor_or_module, torch.nn.Module):
        return [*tensor_or_module.parameters(), *tensor_or_module.buffers()]
    return [tensor_or_module]


def _keep_again():
    """Keeps storages that were put in the place of others."""
    _kept[:] = [reference for reference in _kept if reference() is not None]
    tensors = [tensor for reference in _kept for tensor in _tensors_of(reference())]
    torch.ops.stowage.keep_fast(tensors, True)


@contextlib.contextmanager
def never_manage():
    """Has the tensors that this thread makes within it come from the C library.

    They never move. They count against the limit, as small tensors do, with an eighth
    more. Also a decorator. Does nothing without Stowage, and in functions that
    torch.compile compiles.

    Raises RuntimeError where a tensor is made for which the limit has no room.
    """
    if _plugin.is_silent():
        yield
        return
    managed = torch.ops.stowage.set_managing(False)
    try:
        yield
    finally:
        torch.ops.stowage.set_managing(managed)
