"""Trains ResNet-50 under a limit and with all the memory it wants.

    /usr/bin/python3 tests/bench/resnet50.py [--fast 40%] [--rounds 8]
        [--markdown docs/measurements.md]

Three jobs take turns on the same machine, a few steps each: PyTorch alone,
Stowage with room for everything (what the hook costs), and Stowage under the
limit, following its plan. The first step of every turn is not counted: it pays
for caches that the other jobs filled, and a job under the limit could have
moved tensors during its pause. A round's ratio compares steps of that round.
"""

import argparse
import json
import shutil
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e/train"))

import harness  # pylint: disable=wrong-import-position
import measurements  # pylint: disable=wrong-import-position
from paced_job import PacedJob, take_turns  # pylint: disable=wrong-import-position

WARM_UP_STEPS = 6
STEPS_A_TURN = 4


def start_jobs(folder, arguments):
    script = [
        harness.PYTHON, harness.SCRIPTS / "train_model.py", "resnet50",
        "--batch",
        str(arguments.batch), "--image", "224", "--steps", "1000000", "--paced"
    ]

    def stowed(name, *options):
        command = [
            harness.STOWAGE, "run", *options, "--report",
            folder / f"{name}.json", "--", *script, "--out", folder / name
        ]
        return PacedJob(name, command, harness.environment())

    (folder / "slow").mkdir()
    return [
        PacedJob("alone", [*script, "--out", folder / "alone"],
                 harness.environment()),
        stowed("fits", "--fast", "unlimited"),
        stowed("limited", "--fast", arguments.fast, "--slow",
               f"file:{folder / 'slow'}"),
    ]


def ratios(times_s, name):
    """Returns the median step of each round, in units of the one that ran alone."""
    return [
        statistics.median(mine) / statistics.median(alone)
        for mine, alone in zip(times_s[name], times_s["alone"])
    ]


def prediction_errors(report):
    """|predicted - measured| / measured of every planned step."""
    return [
        abs(s["predicted_duration_ns"] - s["duration_ns"]) / s["duration_ns"]
        for s in report["steps"]
        if s["mode"] == "plan" and s["predicted_duration_ns"]
    ]


def spread(values, unit=""):
    return (f"{statistics.median(values):.3f}{unit} "
            f"({min(values):.3f} to {max(values):.3f})")


def rows(times_s, report, arguments):
    flat = {name: sum(turns, []) for name, turns in times_s.items()}
    peak_bytes = report["tensor_peak_bytes"]
    fast_bytes = max(s["fast_peak_bytes"] for s in report["steps"][1:])
    yield "step alone", spread(flat["alone"], " s")
    yield "step when everything fits", spread(flat["fits"], " s")
    yield f"step under {arguments.fast}", spread(flat["limited"], " s")
    yield "ratio when everything fits", spread(ratios(times_s, "fits"))
    yield f"ratio under {arguments.fast}", spread(ratios(times_s, "limited"))
    yield "prediction error", spread(
        prediction_errors(report) or [float("nan")])
    yield "tensor peak", f"{peak_bytes / 1e6:.0f} MB"
    yield "limit", f"{report['limit_bytes'] / 1e6:.0f} MB"
    yield "fast memory, highest", f"{fast_bytes / 1e6:.0f} MB"
    yield "events", str(len(report["events"]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fast", default="40%")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--markdown", type=Path)
    arguments = parser.parse_args()
    folder = harness.scratch()
    try:
        jobs = start_jobs(folder, arguments)
        times_s = take_turns(jobs, arguments.rounds, WARM_UP_STEPS, STEPS_A_TURN)
        report = json.loads((folder / "limited.json").read_text())
    finally:
        shutil.rmtree(folder)
    table = list(rows(times_s, report, arguments))
    for name, value in table:
        print(f"{name:<28} {value}")
    if arguments.markdown:
        measurements.write_section(
            arguments.markdown,
            f"ResNet-50, batch {arguments.batch}, limit {arguments.fast}",
            "tests/bench/resnet50.py " + " ".join(sys.argv[1:]),
            measurements.pairs(table))


if __name__ == "__main__":
    main()
