"""Trains mixed jobs for a long time, with faults, and checks what is left.

    tests/soak.sh --minutes 120 [--fault-every 60] [--faults host|disk|NAMES]
        [--jobs 2] [--seed 1] [--report FILE]

Jobs of several kinds run beside each other under one agent, which shares fast
memory among them; when one ends, another begins. A job ends with the bits that
it has alone, or it was struck by a fault that costs a job: it was killed, or a
byte of its file was changed or its disk failed, and it says so. The soak fails if
a job has other bits, or ends in another way; if a job says nothing for a minute;
if the memory, descriptors, threads, arenas or files of a daemon grow; or if an
arena or a file is left when the last job has ended.
"""

import argparse
import collections
import contextlib
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "e2e/train")]

import cut_link  # pylint: disable=wrong-import-position
import daemons  # pylint: disable=wrong-import-position
import faults  # pylint: disable=wrong-import-position
import faulty_disk  # pylint: disable=wrong-import-position
import harness  # pylint: disable=wrong-import-position
import jumping_clock  # pylint: disable=wrong-import-position
import processes  # pylint: disable=wrong-import-position
import threads  # pylint: disable=wrong-import-position

MIB = 1 << 20
FAST_TOTAL = 400 * MIB
SAMPLE_S = 5
SILENCE_S = 60
LOOK_S = 1
END_S = 300
# What a daemon may have more at the end than in the beginning: caches of plans
# fill, and arenas of the allocator, up to some size, and jobs differ.
GROWTH_SHARE = 0.2
GROWTH = {"rss": 40 * MIB, "descriptors": 8, "threads": 8, "arenas": 4, "files": 2}
KINDS = (
    ("train_model.py", "resnet50", "--batch", "4", "--image", "96", "--steps", "14"),
    ("train_model.py", "mobilenet_v2", "--batch", "4", "--image", "96", "--steps", "14"),
    ("train_model.py", "transformer", "--batch", "8", "--steps", "20"),
    ("train_tree.py", "--steps", "12"),
    ("train_superresolution.py", "--steps", "40"),
)
FAULTS = {"host": faults.HOST_FAULTS, "disk": faults.DISK_FAULTS}
LIMITS = ("30%", "45%", "60%", "100%")
# What the message of a job says that found a byte changed, or whose disk failed; one
# that only waits for its disk says something else.
FOUND = "checksum"
DISK = re.compile(r"stowage: (cannot (move|read) .* )?the slow tier file.*: ")


class Job:
    """A job that runs."""

    def __init__(self, host, number, rng):
        self.kind = rng.choice(KINDS)
        self.limit = rng.choice(LIMITS)
        self.checksums = rng.random() < 0.5
        self.killed = self.flipped = self.disk_failed = False
        self.folder = host.folder / f"job-{number}"
        self.folder.mkdir()
        self.output_path = self.folder / "output"
        flags = ["--checksums"] if self.checksums else []
        with open(self.output_path, "wb") as output:
            self.process = subprocess.Popen(
                [harness.STOWAGE, "run", "--fast", self.limit, "--floor", "20MiB",
                 "--agent", host.daemons.socket, *flags, "--", harness.PYTHON,
                 harness.SCRIPTS / self.kind[0], *self.kind[1:], "--out",
                 self.folder / "digest"],
                env=harness.environment(), stdout=output, stderr=output)
        self.last_size, self.last_look, self.silent_s = 0, time.monotonic(), 0

    @property
    def pid(self):
        """The process that trains."""
        try:
            return processes.child_named(self.process.pid, "python3")
        except AssertionError as ended:
            raise faults.NotNow() from ended

    def is_silent(self):
        """Returns whether it has said nothing for a while.

        Of the time between two looks little counts: a host that is suspended makes
        no job silent.
        """
        size, now = self.output_path.stat().st_size, time.monotonic()
        self.silent_s += min(now - self.last_look, LOOK_S)
        if size != self.last_size:
            self.silent_s = 0
        self.last_size, self.last_look = size, now
        return self.silent_s > SILENCE_S

    def verdict(self):
        """Returns how it ended, in the words of the report, or what is wrong."""
        status = self.process.returncode
        text = self.output_path.read_text(errors="replace")
        if status == 0:
            mine = json.loads((self.folder / "digest").read_text())
            if mine == harness.plain(*self.kind):
                return "equal bits"
            return f"WRONG BITS: {' '.join(self.kind)} at {self.limit}"
        if self.killed:
            return "killed"
        if self.flipped and FOUND in text:
            return "found a changed byte"
        if self.disk_failed and DISK.search(text):
            return "said that the disk failed"
        return f"FAILED with {status}: {' '.join(self.kind)} at {self.limit}: {text[-2000:]}"


