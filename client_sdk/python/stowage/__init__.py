"""Trains PyTorch models in less fast memory than they need.

A script that `stowage run` starts needs none of this. To attach by hand:

    import stowage
    stowage.init(fast="40%", slow="file:/mnt/nvme")   # before the first tensor
    stowage.pin(tensor)    # before others learn the address of the tensor

`init` attaches to the agent that `agent` or $STOWAGE_AGENT names. If neither names
one, it starts a private agent and service, which end with the process.
"""

from stowage._attach import attached, end_step, init, pin

__all__ = ["attached", "end_step", "init", "pin"]
