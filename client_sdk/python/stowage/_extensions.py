"""Announces the calls of functions of C++ extensions.

pybind11 makes Python functions of C++ code, which takes the addresses of its tensors:
`torch.utils.cpp_extension`, DeepSpeed's optimizers for processors and others do so. No
operator tells what such code reads and writes. So each function of a module that was
built against PyTorch stands between two calls that tell the plug-in what it was given
and what it returned (extension_calls.h).

Operators that an extension registers with PyTorch are seen as any other. Tensors that an
object of the extension keeps are not seen: `stowage.pin()` is for these.

Under `stowage run` the preload library runs this file while the script imports PyTorch,
without the package (python_watch.h). So it imports neither before install().
"""

import functools
import importlib.machinery
import mmap
import os
import sys
import types

# Code that takes Python tensors refers to one of these: PyTorch's library for Python, its
# type of tensors, and what makes C++ tensors of them.
_MARKS = (b"libtorch_python", b"THPVariable", b"type_casterIN2at6Tensor")

# A list may contain itself.
_MOST_DEPTH = 8

_watching = False
_torch = None  # in an attached process


def _is_plain(tensor):
    """Returns whether the tensor has memory of its own, as no wrapper has."""
    functorch = getattr(_torch._C, "_functorch", None)
    return (type(tensor).__torch_dispatch__ is _torch.Tensor.__torch_dispatch__
            and not (functorch and functorch.is_functorch_wrapped_tensor(tensor)))


def _tensors_in(values, depth=_MOST_DEPTH):
    for value in values:
        if isinstance(value, _torch.Tensor):
            if _is_plain(value):
                yield value
        elif depth and isinstance(value, (list, tuple)):
            yield from _tensors_in(value, depth - 1)
        elif depth and isinstance(value, dict):
            yield from _tensors_in(value.values(), depth - 1)


def _call(function, arguments, options):
    if _torch is None:
        return function(*arguments, **options)
    given = list(_tensors_in((arguments, options)))
    name = "extension::" + function.__name__
    if not _torch.ops.stowage.begin_extension_call(name, given):
        return function(*arguments, **options)
    result = None
    try:
        result = function(*arguments, **options)
        return result
    finally:
        _torch.ops.stowage.end_extension_call(list(_tensors_in((result,))))


class _Function:
    """A function of an extension between its announcements.

    Not a Python function: a class that keeps one would make it a method.
    """

    def __init__(self, function):
        functools.update_wrapper(self, function)

    def __call__(self, *arguments, **options):
        return _call(self.__wrapped__, arguments, options)

    def __reduce__(self):
        return self.__name__


def _announced_method(method):
    @functools.wraps(method)
    def announced(*arguments, **options):
        return _call(method, arguments, options)

    return announced


def _announce_methods(kind):
    for name, value in list(vars(kind).items()):
        hidden = name.startswith("__") and name != "__call__"
        if type(value).__name__ == "instancemethod" and not hidden:
            setattr(kind, name, _announced_method(value))


def _announce(module):
    """Puts the announcements around the functions of a module and its submodules."""
    for name, value in list(vars(module).items()):
        if isinstance(value, types.BuiltinFunctionType):
            setattr(module, name, _Function(value))
        elif isinstance(value, type) and value.__module__ == module.__name__:
            _announce_methods(value)
        elif (isinstance(value, types.ModuleType)
              and value.__name__.startswith(module.__name__ + ".")):
            _announce(value)


def _takes_tensors(name, path):
    if name.partition(".")[0] in ("torch", "functorch"):
        return False
    with open(path, "rb") as file:
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as code:
            return any(code.find(mark) >= 0 for mark in _MARKS)


def watch():
    """Announces the functions of every extension that is loaded from now on."""
    global _watching
    if _watching:
        return
    _watching = True
    loader = importlib.machinery.ExtensionFileLoader
    execute = loader.exec_module

    @functools.wraps(execute)
    def execute_and_announce(self, module):
        execute(self, module)
        if _takes_tensors(self.name, self.path):
            _announce(module)

    loader.exec_module = execute_and_announce


def _announce_loaded():
    """Does so for modules that a script has loaded before it attached by hand."""
    for name, module in list(sys.modules.items()):
        loader = getattr(getattr(module, "__spec__", None), "loader", None)
        if (type(loader) is importlib.machinery.ExtensionFileLoader
                and _takes_tensors(name, loader.path)):
            _announce(module)


def install():
    global _torch
    import torch
    from stowage import _frames

    # All announced methods have one code.
    for function in (_call, _Function.__call__, _announced_method(install)):
        _frames.hidden(function)
    if not _watching:
        _announce_loaded()
    watch()
    _torch = torch
