"""Compares what `stowage advise` says of jobs with the jobs themselves.

    /usr/bin/python3 tests/bench/advice.py [--jobs resnet,vgg19] [--limits 80,60,40]
        [--rounds 3] [--quick] [--markdown docs/measurements.md]

`stowage advise -- COMMAND` captures one step of each job. Then the job alone and the job
under each limit take turns on the same machine. The advice for a limit lies on the straight
line between the two of its limits around it. Its full speed is a step that is profiled
under a small limit, so the job alone stands beside it.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "e2e/train")]

import goals  # pylint: disable=wrong-import-position
import harness  # pylint: disable=wrong-import-position
import measurements  # pylint: disable=wrong-import-position
from paced_job import take_turns  # pylint: disable=wrong-import-position

HEADER = ["| job | limit | full speed advised, s | alone, s | advised, s | "
          "predicted by its plan, s | measured, s | measured over advised | planned |",
          "|---|---|---|---|---|---|---|---|---|"]


def advise(folder, job, arguments):
    command = [harness.PYTHON, goals.TRAIN, job, "--steps", "1000000", "--out",
               folder / "advice.digest"] + (["--quick"] if arguments.quick else [])
    (folder / "slow-advice").mkdir()
    result = subprocess.run(
        [harness.STOWAGE, "advise", "--slow", f"file:{folder / 'slow-advice'}", "--format",
         "json", "--", *command], check=True, capture_output=True, text=True,
        env=harness.environment(), timeout=harness.TIMEOUT_S)
    return json.loads(result.stdout)


def advised_s(advice, limit_bytes):
    """Returns the step time between the two limits of the advice around this one."""
    points = sorted((p["fast_limit_bytes"], p["step_time_ns"] / 1e9)
                    for p in advice["points"])
    for (low, slow_s), (high, fast_s) in zip(points, points[1:]):
        if low <= limit_bytes <= high:
            return slow_s + (fast_s - slow_s) * (limit_bytes - low) / (high - low)
    raise RuntimeError(f"the advice says nothing of {limit_bytes} bytes")


def row(job, limit, advice, times_s, report):
    steps = report["steps"][goals.WARM_UP_STEPS:]
    limit_bytes = statistics.median(step["limit_bytes"] for step in steps)
    expected_s = advised_s(advice, limit_bytes)
    measured_s = sum(times_s[limit], [])
    planned = [step for step in steps if step["mode"] == "plan"]
    predicted_s = [step["predicted_duration_ns"] / 1e9 for step in planned]
    return (f"| {job} | {limit} % | {advice['all_fast_ns'] / 1e9:.2f} | "
            f"{goals.spread(sum(times_s['alone'], []))} | {expected_s:.2f} | "
            f"{goals.spread(predicted_s)} | {goals.spread(measured_s)} | "
            f"{statistics.median(measured_s) / expected_s:.2f} | {len(planned)} of {len(steps)} |")


def measure_job(job, arguments):
    """Yields a row for each limit."""
    folder = harness.scratch()
    try:
        advice = advise(folder, job, arguments)
        times_s = take_turns(goals.start(folder, job, arguments), arguments.rounds,
                             goals.WARM_UP_STEPS, goals.STEPS_A_TURN)
        for limit in arguments.limits:
            report = json.loads((folder / f"{limit}.json").read_text())
            yield row(job, limit, advice, times_s, report)
    finally:
        shutil.rmtree(folder)


def main():
    def names(text):
        return text.split(",")

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=names, default=["resnet", "vgg19"])
    parser.add_argument("--limits", type=names, default=["80", "60", "40"], help="percent")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="smaller jobs")
    parser.add_argument("--markdown", type=Path)
    arguments = parser.parse_args()
    arguments.slow = "file"
    print(*HEADER, sep="\n", flush=True)
    lines = []
    for job in arguments.jobs:
        for line in measure_job(job, arguments):
            print(line, flush=True)
            lines.append(line)
    if arguments.markdown:
        measurements.write_section(arguments.markdown, "Advice beside the jobs themselves",
                                   "tests/bench/advice.py " + " ".join(sys.argv[1:]),
                                   HEADER + lines)


if __name__ == "__main__":
    main()
