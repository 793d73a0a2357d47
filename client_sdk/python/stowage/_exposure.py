"""Pins tensors whose address leaves PyTorch.

`.numpy()`, DLPack and `data_ptr()` give the address to others, who would not
notice that the tensor moves. An array tells when it dies; the others do not.
Storages' own functions give it as well, or write to it themselves. Some callers
of `data_ptr()` only want to know whether there is memory.

What saves and loads tensors needs addresses only while it runs. `torch.save` and
pickling pin nothing: files get copies of the bytes, piece by piece, since the
operating system cannot write from the address of an evicted tensor where nobody
serves its calls. Libraries that write from there have tensors stay where they are
meanwhile.
"""

import contextlib
import ctypes
import functools
import sys
import threading
import weakref

import torch

from stowage import _call_sites, _frames, _modules

_PIECE_BYTES = 1 << 20

# Functions, by module, that use the addresses of tensors and forget them.
_USING_BRIEFLY = {
    "safetensors.torch": ("save", "save_file", "save_model", "load_model",
                          "_find_shared_tensors"),
    "torch.export.pt2_archive._package": ("package_pt2",),
    "transformers.modeling_utils": ("_find_disjoint", "_find_identical"),
}

_no_overrides = getattr(torch._C, "DisableTorchFunctionSubclass", torch._C.DisableTorchFunction)
_unpinned = threading.local()
_held = threading.local()


@_frames.hidden
def _is_told(value):
    return (isinstance(value, torch.Tensor) and value.device.type == "cpu"
            and not getattr(_unpinned, "depth", 0))


@_frames.hidden
def _pin(value):
    with _no_overrides():  # of subclasses, which need not know our operators
        if not _is_told(value):
            return
        views = getattr(_held, "views", None)
        if views is None:
            torch.ops.stowage.pin(value)
        else:
            views.append(torch.ops.stowage.hold(value))


def _pin_while_it_lives(make_array):
    """Makes `make_array` pin its tensor while the array lives.

    All arrays that NumPy makes of one keep it alive.
    """

    @_frames.hidden
    @functools.wraps(make_array)
    def pinned(tensor, *args, **kwargs):
        with _no_overrides():
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


def _pin_if_used(method):
    """Makes `method` pin its tensor, unless the caller asks only whether it has memory."""
    address_of = getattr(torch.Tensor, method)

    @_frames.hidden
    @functools.wraps(address_of)
    def data_ptr(tensor):
        if not _call_sites.tests_truth(sys._getframe(1), method):
            _pin(tensor)
        return address_of(tensor)

    return data_ptr


def _telling(function):
    """Tells that the storage may be written when `function` has returned, or by it.

    A storage's address also serves as its name (transformers, safetensors), so it pins
    nothing: who writes there does so before the next operator. FSDP only asks whether
    there is memory.
    """

    @_frames.hidden
    @functools.wraps(function)
    def telling(storage, *args, **kwargs):
        asks = _call_sites.tests_truth(sys._getframe(1), "data_ptr")
        if storage.device.type == "cpu" and not asks:
            reads = getattr(_unpinned, "depth", 0) or hasattr(_held, "views")
            torch.ops.stowage.tell_address(storage._cdata, not reads)
        return function(storage, *args, **kwargs)

    return telling


def _holding(use):
    """Lets tensors whose address `use` asks for stay where they are until it returns."""

    @_frames.hidden
    @functools.wraps(use)
    def holding(*args, **kwargs):
        if hasattr(_held, "views"):
            return use(*args, **kwargs)
        _held.views = []
        try:
            return use(*args, **kwargs)
        finally:
            views = _held.views
            del _held.views
            for view in views:
                torch.ops.stowage.unpin(view)

    return holding


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


def _hold_briefly(module):
    for name in _USING_BRIEFLY[module.__name__]:
        function = getattr(module, name, None)
        if function is not None:
            _replace(function, _holding(function))


def _system_calls_are_served():
    """Returns whether the preload library is loaded, so that files take evicted tensors."""
    return hasattr(ctypes.CDLL(None), "stowage_add_slow_range")


def _hide_exchange_in_c(tensor_type):
    """Hides functions in C, which pin nothing, so that libraries call `__dlpack__()`."""
    if "__dlpack_c_exchange_api__" in vars(tensor_type):
        del tensor_type.__dlpack_c_exchange_api__


def install():
    # Tensor.__array__ calls numpy().
    torch.Tensor.numpy = _pin_while_it_lives(torch.Tensor.numpy)
    for name in ("data_ptr", "const_data_ptr"):
        if hasattr(torch.Tensor, name):
            setattr(torch.Tensor, name, _pin_if_used(name))
    torch.Tensor.__dlpack__ = _pin_first(torch.Tensor.__dlpack__)
    _hide_exchange_in_c(torch.Tensor)
    read_only = getattr(torch.utils.dlpack, "ReadOnlyTensorWrapper", None)
    if read_only is not None:
        _hide_exchange_in_c(read_only)
        read_only._DLPACK_ALLOWED |= {torch.Tensor.__dlpack__}
    for name in ("data_ptr", "fill_", "byteswap", "__setitem__"):
        if hasattr(torch.UntypedStorage, name):
            setattr(torch.UntypedStorage, name,
                    _telling(getattr(torch.UntypedStorage, name)))
    if _system_calls_are_served():
        for name in _USING_BRIEFLY:
            _modules.when_loaded(name, _hold_briefly)
    to_dlpack, save = torch.utils.dlpack.to_dlpack, torch.save
    _replace(to_dlpack, _pin_first(to_dlpack))
    _replace(save, _from_copies(save))
    torch.Tensor._reduce_ex_internal = _without_pinning(
        torch.Tensor._reduce_ex_internal)
    scripted = torch.jit.RecursiveScriptModule
    scripted.save = _through_a_buffer(scripted.save)
