"""Hides functions that stand in front of PyTorch's own from torch.compile.

    @_frames.hidden
    @functools.wraps(call)
    def announced(self, *args, **kwargs):
        ...

PyTorch's functions are on a list of code that Dynamo does not compile by itself, while
what they call may be. A function in front of one must be treated in the same way: else
other parts of a script are compiled than without Stowage, and sums are added up in
another order. Where a compiled function calls it, Dynamo traces through it all the same:
what it does there must be what PyTorch's function does.

    if _frames.is_traced():
        return call(self, *args, **kwargs)
"""

import torch


def _skip(frames, code):
    if hasattr(frames, "skip_code"):  # in 2.6
        frames.skip_code(code)
    else:
        frames.set_code_exec_strategy(code, frames._FrameExecStrategy(
            frames._FrameAction.SKIP, frames._FrameAction.DEFAULT))


def _never():
    return False


# Returns whether Dynamo traces the caller; Dynamo knows the answer when it does.
is_traced = torch.compiler.is_dynamo_compiling if hasattr(torch, "compiler") else _never


def hidden(function):
    if hasattr(torch._C, "_dynamo"):
        _skip(torch._C._dynamo.eval_frame, function.__code__)
    return function
