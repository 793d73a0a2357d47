"""Measures jobs that share a host: its fast memory, and its disk.

    /usr/bin/python3 tests/bench/neighbours.py memory [--jobs resnet,transformer]
    /usr/bin/python3 tests/bench/neighbours.py disk [--jobs resnet,lstm,super-resolution]

`memory`: two jobs that each want 60 % of the fast memory of an agent run beside
each other, under an agent that shares it and under each static split. The sum of
their step times is compared with that of the better split.

`disk`: three jobs on one disk, one of which streams in each step, run alone and
then beside each other. They share the processors as well, so each job's fair share
predicts steps that take three times as long as alone.
"""

import argparse
import json
import shutil
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "e2e/train")]

import daemons  # pylint: disable=wrong-import-position
import harness  # pylint: disable=wrong-import-position
import measurements  # pylint: disable=wrong-import-position

BENCH = Path(__file__).resolve().parent
MIB = 1 << 20
# Steps at the beginning that are not counted: plans are made.
WARM_UP_STEPS = 10
NEVER = 1_000_000  # steps
SPLITS = ((50, 50), (60, 40), (40, 60))
MEMORY_HEADER = ["| jobs | fast memory, MiB | division | step of the first, s | "
                 "of the second, s | sum over the better static split |",
                 "|---|---|---|---|---|---|"]
DISK_HEADER = ["| job | alone, s | moved a step, MiB | beside two others, s | "
               "over what its fair share predicts |", "|---|---|---|---|---|"]


def command_of(job, folder):
    if job == "super-resolution":  # its largest kernels stream
        return [harness.PYTHON, harness.SCRIPTS / "train_superresolution.py", "--steps",
                str(NEVER), "--out", folder / "digest"]
    return [harness.PYTHON, BENCH / "peers/train.py", job, "--quick", "--steps",
            str(NEVER), "--out", folder / "digest"]


def start(host, folder, job, fast):
    folder.mkdir()
    return subprocess.Popen(
        [harness.STOWAGE, "run", "--fast", fast, "--agent", host.socket,
         "--agent-report-dir", host.folder, "--report", folder / "report.json", "--",
         *command_of(job, folder)],
        env=harness.environment(STOWAGE_MODE="plan"), stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True)


def report_of(process, folder):
    """Returns the report of a job that has been asked to end."""
    _, errors = process.communicate(timeout=60)
    report = json.loads((folder / "report.json").read_text())
    if len(report["steps"]) < WARM_UP_STEPS + 5:
        raise RuntimeError(f"too few steps in {folder}: {errors}")
    return report


def step_s(report):
    return statistics.median(s["duration_ns"] for s in report["steps"][WARM_UP_STEPS:]) / 1e9


def run_beside(jobs, limits, seconds, agent_flags=()):
    """Runs the jobs beside each other for so long; returns the reports of all."""
    folder = harness.scratch()
    try:
        with daemons.Daemons(folder, agent_flags) as host:
            folders = [folder / str(i) for i in range(len(jobs))]
            running = [start(host, *each) for each in zip(folders, jobs, limits)]
            time.sleep(seconds)
            for process in running:
                process.send_signal(signal.SIGTERM)
            return [report_of(process, f) for process, f in zip(running, folders)]
    finally:
        shutil.rmtree(folder)


def peak_bytes(job, seconds):
    return run_beside([job], ["unlimited"], seconds)[0]["tensor_peak_bytes"]


def measure_memory(jobs, seconds):
    """Yields a row for the shared memory and for each split of it."""
    # Together the jobs want 120 % of what there is, and each could use more.
    total = int(min(peak_bytes(job, seconds) for job in jobs) * 0.8)
    wanted = [str(total * 60 // 100)] * 2
    results = {"shared": run_beside(jobs, wanted, seconds, [f"--fast-total={total}"])}
    for split in SPLITS:
        limits = [str(total * share // 100) for share in split]
        results["%d:%d" % split] = run_beside(jobs, limits, seconds)
    sums = {name: sum(step_s(s) for s in both) for name, both in results.items()}
    best = min(value for name, value in sums.items() if name != "shared")
    for name, (first, second) in results.items():
        yield (f"| {', '.join(jobs)} | {total // MIB} | {name} | {step_s(first):.3f} | "
               f"{step_s(second):.3f} | {sums[name] / best:.3f} |")


def moved_bytes(report):
    return statistics.median(s["moved_in_bytes"] + s["moved_out_bytes"]
                             for s in report["steps"][WARM_UP_STEPS:])


def measure_disk(jobs, limit, seconds):
    alone = [run_beside([job], [limit], seconds)[0] for job in jobs]
    together = run_beside(jobs, [limit] * len(jobs), len(jobs) * seconds)
    for job, single, beside in zip(jobs, alone, together):
        fair_s = len(jobs) * step_s(single)
        yield (f"| {job} | {step_s(single):.3f} | {moved_bytes(single) / MIB:.0f} | "
               f"{step_s(beside):.3f} | {step_s(beside) / fair_s:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["memory", "disk"])
    parser.add_argument("--jobs", type=lambda text: text.split(","))
    parser.add_argument("--seconds", type=float, default=60, help="of each run")
    parser.add_argument("--limit", default="30%", help="of each job, for the disk")
    parser.add_argument("--markdown", type=Path)
    arguments = parser.parse_args()
    if arguments.what == "memory":
        header = MEMORY_HEADER
        rows = measure_memory(arguments.jobs or ["resnet", "transformer"],
                              arguments.seconds)
    else:
        header = DISK_HEADER
        rows = measure_disk(arguments.jobs or ["resnet", "lstm", "super-resolution"],
                            arguments.limit, arguments.seconds)
    print(*header, sep="\n", flush=True)
    lines = []
    for line in rows:
        lines.append(line)
        print(line, flush=True)
    if arguments.markdown:
        measurements.write_section(arguments.markdown,
                                   f"Neighbours: {arguments.what}",
                                   "tests/bench/neighbours.py " + " ".join(sys.argv[1:]),
                                   header + lines)


if __name__ == "__main__":
    main()
