"""Lets the plug-in see operators and classes of extensions before a script first uses them.

The plug-in sees new operators by itself when the next kernel begins (function_operators.h),
but one of them may be that kernel. Of new classes it is not told (custom_classes.h).
"""

import functools

import torch
from torch import _classes, _ops

from stowage import _frames

_CLASSES = "__torch__.torch.classes."


def _before(kind, see):
    """Calls see() before a namespace of this kind is asked for a name."""
    make = kind.__getattr__

    @_frames.hidden
    @functools.wraps(make)
    def seen(self, name):
        see(self, name)
        return make(self, name)

    kind.__getattr__ = seen


def _see_owners(see_class):
    """Sees the classes of objects that a script made before it attached."""
    method_type = torch._C.ScriptMethod
    call = method_type.__call__

    @_frames.hidden
    @functools.wraps(call)
    def seen(self, *args, **kwargs):
        kind = self.owner.qualified_name
        if kind.startswith(_CLASSES):
            see_class(kind)
            self = getattr(self.owner, self.name)  # which announces its calls
        return call(self, *args, **kwargs)

    method_type.__call__ = seen


def install():
    see_operators, see_class = torch.ops.stowage.see_operators, torch.ops.stowage.see_class
    _before(_ops._OpNamespace, lambda space, name: see_operators())
    _before(_classes._ClassNamespace,
            lambda space, name: see_class(f"{_CLASSES}{space.name}.{name}"))
    _see_owners(see_class)
