"""Trains PyTorch models in less fast memory than they need.

Started by `stowage run`, a script needs none of this. To attach by hand:

    import stowage
    stowage.init(fast="40%", slow="file:/mnt/nvme")   # before the first tensor
    ...
    stowage.pin(tensor)        # its address is about to be known elsewhere

`init` attaches to the agent named by `agent` or $STOWAGE_AGENT; where there is
none it starts a private agent and service, which end with the process.
"""

from stowage._attach import attached, end_step, init, pin

__all__ = ["attached", "end_step", "init", "pin"]
