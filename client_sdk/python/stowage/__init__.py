"""Trains PyTorch models in less fast memory than they need.

A script that `stowage run` starts needs none of this. To attach by hand:

    import stowage
    stowage.init(fast="40%", slow="file:/mnt/nvme")   # before the first tensor

`init` attaches to the agent that `agent` or $STOWAGE_AGENT names. If neither names
one, it starts a private agent and service, which end with the process.

All other functions do nothing in a process that has not attached, so that a script works
without Stowage, too:

    stowage.keep_fast(model.embedding)        # stays in fast memory
    with stowage.never_manage(): ...          # tensors come from the C library
    stowage.pin(tensor)                       # keeps its address, for other libraries
    with stowage.phase("warmup"): ...         # names steps in reports
    stowage.on_step(lambda step: print(step["duration_s"]))
    stowage.end_step()                        # for training without torch.optim
    stowage.attached()                        # whether there is a limit to obey

docs/python-api.md has them all, with examples.
"""

from stowage._attach import attached, end_step, init
from stowage._phases import phase
from stowage._placement import keep_fast, never_manage, pin
from stowage._steps import on_step

__all__ = ["attached", "end_step", "init", "keep_fast", "never_manage", "on_step",
           "phase", "pin"]
