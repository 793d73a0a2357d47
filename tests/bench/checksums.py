"""Measures what checksums of moved tensors cost a training step.

    /usr/bin/python3 tests/bench/checksums.py [--jobs vgg19,resnet] [--limit 40]
        [--rounds 3] [--markdown docs/measurements.md]

The job under a limit, with `--checksums` and without, takes turns on the same
machine, a few steps each; a round's ratio compares the same steps. `--quick`
has smaller jobs.
"""

import argparse
import json
import shutil
import statistics
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "e2e/train")]

import harness  # pylint: disable=wrong-import-position
import measurements  # pylint: disable=wrong-import-position
from paced_job import PacedJob, take_turns  # pylint: disable=wrong-import-position

TRAIN = Path(__file__).resolve().parent / "peers/train.py"
WARM_UP_STEPS = 7
STEPS_A_TURN = 4
KINDS = {"plain": [], "checked": ["--checksums"]}
HEADER = ["| job | limit | moved a step, MiB | plain, s | checked over plain | "
          "processor time of a step, checked over plain |", "|---|---|---|---|---|---|"]


def start(folder, job, arguments):
    def stowed(name, flags):
        slow = folder / f"slow-{name}"
        slow.mkdir()
        words = [harness.PYTHON, TRAIN, job, "--steps", "1000000", "--paced", "--out",
                 folder / f"{name}.digest"]
        return [harness.STOWAGE, "run", "--fast", f"{arguments.limit}%", "--slow",
                f"file:{slow}", *flags, "--report", folder / f"{name}.json", "--", *words,
                *(["--quick"] if arguments.quick else [])]

    return [PacedJob(name, stowed(name, flags), harness.environment())
            for name, flags in KINDS.items()]


def median_of(report, value):
    return statistics.median(value(s) for s in report["steps"][WARM_UP_STEPS:])


def row(job, limit, times_s, reports):
    ratios = [sum(checked) / sum(plain)
              for checked, plain in zip(times_s["checked"], times_s["plain"])]
    moved = median_of(reports["plain"], lambda s: s["moved_in_bytes"] + s["moved_out_bytes"])
    processor = {name: median_of(report, lambda s: s["processor_ns"] + s["agent_processor_ns"])
                 for name, report in reports.items()}
    plain_s = statistics.median(sum(times_s["plain"], []))
    return (f"| {job} | {limit} % | {moved / (1 << 20):.0f} | {plain_s:.2f} | "
            f"{statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f}) | "
            f"{processor['checked'] / processor['plain']:.3f} |")


def measure_job(job, arguments):
    folder = harness.scratch()
    try:
        times_s = take_turns(start(folder, job, arguments), arguments.rounds, WARM_UP_STEPS,
                             STEPS_A_TURN)
        bits = {(folder / f"{name}.digest").read_text() for name in KINDS}
        if len(bits) > 1:
            raise RuntimeError(f"{job} computed other numbers with checksums")
        reports = {name: json.loads((folder / f"{name}.json").read_text()) for name in KINDS}
        return row(job, arguments.limit, times_s, reports)
    finally:
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=lambda text: text.split(","),
                        default=["vgg19", "resnet", "lstm"])
    parser.add_argument("--limit", default="40", help="percent")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="smaller jobs")
    parser.add_argument("--markdown", type=Path)
    arguments = parser.parse_args()
    print(*HEADER, sep="\n", flush=True)
    lines = []
    for job in arguments.jobs:
        lines.append(measure_job(job, arguments))
        print(lines[-1], flush=True)
    if arguments.markdown:
        measurements.write_section(arguments.markdown, "Checksums of moved tensors",
                                   "tests/bench/checksums.py " + " ".join(sys.argv[1:]),
                                   HEADER + lines)


if __name__ == "__main__":
    main()
