"""Lets the plug-in know that a module is called to evaluate: without gradients, and
by no other module. Losses, metrics and transforms have no parameters and do not count.
"""

import functools
import threading

import torch

from stowage import _frames, _steps


class _Calls(threading.local):
    within_module = False


def install():
    calls = _Calls()
    call = torch.nn.Module.__call__

    @_frames.hidden
    @functools.wraps(call)
    def announced(self, *args, **kwargs):
        if calls.within_module:
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
