"""Runs a job by one method, each time in a memory cgroup of its own.

    bench = Bench(folder, steps=12, warm_up=6, quick=False, give_up_after_s=600)
    alone = bench.run("lstm", Method("alone"))
    stowed = bench.run("lstm", Method("stowage", "40%"))
    swapped = bench.run("lstm", Method("swap", "40%"), stowed["peak_bytes"], swap)

The cgroup holds every process of a run, Stowage's agent and service too, and is
charged for the page cache of what they read and write.
"""

import contextlib
import dataclasses
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "e2e/train"))

import harness  # pylint: disable=wrong-import-position
import memory_cgroup  # pylint: disable=wrong-import-position

TRAIN = Path(__file__).with_name("train.py")
STEP = re.compile(r"^step \d+ ([0-9.]+) s loss (\S+)$", re.M)
HOST_BYTES = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
SETTLE_S = 30


@dataclasses.dataclass(frozen=True)
class Method:
    """`setting`: the limit of stowage, swap and files, the segments of checkpoint."""
    name: str
    setting: str = ""


@dataclasses.dataclass(frozen=True)
class Bench:
    folder: Path  # on the disk that is measured
    steps: int
    warm_up: int
    quick: bool
    give_up_after_s: float

    def run(self, job, method, charge_bytes=HOST_BYTES, swap=None):
        """Returns what came of one run; `swap` is the file that it may swap to."""
        scratch = self._scratch()
        with memory_cgroup.limited(charge_bytes) as cgroup:
            with swap.on() if swap else contextlib.nullcontext():
                status = self._execute(cgroup.command(self._command(job, method, scratch)),
                                       scratch)
                peak_bytes = cgroup.peak_bytes()
        if peak_bytes is None:
            raise memory_cgroup.Unavailable("the kernel does not tell a cgroup's peak")
        return {"job": job, "method": method.name, "setting": method.setting,
                "charge_bytes": charge_bytes, "peak_bytes": peak_bytes,
                "status": status, **self._outcome(scratch)}

    def base_bytes(self):
        """Returns what is charged for Python and its libraries before any model."""
        command = [harness.PYTHON, "-c", "import torch, torchvision, torch.utils.checkpoint"]
        for _ in range(2):  # the first may be charged for the page cache of libraries
            with memory_cgroup.limited(HOST_BYTES) as cgroup:
                self._execute(cgroup.command(command), self._scratch())
                base_bytes = cgroup.peak_bytes()
        return base_bytes

    def _scratch(self):
        """Makes the empty folder of a run."""
        scratch = self.folder / "run"
        shutil.rmtree(scratch, ignore_errors=True)
        (scratch / "slow").mkdir(parents=True)
        return scratch

    def _command(self, job, method, scratch):
        train = [harness.PYTHON, TRAIN, job, "--steps", self.steps,
                 "--out", scratch / "digest.json", "--folder", scratch / "slow"]
        train += ["--quick"] if self.quick else []
        if method.name == "stowage":
            return [harness.STOWAGE, "run", "--fast", method.setting,
                    "--slow", f"file:{scratch / 'slow'}",
                    "--report", scratch / "report.json", "--", *train]
        recipes = {"files": ["--recipe", "files"],
                   "checkpoint": ["--recipe", "checkpoint", "--segments", method.setting]}
        return [*train, *recipes.get(method.name, [])]

    def _execute(self, command, scratch):
        """Returns how the command ended, in words."""
        with open(scratch / "output", "w", encoding="utf-8") as output:
            process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT,
                                       env=harness.environment(), start_new_session=True)
            try:
                status = process.wait(self.give_up_after_s)
            except subprocess.TimeoutExpired:
                return "gave up"
            finally:
                stop(process)
        if status == -signal.SIGKILL:
            return "out of memory"
        return "ok" if status == 0 else f"failed with status {status}"

    def _outcome(self, scratch):
        output = (scratch / "output").read_text(encoding="utf-8")
        steps = STEP.findall(output)
        modes = modes_of(scratch / "report.json")[self.warm_up:]
        digest = scratch / "digest.json"
        return {"steps_s": [float(seconds) for seconds, _ in steps][self.warm_up:],
                "losses": [loss for _, loss in steps],
                "digest": json.loads(digest.read_text()) if digest.exists() else {},
                "planned_share": modes.count("plan") / len(modes) if modes else None,
                "output_end": STEP.sub("", output).strip()[-2000:]}


def modes_of(report):
    if not report.exists():
        return []
    return [step["mode"] for step in json.loads(report.read_text())["steps"]]


def stop(process):
    """Ends the session that the process leads; a cgroup is removed when empty."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
            os.killpg(process.pid, number)
            process.wait(SETTLE_S)
