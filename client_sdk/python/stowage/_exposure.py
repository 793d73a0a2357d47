"""Pins tensors whose address leaves PyTorch.

`.numpy()`, DLPack and `data_ptr()` give the address to others, who would not
notice that the tensor moves. An array tells when it dies; the others do not.
Storages' own functions give it as well, or write to it themselves.
`torch.save` and pickling need addresses only while they run, so they pin
nothing. Files get copies of the bytes, piece by piece: the operating system
cannot write from the address of an evicted tensor.
"""

import contextlib
import functools
import sys
import threading
import weakref

import torch

from stowage import _frames

_PIECE_BYTES = 1 << 20

_unpinned = threading.local()
_address_of = torch.UntypedStorage.data_ptr


@_frames.hidden
def _is_told(value):
    return (isinstance(value, torch.Tensor) and value.device.type == "cpu"
            and not getattr(_unpinned, "depth", 0))


@_frames.hidden
def _pin(value):
    if _is_told(value):
        torch.ops.stowage.pin(value)


def _pin_while_it_lives(make_array):
    """Makes `make_array` pin its tensor while the array lives.

    All arrays that NumPy makes of one keep it alive.
    """

    @_frames.hidden
    @functools.wraps(make_array)
    def pinned(tensor, *args, **kwargs):
        view = torch.ops.stowage.pin_view(tensor) if _is_told(tensor) else 0
        array = None
        try:
            array = make_array(tensor, *args, **kwargs)
        finally:
            if view and array is None:
                torch.ops.stowage.unpin(view)
        if view:
            weakref.finalize(array, torch.ops.stowage.unpin, view).atexit = False
        return array

    return pinned


def _pin_first(function):
    @_frames.hidden
    @functools.wraps(function)
    def pinned(value, *args, **kwargs):
        _pin(value)
        return function(value, *args, **kwargs)

    return pinned


def _writing_unseen(function):
    """Tells that the storage may be written when `function` has returned, or by it.

    A storage's address also serves as its name (transformers, safetensors), so it pins
    nothing: who writes there does so before the next operator.
    """

    @_frames.hidden
    @functools.wraps(function)
    def writing(storage, *args, **kwargs):
        if storage.device.type == "cpu" and not getattr(_unpinned, "depth", 0):
            torch.ops.stowage.note_unseen_write(_address_of(storage))
        return function(storage, *args, **kwargs)

    return writing


@contextlib.contextmanager
def _no_pins():
    _unpinned.depth = getattr(_unpinned, "depth", 0) + 1
    try:
        yield
    finally:
        _unpinned.depth -= 1


def _without_pinning(function):
    @_frames.hidden
    @functools.wraps(function)
    def unpinned(*args, **kwargs):
        with _no_pins():
            return function(*args, **kwargs)

    return unpinned


class _CopyingFile:
    """Writes copies of the data to a file.

    Has no `fileno`: with one, PyTorch would write to the descriptor itself.
    """

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


def _from_copies(save):
    @_frames.hidden
    @functools.wraps(save)
    def saving(obj, f, *args, **kwargs):
        with _no_pins(), _opened(f) as file:
            return save(obj, _CopyingFile(file), *args, **kwargs)

    return saving


def _through_a_buffer(save):
    @_frames.hidden
    @functools.wraps(save)
    def saving(module, f, **kwargs):
        data = module.save_to_buffer(**kwargs)
        with open(f, "wb") as file:
            file.write(data)

    return saving


def _replace(function, replacement):
    """Replaces a function in every module.

    Scripts import functions by name before they attach.
    """
    for module in list(sys.modules.values()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if value is function:
                setattr(module, name, replacement)


def install():
    # Tensor.__array__ calls numpy().
    torch.Tensor.numpy = _pin_while_it_lives(torch.Tensor.numpy)
    for name in ("data_ptr", "__dlpack__"):
        setattr(torch.Tensor, name, _pin_first(getattr(torch.Tensor, name)))
    for name in ("data_ptr", "fill_", "byteswap", "__setitem__"):
        if hasattr(torch.UntypedStorage, name):
            setattr(torch.UntypedStorage, name,
                    _writing_unseen(getattr(torch.UntypedStorage, name)))
    to_dlpack, save = torch.utils.dlpack.to_dlpack, torch.save
    _replace(to_dlpack, _pin_first(to_dlpack))
    _replace(save, _from_copies(save))
    torch.Tensor._reduce_ex_internal = _without_pinning(
        torch.Tensor._reduce_ex_internal)
    scripted = torch.jit.RecursiveScriptModule
    scripted.save = _through_a_buffer(scripted.save)
