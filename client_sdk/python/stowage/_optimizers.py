"""Tells the plug-in when the script makes an optimizer."""

import functools

import torch


def install():
    make = torch.optim.Optimizer.__init__

    @functools.wraps(make)
    def announced(self, *args, **kwargs):
        torch.ops.stowage.expect_optimizer()
        make(self, *args, **kwargs)

    torch.optim.Optimizer.__init__ = announced
