"""Waits until something is so.

    waiting.wait_for(path.exists, "the socket does not come")
"""

import time

READY_S = 60


def wait_for(done, what, seconds=READY_S):
    """Returns what `done` returns, once that is true. Else fails with `what`, which
    may be a function that returns the message."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = done()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(what() if callable(what) else what)
