"""Finds the files that jobs move tensors to, and changes bytes of them.

    slow_files.flip_bytes(slow_files.of_process(pid), 3, random.Random(1))
"""

import mmap
import os
from pathlib import Path

PAGE_BYTES = 4096


def of_process(process):
    """Returns a path of a job's slow file, which has no name."""
    for entry in Path(f"/proc/{process}/fd").iterdir():
        target = os.readlink(entry)
        if "/slow/" in target and "(deleted)" in target:
            return entry
    raise FileNotFoundError(f"process {process} has no slow file")


def written_pages(fd):
    """Returns the offsets of the pages of a sparse file that have been written."""
    pages, at = [], 0
    while True:
        try:
            begin = os.lseek(fd, at, os.SEEK_DATA)
        except OSError:
            return pages  # There is no more.
        at = os.lseek(fd, begin, os.SEEK_HOLE)
        pages.extend(range(begin, at, PAGE_BYTES))


def flip_bytes(path, count, random):
    """Changes so many bytes of what the file holds, one in a page.

    Past the page cache, as the job writes: the kernel reports an I/O error where both
    ways meet in a page.
    """
    fd = os.open(path, os.O_RDWR | os.O_DIRECT)
    page = mmap.mmap(-1, PAGE_BYTES)  # aligned, as direct I/O wants it
    try:
        pages = written_pages(fd)
        for offset in random.sample(pages, min(count, len(pages))):
            os.preadv(fd, [page], offset)
            page[random.randrange(PAGE_BYTES)] ^= random.randint(1, 255)
            os.pwritev(fd, [page], offset)
    finally:
        os.close(fd)
