"""Looks at what a caller does with the result of a method."""

import dis
import functools

_AROUND_CALLS = ("CACHE", "EXTENDED_ARG", "PRECALL", "PUSH_NULL")


@functools.lru_cache(maxsize=None)
def _tests_truth_at(code, offset, method):
    before, after = [], []
    for instruction in dis.get_instructions(code):
        if instruction.opname not in _AROUND_CALLS:
            (before if instruction.offset <= offset else after).append(instruction)
    if (len(before) < 2 or before[-2].opname not in ("LOAD_METHOD", "LOAD_ATTR") or
            before[-2].argval != method or before[-1].arg != 0 or not after):
        return False
    first = after[0].opname
    if first.startswith("POP_JUMP") or first in ("UNARY_NOT", "TO_BOOL"):
        return True
    return (first.startswith("LOAD_") and after[0].argval == 0 and len(after) > 1 and
            after[1].opname == "COMPARE_OP")


def tests_truth(frame, method):
    """Returns whether the frame calls this method, without arguments, and tests the result.

    That is, it branches on the result or compares it with 0, and has no other use of it.
    Returns False where a function in C that the frame has called calls the method.
    """
    return _tests_truth_at(frame.f_code, frame.f_lasti, method)
