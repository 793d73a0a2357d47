"""Calls functions of the script when a step has ended.

Steps end within the plug-in, where no Python may run. So the plug-in collects what they
came to, and the functions are called where Python goes on: behind an optimizer's
step(), before a module is called, behind end_step(). Nothing is asked as long as
nobody listens.
"""

import functools
import json
import threading

import torch

from stowage import _frames, _plugin

_OPTIMIZER_STEP = "Optimizer.step#"  # as step_marker.cc has it

_listeners = []
_polling = threading.Lock()
_installed = False


class Subscription:
    """A function that is called after each step, until remove()."""

    def __init__(self, listener):
        self._listener = listener

    def remove(self):
        if self._listener in _listeners:
            _listeners.remove(self._listener)


def on_step(callback):
    """Calls `callback` with a dict after each step that ends from now on.

    It has the fields of a line of `stowage run --step-log`: "step", "mode", "phase",
    "duration_s", "moved_in_bytes" and others; what there is none of is None. It is
    called in the thread that trains, between two steps. What it raises comes out of
    where the script is then, as a rule optimizer.step(), whose update is complete;
    all functions have been called by then, and the next step is not affected.

    Returns a subscription; its remove() ends the calls. Without Stowage there are none.
    """
    return listen(lambda steps: _call(callback, steps))


def listen(listener):
    """Calls `listener` with a list of dicts, after one or several steps."""
    _listeners.append(listener)
    begin()
    return Subscription(listener)


def begin():
    """Has steps collected from now on, if somebody listens in an attached process."""
    global _installed
    if not _listeners or _installed or not _plugin.attached():
        return
    _installed = True
    torch.ops.stowage.take_step_lines()
    record = torch.autograd.profiler.record_function
    leave = record.__exit__

    @_frames.hidden
    @functools.wraps(leave)
    def left(self, *exception):
        leave(self, *exception)
        if self.name.startswith(_OPTIMIZER_STEP):
            poll()

    record.__exit__ = left


@_frames.hidden
def poll():
    """Calls the listeners if steps have ended since the last call.

    A listener may train or evaluate itself; it is not called while it does.
    """
    if not _listeners or not _polling.acquire(blocking=False):
        return
    try:
        lines = torch.ops.stowage.take_step_lines().splitlines()
        if lines:
            steps = [json.loads(line) for line in lines]
            _call_each([functools.partial(listener, steps) for listener in list(_listeners)])
    finally:
        _polling.release()


def _call(callback, steps):
    _call_each([functools.partial(callback, dict(step)) for step in steps])


def _call_each(functions):
    """Calls all of them, and raises the first error in the end."""
    errors = []
    for function in functions:
        try:
            function()
        except Exception as error:
            errors.append(error)
    if errors:
        raise errors[0]
