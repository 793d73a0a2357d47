"""Lets the plug-in know that a module is called to evaluate: without gradients, and
by no other module. Losses, metrics and transforms have no parameters and do not count.
"""

import functools
import sys
import threading

import torch

from stowage import _frames, _steps


class _Calls(threading.local):
    within_module = False


def _take_for_original(call):
    """Lets Dynamo, if it is loaded, take the function for PyTorch's own.

    It traces a module whose call was replaced in another way.
    """
    for name in ("torch._dynamo.utils", "torch._dynamo.variables.nn_module"):
        module = sys.modules.get(name)
        if hasattr(module, "unpatched_nn_module_call"):
            module.unpatched_nn_module_call = call


def install():
    calls = _Calls()
    call = torch.nn.Module.__call__
    is_traced = _frames.is_traced

    @_frames.hidden
    @functools.wraps(call)
    def announced(self, *args, **kwargs):
        if is_traced() or calls.within_module:
            return call(self, *args, **kwargs)
        if not torch.is_grad_enabled() and any(True for _ in self.parameters()):
            torch.ops.stowage.note_evaluation(id(self))
        _steps.poll()
        calls.within_module = True
        try:
            return call(self, *args, **kwargs)
        finally:
            calls.within_module = False

    torch.nn.Module.__call__ = announced
    _take_for_original(announced)
