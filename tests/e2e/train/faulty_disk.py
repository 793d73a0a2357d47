"""A file system that fails when a test says so.

    with faulty_disk.FaultyDisk(folder) as disk:
        run = harness.start(command, folder, slow=f"file:{disk.path}")
        disk.fail("write", "EIO", after=10, times=1)
        ...
        print(disk.counts())

A process of its own serves it by FUSE and keeps the files on the disk that
`folder` is on. It takes orders while it is mounted, over a socket. It needs
root, /dev/fuse and Debian's python3-pyfuse3; available() says what is missing.

Linux splits what a program asks for into operations of 1 MiB at most: each
counts as one here, and each can fail. Of a request whose second operation fails,
pread() and pwrite() report the first as a short transfer. An asynchronous write,
by io_uring or Linux AIO, that is cut short fails with EIO: Linux does so for FUSE.
"""

import collections
import contextlib
import dataclasses
import errno
import functools
import json
import math
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import pyfuse3
    import trio
except ImportError:
    pyfuse3 = None

PYTHON = "/usr/bin/python3"
# Short transfers stay within what direct I/O asks of a file.
BLOCK_BYTES = 4096
PATIENCE_S = 30


class FaultyDisk:
    """A file system in a new directory of `folder`; unmounted on exit.

    Each fault is for the `times` operations ("read" or "write") that follow the
    next `after` ones; of `times` None, for all that follow. Faults add up.
    """

    def __init__(self, folder):
        self._folder = Path(tempfile.mkdtemp(prefix="faulty-disk-", dir=folder))
        self.path = self._folder / "mount"
        self._process = None
        self._orders = None

    def __enter__(self):
        backing = self._folder / "backing"
        self.path.mkdir()
        backing.mkdir()
        try:
            self._start(backing)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        """Unmounts the disk, whatever still uses it: that gets errors from now on."""
        if self._orders is not None:
            self._orders.close()
            _end(self._process)
        # Of a server that was killed.
        if os.path.ismount(self.path) or not _answers(self.path):
            subprocess.run(["umount", "--lazy", self.path], check=True)
        shutil.rmtree(self._folder)

    def fail(self, operation, errno_name, after=0, times=1):
        """Operations transfer nothing and return this error."""
        self._order("fail", operation, after, times, getattr(errno, errno_name))

    def shorten(self, operation, times=1, after=0, seed=0):
        """Operations transfer fewer blocks than asked for, but one at least."""
        self._order("shorten", operation, after, times, seed)

    def stall(self, operation, seconds, after=0, times=1):
        """Operations take this much longer; others pass them."""
        self._order("stall", operation, after, times, seconds)

    def flip(self, count=1, seed=0, after=0):
        """One byte of what each of `count` operations has written changes."""
        self._order("flip", "write", after, count, seed)

    def heal(self):
        """Ends all faults, except for bytes that have changed."""
        self._call("heal")

    def counts(self):
        """Returns how many operations and faults there were.

        The keys are "read" and "write", which count what failed too, and "fail",
        "shorten", "stall" and "flip".
        """
        return self._call("counts")

    def kill(self):
        """Kills the server: all operations fail from now on."""
        self._process.kill()
        self._process.wait(timeout=PATIENCE_S)

    def _start(self, backing):
        ours, theirs = socket.socketpair()
        ours.settimeout(PATIENCE_S)
        self._orders = ours.makefile("rw")
        with ours, theirs, open(self._folder / "log", "wb") as log:
            self._process = subprocess.Popen(
                [PYTHON, __file__, backing, self.path,
                 str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdout=log,
                stderr=log)
        self._answer()

    def _order(self, kind, operation, after, times, detail):
        self._call("inject",
                   kind=kind,
                   operation=operation,
                   after=after,
                   times=times,
                   detail=detail)

    def _call(self, name, **arguments):
        self._orders.write(json.dumps([name, arguments]) + "\n")
        self._orders.flush()
        return self._answer()

    def _answer(self):
        line = self._orders.readline()
        if not line:
            log = (self._folder / "log").read_text()
            raise OSError(f"the faulty disk has ended: {log}")
        return json.loads(line)


def _end(process):
    """Waits for a server whose socket is closed; kills one that does not end."""
    try:
        process.wait(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(timeout=PATIENCE_S)


def _answers(path):
    try:
        return path.exists()
    except OSError:
        return False


@functools.lru_cache(maxsize=None)
def available():
    """Returns why there can be no faulty disk on this machine, or ""."""
    folder = tempfile.mkdtemp()
    try:
        with FaultyDisk(folder):
            return ""
    except OSError as error:
        return str(error).strip().splitlines()[-1]
    finally:
        shutil.rmtree(folder)


# What follows runs in the process that serves the file system.


@dataclasses.dataclass
class Fault:
    """What to do with the `times` operations after the next `after` ones."""
    kind: str
    operation: str
    after: int
    times: float
    detail: float

    def __post_init__(self):
        self.times = math.inf if self.times is None else self.times
        # Of kinds whose detail is a seed.
        self.random = random.Random(self.detail)

    def hits(self, operation, size):
        """Whether it befalls this operation, the next one."""
        if self.operation != operation or self.times <= 0:
            return False
        if self.kind == "shorten" and size <= BLOCK_BYTES:
            return False
        if self.after > 0:
            self.after -= 1
            return False
        self.times -= 1
        return True


class Faults:
    """The faults that tests have asked for, and what came of them."""

    def __init__(self):
        self._faults = []
        self._counts = collections.Counter(
            dict.fromkeys(("read", "write", "fail", "shorten", "stall", "flip"),
                          0))

    def inject(self, **fault):
        self._faults.append(Fault(**fault))

    def heal(self):
        self._faults.clear()

    def counts(self):
        return dict(self._counts)

    def befall(self, operation, size):
        """Counts an operation; returns its faults by kind."""
        self._counts[operation] += 1
        hits = [fault for fault in self._faults if fault.hits(operation, size)]
        self._counts.update(fault.kind for fault in hits)
        return {fault.kind: fault for fault in hits}


@contextlib.contextmanager
def _errors_told():
    """Passes an error of the real disk on to the program."""
    try:
        yield
    except OSError as error:
        raise pyfuse3.FUSEError(error.errno) from None


class Disk(pyfuse3.Operations if pyfuse3 else object):
    """A directory of files, each with its descriptor in the real directory.

    The number of an inode is that of the real file.
    """

    def __init__(self, backing, faults):
        super().__init__()
        self._backing = backing
        self._faults = faults
        self._files = {}
        self._lookups = collections.Counter()

    async def read(self, fh, off, size):
        size, _ = await self._suffer("read", size)
        with _errors_told():
            return os.pread(fh, size, off)

    async def write(self, fh, off, buf):
        size, faults = await self._suffer("write", len(buf))
        with _errors_told():
            written = os.pwrite(fh, memoryview(buf)[:size], off)
            if "flip" in faults:
                _flip_byte(fh, off, written, faults["flip"].random)
        return written

    async def _suffer(self, operation, size):
        """Returns how many bytes to transfer, and the faults of the operation."""
        faults = self._faults.befall(operation, size)
        if "stall" in faults:
            await trio.sleep(faults["stall"].detail)
        if "fail" in faults:
            raise pyfuse3.FUSEError(faults["fail"].detail)
        if "shorten" in faults:
            size = BLOCK_BYTES * faults["shorten"].random.randint(
                1, (size - 1) // BLOCK_BYTES)
        return size, faults

    async def create(self, parent_inode, name, mode, flags, ctx):
        with _errors_told():
            # Without O_DIRECT: the buffers of this process are not aligned.
            fd = os.open(self._real(name),
                         os.O_RDWR | os.O_CREAT | flags & os.O_EXCL, mode)
        return self._opened(fd), self._looked_up(fd)

    async def open(self, inode, flags, ctx):
        return self._opened(self._files[inode])

    async def lookup(self, parent_inode, name, ctx=None):
        with _errors_told():
            return self._looked_up(os.open(self._real(name), os.O_RDWR))

    async def forget(self, inode_list):
        for inode, count in inode_list:
            self._lookups[inode] -= count
            if self._lookups[inode] <= 0 and inode in self._files:
                os.close(self._files.pop(inode))

    async def unlink(self, parent_inode, name, ctx):
        with _errors_told():
            os.unlink(self._real(name))

    async def getattr(self, inode, ctx=None):
        with _errors_told():
            if inode == pyfuse3.ROOT_INODE:
                return _attributes(os.stat(self._backing), inode)
            return _attributes(os.fstat(self._files[inode]), inode)

    async def setattr(self, inode, attr, fields, fh, ctx):
        if fields.update_size:
            with _errors_told():
                os.ftruncate(self._files[inode], attr.st_size)
        return await self.getattr(inode)

    async def statfs(self, ctx):
        real = os.statvfs(self._backing)
        data = pyfuse3.StatvfsData()
        for name in ("f_bsize", "f_frsize", "f_blocks", "f_bfree", "f_bavail",
                     "f_files", "f_ffree", "f_favail"):
            setattr(data, name, getattr(real, name))
        return data

    async def fsync(self, fh, datasync):
        with _errors_told():
            os.fsync(fh)

    async def flush(self, fh):
        pass

    async def release(self, fh):
        pass  # forget() closes it.

    async def access(self, inode, mode, ctx):
        return True

    def _real(self, name):
        return os.path.join(self._backing, os.fsdecode(name))

    def _opened(self, fd):
        # Otherwise Linux completes a short transfer through its cache.
        return pyfuse3.FileInfo(fh=fd, direct_io=True)

    def _looked_up(self, fd):
        status = os.fstat(fd)
        inode = status.st_ino
        if self._files.setdefault(inode, fd) != fd:
            os.close(fd)
        self._lookups[inode] += 1
        return _attributes(status, inode)


def _flip_byte(fd, offset, size, generator):
    at = offset + generator.randrange(size)
    byte = os.pread(fd, 1, at)[0] ^ generator.randrange(1, 256)
    os.pwrite(fd, bytes([byte]), at)


def _attributes(status, inode):
    entry = pyfuse3.EntryAttributes()
    for name in ("st_mode", "st_nlink", "st_uid", "st_gid", "st_size",
                 "st_blksize", "st_blocks", "st_atime_ns", "st_mtime_ns",
                 "st_ctime_ns"):
        setattr(entry, name, getattr(status, name))
    entry.st_ino = inode
    return entry


async def _take_orders(connection, faults):
    """Obeys until the test has closed the socket, or has died."""
    await connection.send_all(b"true\n")
    pending = b""
    async for data in connection:
        *lines, pending = (pending + data).split(b"\n")
        for line in lines:
            name, arguments = json.loads(line)
            answer = getattr(faults, name)(**arguments)
            await connection.send_all(json.dumps(answer).encode() + b"\n")


async def _serve(disk, connection, faults):
    async with trio.open_nursery() as nursery:
        nursery.start_soon(pyfuse3.main)
        await _take_orders(connection, faults)
        nursery.cancel_scope.cancel()


def main():
    backing, mount, descriptor = sys.argv[1:]
    # Only the end of the socket ends it: the test unmounts in order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if pyfuse3 is None:
        sys.exit("python3-pyfuse3 is not installed")
    faults = Faults()
    disk = Disk(backing, faults)
    pyfuse3.init(disk, mount, pyfuse3.default_options | {"fsname=faulty-disk"})
    try:
        with socket.socket(fileno=int(descriptor)) as raw:
            connection = trio.SocketStream(trio.socket.from_stdlib_socket(raw))
            trio.run(_serve, disk, connection, faults)
    finally:
        pyfuse3.close()


if __name__ == "__main__":
    main()
