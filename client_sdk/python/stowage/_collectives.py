"""Tells the plug-in when the script has waited for a collective.

One that nobody has waited for may run beside the next kernel (collectives.h). C++ code that
waits, as that of DistributedDataParallel does, is not seen, and uses the operands next.
"""

import functools

import torch

from stowage import _frames


def install():
    if not torch.distributed.is_available():
        return
    work = torch._C._distributed_c10d.Work
    wait = work.wait

    @_frames.hidden
    @functools.wraps(wait)
    def announced(self, *args, **kwargs):
        result = wait(self, *args, **kwargs)
        torch.ops.stowage.note_collective_awaited()
        return result

    work.wait = announced
