"""Pins tensors whose address leaves PyTorch.

`.numpy()`, DLPack and `data_ptr()` give the address to others, who would not
notice that the tensor moves. `torch.save` asks for addresses too, but only while
it runs: what it asks for is not pinned. Files get copies of the bytes, piece by
piece, since the kernel cannot write from the address of an evicted tensor.
"""

import contextlib
import functools
import threading

import torch

_PIECE_BYTES = 1 << 20

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


class _CopyingFile:
    """Hands a file copies of what is written. Has no `fileno`: with one, PyTorch
    would write to the descriptor itself."""

    def __init__(self, file):
        self._file = file

    def write(self, data):
        view = memoryview(data)
        for begin in range(0, len(view), _PIECE_BYTES):
            self._file.write(bytes(view[begin:begin + _PIECE_BYTES]))
        return len(view)

    def flush(self):
        self._file.flush()


def _opened(file):
    if torch.serialization._is_path(file):
        return open(file, "wb")
    return contextlib.nullcontext(file)


def _without_pinning(save):
    @functools.wraps(save)
    def saving(obj, f, *args, **kwargs):
        _saving.depth = getattr(_saving, "depth", 0) + 1
        try:
            with _opened(f) as file:
                return save(obj, _CopyingFile(file), *args, **kwargs)
        finally:
            _saving.depth -= 1

    return saving


def _through_a_buffer(save):
    @functools.wraps(save)
    def saving(module, f, **kwargs):
        data = module.save_to_buffer(**kwargs)
        with open(f, "wb") as file:
            file.write(data)

    return saving


def install():
    for name in ("numpy", "data_ptr", "__array__", "__dlpack__"):
        setattr(torch.Tensor, name, _pin_first(getattr(torch.Tensor, name)))
    torch.utils.dlpack.to_dlpack = _pin_first(torch.utils.dlpack.to_dlpack)
    torch.to_dlpack = torch.utils.dlpack.to_dlpack
    torch.save = _without_pinning(torch.save)
    scripted = torch.jit.RecursiveScriptModule
    scripted.save = _through_a_buffer(scripted.save)
