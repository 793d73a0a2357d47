"""Compares copies of moves with what others make of the same disk and memory.

    /usr/bin/python3 tests/bench/copies.py [--folder DIRECTORY] [--rounds 3]
        [--largest 64MiB] [--markdown docs/measurements.md]

In each round `stowage calibrate` copies between memory and a file, and `fio`
transfers as much with direct I/O in the same way: requests of at most 1 MiB, 16
at a time. Copies within memory are compared with numpy's, which calls memcpy.
Without `fio` the file tier is left out. --folder is on the disk to measure.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e/train"))

import harness  # pylint: disable=wrong-import-position
import measurements  # pylint: disable=wrong-import-position

REQUEST_BYTES = 1 << 20
REQUESTS = 16
FIO_BYTES = 256 << 20  # of each measurement
MEMORY_BYTES = 64 << 20
HEADER = ["| copy | Stowage, GB/s | other, GB/s | Stowage over other |", "|---|---|---|---|"]


def calibrated(folder, largest):
    """Returns GB/s by (direction, bytes), and of memory by ("memory", bytes)."""
    file = folder / "system.json"
    subprocess.run([harness.STOWAGE, "calibrate", "--slow", f"file:{folder}", "--largest",
                    largest, "-o", file], check=True, capture_output=True,
                   env=harness.environment())
    system = json.loads(file.read_text())
    speeds = {(direction, int(point["bufferBytes"])): int(point["bytesPerSecond"]) / 1e9
              for direction, curve in zip(("out", "in"), system["copies"])
              for point in curve["points"]}
    speeds["memory", MEMORY_BYTES] = int(system["tiers"][0]["read"][0]["bytesPerSecond"]) / 1e9
    return speeds


def fio(folder, direction, size):
    verb = {"out": "write", "in": "read"}[direction]
    done = subprocess.run(
        ["fio", "--name=copy", f"--filename={folder / 'fio'}", f"--rw={verb}", "--direct=1",
         "--ioengine=io_uring", f"--bs={min(size, REQUEST_BYTES)}",
         f"--iodepth={max(1, min(REQUESTS, size // REQUEST_BYTES))}", f"--size={FIO_BYTES}",
         f"--io_size={max(size, min(FIO_BYTES, 4096 * size))}", "--output-format=json"],
        check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["jobs"][0][verb]["bw_bytes"] / 1e9


def memcpy():
    source = numpy.ones(MEMORY_BYTES, dtype=numpy.uint8)
    target = numpy.zeros_like(source)
    times_s = []
    for _ in range(7):
        begin_s = time.perf_counter()
        numpy.copyto(target, source)
        times_s.append(time.perf_counter() - begin_s)
    return MEMORY_BYTES / statistics.median(times_s) / 1e9


def round_of(folder, arguments):
    """Returns (Stowage's, the other's) GB/s by copy."""
    ours = calibrated(folder, arguments.largest)
    pairs = {}
    for (direction, size), speed in ours.items():
        if direction == "memory":
            pairs[direction, size] = speed, memcpy()
        elif shutil.which("fio"):
            pairs[direction, size] = speed, fio(folder, direction, size)
    return pairs


def spread(values):
    return f"{statistics.median(values):.3g} ({min(values):.3g} to {max(values):.3g})"


def size_text(size):
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"


def rows(rounds):
    for direction, size in rounds[0]:
        pairs = [pairs[direction, size] for pairs in rounds]
        ours, others = zip(*pairs)
        yield (f"| {direction}, {size_text(size)} | {spread(ours)} | {spread(others)} | "
               f"{spread([a / b for a, b in pairs])} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="on the disk to measure")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--largest", default="64MiB", help="size of copies")
    parser.add_argument("--markdown", type=Path)
    arguments = parser.parse_args()
    if not shutil.which("fio"):
        print("skipped: file tiers: fio is not installed", flush=True)
    folder = arguments.folder or harness.scratch()
    try:
        lines = list(rows([round_of(folder, arguments) for _ in range(arguments.rounds)]))
    finally:
        for name in ("fio", "system.json"):
            (folder / name).unlink(missing_ok=True)
        if arguments.folder is None:
            shutil.rmtree(folder)
    print(*HEADER, *lines, sep="\n")
    if arguments.markdown:
        measurements.write_section(arguments.markdown, "Copies beside fio and memcpy",
                                   "tests/bench/copies.py " + " ".join(sys.argv[1:]),
                                   HEADER + lines)


if __name__ == "__main__":
    main()
