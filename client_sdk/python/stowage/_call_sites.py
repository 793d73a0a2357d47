"""Looks at what a caller does with the result of a call."""

import dis
import functools


@functools.lru_cache(maxsize=None)
def _tests_truth_at(code, offset):
    following = [i for i in dis.get_instructions(code)
                 if i.offset > offset and i.opname not in ("CACHE", "EXTENDED_ARG")]
    first = following[0] if following else None
    if first is None:
        return False
    if first.opname.startswith("POP_JUMP") or first.opname in ("UNARY_NOT", "TO_BOOL"):
        return True
    return (first.opname.startswith("LOAD_") and first.argval == 0 and len(following) > 1
            and following[1].opname == "COMPARE_OP")


def tests_truth(frame):
    """Returns whether the frame tests the result of the call that it makes for truth.

    That is, it branches on the result or compares it with 0, and has no other use of it.
    """
    return _tests_truth_at(frame.f_code, frame.f_lasti)
