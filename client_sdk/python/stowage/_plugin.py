"""Tells whether there is a plug-in to ask."""

import torch


def attached():
    """Returns whether this process trains through Stowage."""
    try:
        return torch.ops.stowage.attached()
    except (AttributeError, RuntimeError):
        return False


def is_silent():
    """Returns whether a request has nobody to be told to.

    A function that torch.compile compiles makes none, attached or not: it would be
    divided in other parts than without Stowage.
    """
    compiler = getattr(torch, "compiler", None)
    return (compiler is not None and compiler.is_compiling()) or not attached()
