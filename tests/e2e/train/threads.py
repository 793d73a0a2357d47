"""Tells where the threads of a process are, when it says nothing itself.

    print(threads.describe(pid))
"""

import os
import re
import time
from pathlib import Path

WATCH_S = 1
FRAMES = 3  # of the kernel's stack
TICKS = os.sysconf("SC_CLK_TCK")


def read(path):
    """Returns the text of a file of /proc, or why there is none."""
    try:
        return path.read_text().rstrip("\0\n")
    except OSError as error:
        return error.strerror


def usage(task):
    """Returns a thread's state, the seconds that it has run, and its page faults."""
    fields = (task / "stat").read_text().rpartition(")")[2].split()
    return fields[0], (int(fields[11]) + int(fields[12])) / TICKS, int(fields[7])


def describe(pid):
    """Returns a line for each thread: its name and state, what it does in a second,
    its system call with its arguments, and where in the kernel it waits.

    Raises OSError if the process, or one of its threads, ends meanwhile.
    """
    tasks = sorted(Path(f"/proc/{pid}/task").iterdir(), key=lambda task: int(task.name))
    before = {task: usage(task) for task in tasks}
    time.sleep(WATCH_S)
    lines = []
    for task, (state, begin_s, begin_faults) in before.items():
        _, end_s, end_faults = usage(task)
        frames = [re.sub(r"\+.*", "", line.split()[-1])
                  for line in read(task / "stack").splitlines()[:FRAMES]]
        lines.append(f"  {task.name} {read(task / 'comm')} {state} {end_s - begin_s:.2f} s, "
                     f"{end_faults - begin_faults} faults, call {read(task / 'syscall')}, "
                     f"in {' < '.join(frames)}")
    return "\n".join(lines)
