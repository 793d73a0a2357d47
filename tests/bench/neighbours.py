"""Measures jobs that share a host: its fast memory, and its disk.

    /usr/bin/python3 tests/bench/neighbours.py memory [--jobs resnet,transformer]
    /usr/bin/python3 tests/bench/neighbours.py disk [--jobs resnet,lstm,super-resolution]

`memory`: two jobs that each want 60 % of the fast memory of an agent run beside
each other, under an agent that shares it and under each static split. The sum of
their step times is compared with that of the better split.

`disk`: three jobs on one disk, one of which streams in each step, run alone and
beside each other, with a limit and without. What they lose to each other without
one is due to processors. What a job loses to its limit alone, it loses three times
if it gets a third of the disk: its fair share predicts the sum of both.
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
# The first half of a run is not counted: plans are made, and memory is divided.
LEAST_STEPS = 20
NEVER = 1_000_000  # steps
SPLITS = ((50, 50), (60, 40), (40, 60))
MEMORY_HEADER = ["| jobs | fast memory, MiB | division | step of the first, s | "
                 "of the second, s | sum over the better static split |",
                 "|---|---|---|---|---|---|"]
DISK_HEADER = ["| job | moved a step, MiB | alone, without and with a limit, s | "
               "beside two others, s | fair share, s | beside over fair share |",
               "|---|---|---|---|---|---|"]


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
    if len(report["steps"]) < LEAST_STEPS:
        raise RuntimeError(f"too few steps in {folder}: {errors}")
    return report


def settled(report):
    return report["steps"][len(report["steps"]) // 2:]


def step_s(report):
    return statistics.median(s["duration_ns"] for s in settled(report)) / 1e9


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


def measure_memory(jobs, seconds, rounds):
    """Yields a row for the shared memory and for each split of it."""
    # Together the jobs want 120 % of what there is, and each could use more.
    total = int(min(peak_bytes(job, seconds) for job in jobs) * 0.8)
    limits = {"shared": [str(total * 60 // 100)] * 2}
    for split in SPLITS:
        limits["%d:%d" % split] = [str(total * share // 100) for share in split]
    steps_s = {name: [] for name in limits}
    for _ in range(rounds):
        for name, both in limits.items():
            flags = [f"--fast-total={total}"] if name == "shared" else []
            steps_s[name].append([step_s(r) for r in run_beside(jobs, both, seconds, flags)])
    sums = {name: statistics.median(map(sum, times)) for name, times in steps_s.items()}
    best = min(value for name, value in sums.items() if name != "shared")
    for name, times in steps_s.items():
        first, second = [", ".join(f"{s:.2f}" for s in job) for job in zip(*times)]
        yield (f"| {', '.join(jobs)} | {total // MIB} | {name} | {first} | {second} | "
               f"{sums[name] / best:.3f} |")


def moved_bytes(report):
    return statistics.median(s["moved_in_bytes"] + s["moved_out_bytes"]
                             for s in settled(report))


def measure_disk(jobs, limit, seconds):
    def run(which, limit):
        # Beside others they are so much slower.
        return run_beside(which, [limit] * len(which), len(which) * seconds)

    free = [run([job], "unlimited")[0] for job in jobs]
    limited = [run([job], limit)[0] for job in jobs]
    free_beside, limited_beside = run(jobs, "unlimited"), run(jobs, limit)
    for i, job in enumerate(jobs):
        lost_s = max(0, step_s(limited[i]) - step_s(free[i]))
        fair_s = step_s(free_beside[i]) + len(jobs) * lost_s
        yield (f"| {job} | {moved_bytes(limited[i]) / MIB:.0f} | {step_s(free[i]):.3f}, "
               f"{step_s(limited[i]):.3f} | {step_s(free_beside[i]):.3f}, "
               f"{step_s(limited_beside[i]):.3f} | {fair_s:.3f} | "
               f"{step_s(limited_beside[i]) / fair_s:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["memory", "disk"])
    parser.add_argument("--jobs", type=lambda text: text.split(","))
    parser.add_argument("--seconds", type=float, default=60, help="of each run")
    parser.add_argument("--rounds", type=int, default=3, help="of memory")
    parser.add_argument("--limit", default="30%", help="of each job, for the disk")
    parser.add_argument("--markdown", type=Path)
    arguments = parser.parse_args()
    if arguments.what == "memory":
        header = MEMORY_HEADER
        rows = measure_memory(arguments.jobs or ["resnet", "transformer"],
                              arguments.seconds, arguments.rounds)
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
