"""Lets the plug-in see an operator of an extension before a script first calls it.

The plug-in sees new operators when the next kernel begins (function_operators.h). Some
library's may be the next kernel.
"""

import functools

import torch
from torch import _ops

from stowage import _frames


def install():
    see = torch.ops.stowage.see_operators
    make = _ops._OpNamespace.__getattr__

    @_frames.hidden
    @functools.wraps(make)
    def seen(self, name):
        see()
        return make(self, name)

    _ops._OpNamespace.__getattr__ = seen
