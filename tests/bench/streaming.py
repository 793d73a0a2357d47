"""How fast a kernel streams an operand that does not fit, against the disk.

    /usr/bin/python3 tests/bench/streaming.py [--fast 256MiB] [--mib 480]
        [--rounds 5] [--slow DIRECTORY] [--markdown docs/measurements.md]

In each round `dd` reads and writes a file of the operand's size with direct I/O,
and then a job under the limit runs kernels on the operand: one that reads it,
one that reads and writes it, one that writes a new one, and the three matrix
products that a linear layer makes with its weight. The ratio of a kernel is the
time that `dd` took for the same bytes over its own.
"""

import argparse
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e/train"))

import harness  # pylint: disable=wrong-import-position
import measurements  # pylint: disable=wrong-import-position

# What each moves, as multiples of the operand.
DIRECTIONS = {
    "read": ["read"],
    "update": ["read", "write"],
    "write": ["write"],
    "product": ["read"],
    "product-back": ["read"],
    "product-out": ["write"],
}


def disk_s(file, mib, direction):
    """Seconds that the disk takes for the operand."""
    ends = {
        "read": [f"if={file}", "of=/dev/null", "iflag=direct"],
        "write": ["if=/dev/zero", f"of={file}", "oflag=direct", "conv=notrunc"],
    }[direction]
    done = subprocess.run(
        ["dd", "bs=4M", f"count={mib // 4}", *ends],
        check=True,
        capture_output=True,
        text=True,
        env={"LC_ALL": "C"})
    return float(re.search(r"copied, ([\d.e-]+) s", done.stderr).group(1))


class Job:
    """Runs kernels when told to; finish() must be called."""

    def __init__(self, arguments, slow):
        self._process = subprocess.Popen([
            str(part) for part in [
                harness.STOWAGE, "run", "--fast", arguments.fast, "--slow",
                f"file:{slow}", "--", harness.PYTHON,
                Path(__file__).with_name("streaming_job.py"), "--mib",
                arguments.mib
            ]
        ],
                                         env=harness.environment(),
                                         stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE,
                                         text=True)

    def kernel_s(self, name):
        self._process.stdin.write(name + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            words = line.split()
            if words[:1] == ["kernel"]:
                return float(words[2])
        raise RuntimeError("the job ended in the middle")

    def finish(self):
        self._process.stdin.close()
        if self._process.wait() != 0:
            raise RuntimeError("the job failed")


def spread(values, unit=""):
    return (f"{statistics.median(values):.2f}{unit} "
            f"({min(values):.2f} to {max(values):.2f})")


def rows(rounds, mib):
    for direction in ("read", "write"):
        rates = [mib / 1024 / disk[direction] for disk, _ in rounds]
        yield f"disk, {direction}", spread(rates, " GiB/s")
    for name, directions in DIRECTIONS.items():
        ratios = [
            sum(disk[d] for d in directions) / kernels[name]
            for disk, kernels in rounds
        ]
        yield f"kernel, {name}", spread([k[name] for _, k in rounds], " s")
        yield f"of the disk, {name}", spread(ratios)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fast", default="256MiB")
    parser.add_argument("--mib", type=int, default=480)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--slow", type=Path, default=Path("/tmp"))
    parser.add_argument("--markdown", type=Path)
    arguments = parser.parse_args()
    folder = harness.scratch()
    file = arguments.slow / "streaming.bin"
    try:
        job = Job(arguments, arguments.slow)
        for name in DIRECTIONS:  # not counted: arenas are touched for once
            job.kernel_s(name)
        disk_s(file, arguments.mib, "write")
        rounds = []
        for _ in range(arguments.rounds):
            disk = {d: disk_s(file, arguments.mib, d) for d in ("read", "write")}
            rounds.append((disk, {n: job.kernel_s(n) for n in DIRECTIONS}))
        job.finish()
    finally:
        shutil.rmtree(folder)
        file.unlink(missing_ok=True)
    table = list(rows(rounds, arguments.mib))
    for name, value in table:
        print(f"{name:<24} {value}")
    if arguments.markdown:
        measurements.write_section(
            arguments.markdown, "Streaming what does not fit",
            "tests/bench/streaming.py " + " ".join(sys.argv[1:]),
            measurements.pairs(table))


if __name__ == "__main__":
    main()
