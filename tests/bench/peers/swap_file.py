"""A swap file on the local disk, in use only while a job needs it.

    with swap_file.made(folder) as swap:
        with swap.on():
            subprocess.run(job)
"""

import contextlib
import errno
import os
import subprocess

SIZE_BYTES = 4 << 30


class Unavailable(Exception):
    """This machine does not let us swap; says why."""


class SwapFile:

    def __init__(self, path):
        self._path = path

    @contextlib.contextmanager
    def on(self):
        _call("swapon", self._path)
        try:
            yield
        finally:
            _call("swapoff", self._path)


def _call(*command):
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise Unavailable(f"{command[0]} is not installed") from error
    except subprocess.CalledProcessError as error:
        raise Unavailable(error.stderr.strip()) from error


def _allocate(path):
    with open(path, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        try:
            os.posix_fallocate(file.fileno(), 0, SIZE_BYTES)
        except OSError as error:
            why = "disk full" if error.errno == errno.ENOSPC else error.strerror
            raise Unavailable(f"{path}: {why}; {SIZE_BYTES >> 30} GiB are needed") from error


@contextlib.contextmanager
def made(folder):
    """Makes a swap file and tries it. Raises Unavailable where the host forbids it."""
    path = folder / "swap"
    try:
        _allocate(path)
        _call("mkswap", path)
        swap = SwapFile(path)
        with swap.on():
            pass
        yield swap
    finally:
        path.unlink(missing_ok=True)
