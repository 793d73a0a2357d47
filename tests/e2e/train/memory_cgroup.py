"""Makes a memory cgroup of either version, where this machine lets us.

    with memory_cgroup.limited(limit_bytes) as cgroup:
        subprocess.run(cgroup.command(["python3", "train.py"]))
        print(cgroup.peak_bytes())
"""

import contextlib
import os
from pathlib import Path

V1 = Path("/sys/fs/cgroup/memory")
V2 = Path("/sys/fs/cgroup")


class Unavailable(Exception):
    """This machine does not let us make a memory cgroup; says why."""


class Cgroup:

    def __init__(self, path, files):
        self._path = path
        self._files = files

    def command(self, command):
        """`command`, run inside the cgroup."""
        enter = f'echo $$ > "{self._path}/cgroup.procs" && exec "$0" "$@"'
        return ["/bin/sh", "-c", enter, *[str(part) for part in command]]

    def peak_bytes(self):
        """Returns the most that was ever charged; None if the kernel cannot say."""
        file = self._path / self._files["peak"]
        return int(file.read_text()) if file.exists() else None


def _version_1():
    if not (V1 / "memory.limit_in_bytes").exists():
        return None
    return V1, {
        "limit": "memory.limit_in_bytes",
        "peak": "memory.max_usage_in_bytes"
    }


def _version_2():
    controllers = V2 / "cgroup.subtree_control"
    if not controllers.exists() or "memory" not in controllers.read_text():
        return None
    return V2, {"limit": "memory.max", "peak": "memory.peak"}


@contextlib.contextmanager
def limited(limit_bytes):
    found = _version_1() or _version_2()
    if found is None:
        raise Unavailable("no memory controller is mounted")
    parent, files = found
    path = parent / f"stowage-test-{os.getpid()}"
    try:
        path.mkdir()
        (path / files["limit"]).write_text(str(limit_bytes))
    except OSError as error:
        if path.exists():
            path.rmdir()
        raise Unavailable(str(error)) from error
    try:
        yield Cgroup(path, files)
    finally:
        path.rmdir()
