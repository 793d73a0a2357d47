"""Finds processes that a run has started, and starts some that disturb it.

    os.kill(processes.child_named(run.pid, "stowage-agent"), signal.SIGKILL)
"""

import os
import subprocess
from pathlib import Path

import harness


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


def take_memory(share=0.6):
    """Another process takes a share of the memory that the machine has left."""
    meminfo = Path("/proc/meminfo").read_text()
    free_kib = int(meminfo.split("MemAvailable:")[1].split()[0])
    take = int(free_kib * 1024 * share)
    subprocess.run([harness.PYTHON, "-c", f"bytearray({take})"], check=False)
