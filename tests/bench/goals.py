"""Trains the jobs that the goals name under limits, beside the same jobs alone.

    /usr/bin/python3 tests/bench/goals.py [--jobs lstm,unet] [--limits 40,20]
        [--slow file|emulated:optane] [--rounds 3] [--recipe none|compiled]
        [--reports DIRECTORY] [--markdown docs/measurements.md]

The job alone and the job under each limit take turns on the same machine, a few
steps each, so that a round's ratio compares the same steps of that round. The
lower bound is of the step that was planned last, on the memory system that its
plan counts on. The first step of every turn is not counted: it
pays for caches that the others filled. `--quick` has smaller jobs.
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
JOBS = ("resnet", "vgg19", "mobilenet", "inception", "resnet152", "unet",
        "vision-transformer", "transformer", "gpt2", "bert", "lstm", "mixed-precision", "tree",
        "experts")
WARM_UP_STEPS = 7
STEPS_A_TURN = 4
HEADER = ["| job | limit | alone, s | step over alone | lower bound, s | step over bound | "
          "measured over predicted | planned | of the limit used |",
          "|---|---|---|---|---|---|---|---|---|"]


def start(folder, job, arguments):
    """Returns the job alone and under each limit, in processes of their own."""
    def command(name):
        words = [harness.PYTHON, TRAIN, job, "--steps", "1000000", "--paced",
                 "--recipe", arguments.recipe, "--out", folder / f"{name}.digest"]
        return words + (["--quick"] if arguments.quick else [])

    def stowed(limit):
        slow = arguments.slow
        if slow == "file":
            (folder / f"slow-{limit}").mkdir()
            slow = f"file:{folder / f'slow-{limit}'}"
        return [harness.STOWAGE, "run", "--fast", f"{limit}%", "--slow", slow,
                "--report", folder / f"{limit}.json", "--lower-bound", "--",
                *command(limit)]

    environment = harness.environment()
    return [PacedJob("alone", command("alone"), environment),
            *(PacedJob(limit, stowed(limit), environment) for limit in arguments.limits)]


def ratios(times_s, name):
    """Returns how many times as long each round took as the same steps alone."""
    return [sum(mine) / sum(alone)
            for mine, alone in zip(times_s[name], times_s["alone"])]


def spread(values, digits=2):
    if not values:
        return "–"
    return (f"{statistics.median(values):.{digits}f} "
            f"({min(values):.{digits}f} to {max(values):.{digits}f})")


def row(job, limit, times_s, report):
    # The first step of a turn began with the turns of the others.
    steps = [s for i, s in enumerate(report["steps"][WARM_UP_STEPS:]) if i % STEPS_A_TURN]
    planned = [s for s in steps if s["mode"] == "plan"]
    errors = [s["duration_ns"] / s["predicted_duration_ns"]
              for s in planned if s["predicted_duration_ns"]]
    used = [s["fast_peak_bytes"] / s["limit_bytes"] for s in steps]
    bound_s = report["lower_bound_ns"] / 1e9
    over_bound = [seconds / bound_s for seconds in sum(times_s[limit], []) if bound_s]
    return (f"| {job} | {limit} % | {spread(sum(times_s['alone'], []))} | "
            f"{spread(ratios(times_s, limit))} | {bound_s:.2f} | {spread(over_bound)} | "
            f"{spread(errors)} | "
            f"{len(planned)} of {len(steps)} | {statistics.median(used):.3f} |")


def measure_job(job, arguments):
    """Yields a row for each limit."""
    folder = harness.scratch()
    try:
        times_s = take_turns(start(folder, job, arguments), arguments.rounds, WARM_UP_STEPS,
                             STEPS_A_TURN)
        bits = {(folder / f"{name}.digest").read_text() for name in times_s}
        if len(bits) > 1 and arguments.recipe == "none":
            raise RuntimeError(f"{job} computed other numbers under a limit")
        if len(bits) > 1:
            print(f"{job} computed other numbers; compiled jobs that look up embeddings do so "
                  "alone, too: threads add up the gradient in any order", file=sys.stderr)
        for limit in arguments.limits:
            path = folder / f"{limit}.json"
            yield row(job, limit, times_s, json.loads(path.read_text()))
            if arguments.reports:
                arguments.reports.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, arguments.reports / f"{job}-{limit}.json")
    finally:
        shutil.rmtree(folder)


def main():
    def names(text):
        return text.split(",")

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=names, default=JOBS)
    parser.add_argument("--limits", type=names, default=["40", "20"], help="percent")
    parser.add_argument("--slow", default="file", help="file, or what `stowage run` takes")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="smaller jobs")
    parser.add_argument("--recipe", default="none", choices=("none", "compiled"),
                        help="alone and under the limit; compiled needs PyTorch 2")
    parser.add_argument("--reports", type=Path, help="keep the jobs' reports here")
    parser.add_argument("--markdown", type=Path)
    arguments = parser.parse_args()
    print(*HEADER, sep="\n", flush=True)
    lines = []
    for job in arguments.jobs:
        for line in measure_job(job, arguments):
            print(line, flush=True)
            lines.append(line)
    if arguments.markdown:
        measurements.write_section(
            arguments.markdown, f"Jobs under limits, {arguments.slow}",
            "tests/bench/goals.py " + " ".join(sys.argv[1:]), HEADER + lines)


if __name__ == "__main__":
    main()
