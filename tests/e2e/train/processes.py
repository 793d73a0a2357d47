"""Finds processes that a run has started.

    os.kill(processes.child_named(run.pid, "stowage-agent"), signal.SIGKILL)
"""

import os
from pathlib import Path


def child_named(parent, name):
    """Returns the process id of the child of `parent` that runs `name`.

    A program whose file has a longer name, as python3.11, counts too.
    """
    for entry in Path("/proc").iterdir():
        try:
            if not entry.name.isdigit():
                continue
            program = os.path.basename(os.readlink(entry / "exe"))
            stat = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # It ended while we looked.
        if program.startswith(name) and int(stat[1]) == parent:
            return int(entry.name)
    raise AssertionError(f"no child {name} of process {parent}")
