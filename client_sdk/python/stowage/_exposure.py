"""Pins tensors whose address leaves PyTorch.

`.numpy()`, DLPack and `data_ptr()` give the address to others, who would not
notice that the tensor moves. `torch.save` asks for addresses too, but only while
it runs: what it asks for is not pinned.
"""

import functools
import threading

import torch

_saving = threading.local()


def _pin(value):
    if isinstance(value, torch.Tensor) and value.device.type == "cpu":
        if not getattr(_saving, "depth", 0):
            torch.ops.stowage.pin(value)


def _pin_first(function):
    @functools.wraps(function)
    def pinned(value, *args, **kwargs):
        _pin(value)
        return function(value, *args, **kwargs)

    return pinned


def _without_pinning(function):
    @functools.wraps(function)
    def saving(*args, **kwargs):
        _saving.depth = getattr(_saving, "depth", 0) + 1
        try:
            return function(*args, **kwargs)
        finally:
            _saving.depth -= 1

    return saving


def install():
    for name in ("numpy", "data_ptr", "__array__", "__dlpack__"):
        setattr(torch.Tensor, name, _pin_first(getattr(torch.Tensor, name)))
    torch.utils.dlpack.to_dlpack = _pin_first(torch.utils.dlpack.to_dlpack)
    torch.to_dlpack = torch.utils.dlpack.to_dlpack
    torch.save = _without_pinning(torch.save)
