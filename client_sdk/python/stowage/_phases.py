"""Lets a script name the phases of its training."""

import contextlib

import torch

from stowage import _plugin

_MOST_BYTES = 31


def _check(name):
    if not isinstance(name, str) or not name.isprintable() or not name:
        raise ValueError("stowage: %r is no name for a phase; give a text of printable "
                         "characters, like 'warmup'" % (name,))
    if len(name.encode()) > _MOST_BYTES:
        raise ValueError("stowage: the name of a phase, %r, has %d bytes; give it at most %d" %
                         (name, len(name.encode()), _MOST_BYTES))


@contextlib.contextmanager
def phase(name):
    """Names a phase of training: `with stowage.phase("warmup"): ...`.

    Steps belong to the phase in which most of their kernels began, of nested ones to the
    innermost. Reports, lines of steps, `stowage explain` and the summary name it. Also a
    decorator. Does nothing without Stowage, and in functions that torch.compile compiles.
    """
    _check(name)
    if _plugin.is_silent():
        yield
        return
    before = torch.ops.stowage.enter_phase(name)
    try:
        yield
    finally:
        torch.ops.stowage.enter_phase(before)
