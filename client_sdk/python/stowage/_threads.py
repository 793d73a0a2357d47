"""Lets the plug-in see the operators of Python's threads."""

import sys
import threading

import torch

from stowage import _frames


def install():
    bootstrap = threading.Thread._bootstrap_inner

    @_frames.hidden
    def bootstrap_enabled(self):
        torch.ops.stowage.enable_thread()
        bootstrap(self)

    threading.Thread._bootstrap_inner = bootstrap_enabled
    if len(sys._current_frames()) > 1:
        torch.ops.stowage.watch_older_threads()
