"""Tells the plug-in when the script makes an optimizer."""

import functools

import torch

from stowage import _frames


def install():
    make = torch.optim.Optimizer.__init__

    @_frames.hidden
    @functools.wraps(make)
    def announced(self, *args, **kwargs):
        torch.ops.stowage.expect_optimizer()
        make(self, *args, **kwargs)

    torch.optim.Optimizer.__init__ = announced