class Host:
    """The daemons, the link between them, and the jobs that run.

    With a faulty disk, this is where slow files are; else `disk` is None.
    """

    def __init__(self, folder, stack, with_faulty_disk):
        self.folder, self.jobs = folder, []
        self.disk = None
        if with_faulty_disk:
            self.disk = stack.enter_context(faulty_disk.FaultyDisk(folder))
        self.clock = jumping_clock.JumpingClock(folder)
        self.daemons = daemons.Daemons(folder, [f"--fast-total={FAST_TOTAL}"],
                                       slow=self.disk and self.disk.path,
                                       clock=self.clock)
        self.link = stack.enter_context(cut_link.Link(self.daemons.service_socket))
        self.daemons.lead_agent_to(self.link.path)
        stack.enter_context(self.daemons)
        stack.callback(self.kill_jobs)

    def kill_jobs(self):
        for job in self.jobs:
            job.process.kill()

    def training_jobs(self):
        return [job for job in self.jobs if job.last_size > 0]

    def any_job(self, rng, suits=lambda job: True):
        """Returns a job that trains."""
        running = [job for job in self.training_jobs() if suits(job)]
        if not running:
            raise faults.NotNow()
        return rng.choice(running)


def usage_of(pid):
    """Returns resident bytes, descriptors, threads and arenas of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    if "RssAnon" not in status:
        raise ProcessLookupError(f"process {pid} has ended")
    names = [os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()
             if os.path.islink(entry)]
    return {
        "rss": int(re.search(r"RssAnon:\s+(\d+)", status).group(1)) * 1024,
        "descriptors": len(names),
        "threads": int(re.search(r"Threads:\s+(\d+)", status).group(1)),
        "arenas": sum("memfd:stowage" in name for name in names),
        "files": sum("/slow/" in name or "/faulty-disk-" in name for name in names)
    }


class Soak:
    """Runs until its time is over; collects what is wrong."""

    def __init__(self, arguments, host):
        self.arguments, self.host = arguments, host
        self.random = random.Random(arguments.seed)
        self.verdicts = collections.Counter()
        self.strikes = collections.Counter()
        self.wrong = []
        self.samples = collections.defaultdict(list)  # by (daemon, what)
        self.number = 0
        self.over = threading.Event()
        self.order = []

    def run(self):
        end = time.monotonic() + 60 * self.arguments.minutes
        next_fault = time.monotonic() + self.arguments.fault_every
        sampling = threading.Thread(target=self.keep_sampling, daemon=True)
        sampling.start()
        while time.monotonic() < end and not self.wrong:
            self.reap()
            self.check_daemons()
            while len(self.host.jobs) < self.arguments.jobs:
                self.host.jobs.append(Job(self.host, self.number, self.random))
                self.number += 1
            if time.monotonic() >= next_fault:
                self.strike()
                next_fault = time.monotonic() + self.arguments.fault_every
            time.sleep(0.2)
        self.over.set()
        sampling.join()
        self.finish()

    def strike(self):
        """Strikes with one fault; each kind comes as often as the others."""
        if not self.order:
            kinds = self.arguments.faults
            self.order = self.random.sample(kinds, len(kinds))
        name = faults.strike(self.host, self.random, self.order.pop())
        if name:
            self.strikes[name] += 1
            self.tell(f"fault: {name}")

    def reap(self):
        for job in list(self.host.jobs):
            if job.process.poll() is None:
                if job.is_silent():
                    self.wrong.append(f"silent for {SILENCE_S} s: {job.kind} {job.limit}: "
                                      + job.output_path.read_text()[-1000:]
                                      + self.where_threads_are(job))
                    job.process.kill()
                continue
            self.host.jobs.remove(job)
            verdict = job.verdict()
            self.verdicts[verdict.split(":")[0]] += 1
            if verdict.startswith(("WRONG", "FAILED")):
                self.wrong.append(verdict)
            shutil.rmtree(job.folder)

    def where_threads_are(self, job):
        """Returns where those of the job and of the agent are."""
        lines = []
        with contextlib.suppress(faults.NotNow, OSError):
            lines += ["", "threads of the job:", threads.describe(job.pid)]
        with contextlib.suppress(OSError):
            lines += ["threads of the agent:",
                      threads.describe(self.host.daemons.pid("agent"))]
        return "\n".join(lines)

    def check_daemons(self):
        """A daemon ends where a fault kills it, and is then another process."""
        for name, process in self.host.daemons.processes.items():
            if process.poll() is not None:
                self.wrong.append(f"the {name} ended with {process.returncode}")

    def keep_sampling(self):
        """Takes samples until the end, also while a fault lasts."""
        while not self.over.wait(SAMPLE_S):
            # What the daemons have before a job trains is no measure for later.
            if not self.host.training_jobs():
                continue
            for name in ("agent", "service"):
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                    self.sample(name)

    def sample(self, name):
        for what, value in usage_of(self.host.daemons.pid(name)).items():
            self.samples[name, what].append(value)

    def finish(self):
        """Waits for the last jobs; then the agent must be as it began."""
        end = time.monotonic() + END_S
        while self.host.jobs and time.monotonic() < end:
            self.reap()
            time.sleep(0.2)
        for job in self.host.jobs:
            self.wrong.append(f"never ended: {job.kind} {job.limit}")
        self.host.kill_jobs()
        self.check_daemons()
        if not self.wrong:
            self.host.daemons.await_ready("agent")
            self.await_nothing_left()

    def await_nothing_left(self):
        end = time.monotonic() + 30
        while True:
            left = usage_of(self.host.daemons.pid("agent"))
            if left["arenas"] == 0 and left["files"] == 0:
                return
            if time.monotonic() > end:
                self.wrong.append(f"the agent still has {left}")
                return
            time.sleep(0.1)

    def tell(self, text):
        print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)

    def report(self):
        lines = [f"- {self.number} jobs: " +
                 ", ".join(f"{count} {what}" for what, count in self.verdicts.most_common())]
        lines += ["- faults: " + ", ".join(f"{count} {name}"
                                           for name, count in self.strikes.most_common())]
        lines += ["- each daemon early, late, and at most: " + ", ".join(
            " ".join([name, what, *(told(what, value)
                                    for value in (*early_and_late(values), max(values)))])
            for (name, what), values in sorted(self.samples.items()))]
        lines += [f"- wrong: {text}" for text in self.wrong] or ["- nothing was wrong"]
        return "\n".join(lines)


def early_and_late(samples):
    """Returns the medians of the second quarter and of the last one."""
    quarter = max(1, len(samples) // 4)
    return (statistics.median(samples[quarter:2 * quarter] or samples),
            statistics.median(samples[-quarter:]))


def told(what, value):
    return f"{value / MIB:.0f} MiB" if what == "rss" else f"{value:.0f}"


def check_growth(soak):
    """Compares what the daemons have early and late."""
    for (name, what), samples in soak.samples.items():
        early, late = early_and_late(samples)
        if late > early * (1 + GROWTH_SHARE) + GROWTH[what]:
            soak.wrong.append(f"{name}: {what} grew from {told(what, early)} to "
                              f"{told(what, late)}")


def faults_of(text):
    """Returns the faults that an argument names."""
    if text in FAULTS:
        return FAULTS[text]
    for group in FAULTS.values():
        by_name = {fault.__name__: fault for fault in group}
        if set(text.split(",")) <= set(by_name):
            return [by_name[name] for name in text.split(",")]
    raise argparse.ArgumentTypeError(
        f"'{text}' is neither host nor disk, nor faults of one of them: "
        + ", ".join(fault.__name__ for group in FAULTS.values() for fault in group))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--fault-every", type=float, default=60, help="seconds")
    parser.add_argument("--faults", type=faults_of, default="host",
                        help="host; disk: of the slow files' disk, which needs FUSE and "
                        "root; or some of one of them by name: kill_job,resize_job")
    parser.add_argument("--jobs", type=int, default=2, help="at a time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", type=Path, help="write the result to this file")
    arguments = parser.parse_args()
    of_disk = arguments.faults[0] in faults.DISK_FAULTS
    if of_disk and faulty_disk.available():
        sys.exit(f"soak: no faulty disk: {faulty_disk.available()}")
    folder = harness.scratch()
    try:
        with contextlib.ExitStack() as stack:
            soak = Soak(arguments, Host(folder, stack, of_disk))
            soak.run()
        check_growth(soak)
    finally:
        shutil.rmtree(folder)
    print(soak.report())
    if arguments.report:
        arguments.report.write_text(soak.report() + "\n")
    return 1 if soak.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
