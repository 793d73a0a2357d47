"""Runs a job by one method, each time in a memory cgroup of its own.

    bench = Bench(folder, steps=12, warm_up=6, quick=False, give_up_after_s=600)
    alone = bench.run("lstm", Method("alone"))
    stowed = bench.run("lstm", Method("stowage", "40%"))
    swapped = bench.run("lstm", Method("swap", "40%"), stowed["peak_bytes"], swap)

The cgroup holds every process of a run, Stowage's agent and service too, and is
charged for the page cache of what they read and write. A job that is compiled is
compiled in a run of its own, whose cache the counted run reads.
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

import environment

TRAIN = Path(__file__).with_name("train.py")
STEP = re.compile(r"^step \d+ ([0-9.]+) s loss (\S+)$", re.M)
HOST_BYTES = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
REFUSED = re.compile(r"^refused: (.*)", re.M)
SETTLE_S = 30
COMPILED = ("compiled", "budget")
# What each method imports before any model: those that need PyTorch 2, and the others.
IMPORTS_2 = {"alone-2": "torch, torchvision",
             **dict.fromkeys(COMPILED, "torch, torchvision, torch._inductor.compile_fx"),
             "deepspeed": "torch, torchvision, deepspeed"}
IMPORTS = "torch, torchvision, torch.utils.checkpoint"


@dataclasses.dataclass(frozen=True)
class Method:
    """`setting`: the limit of stowage, swap and files, the segments of checkpoint,
    the share of activations of budget."""
    name: str
    setting: str = ""

    @property
    def needs_pytorch_2(self):
        return self.name in IMPORTS_2

    @property
    def python(self):
        return environment.PYTHON if self.needs_pytorch_2 else harness.PYTHON

    def recipe(self):
        """Returns the options of train.py."""
        return {"files": ["--recipe", "files"],
                "checkpoint": ["--recipe", "checkpoint", "--segments", self.setting],
                "compiled": ["--recipe", "compiled"],
                "budget": ["--recipe", "compiled", "--budget", self.setting],
                "deepspeed": ["--recipe", "deepspeed"]}.get(self.name, [])


@dataclasses.dataclass(frozen=True)
class Bench:
    folder: Path  # on the disk that is measured
    steps: int
    warm_up: int
    quick: bool
    give_up_after_s: float

    def run(self, job, method, charge_bytes=HOST_BYTES, swap=None):
        """Returns what came of one run; `swap` is the file that it may swap to."""
        if method.name not in COMPILED:
            return self._run(job, method, charge_bytes, swap)
        # The first step of each shape, whose code is kept for the run that counts.
        first = dataclasses.replace(self, warm_up=0)._run(
            job, method, charge_bytes, swap, "--new-shapes-only")
        compiling = {"compile_s": sum(first["steps_s"]), "compile_peak_bytes": first["peak_bytes"]}
        if first["status"] != "ok":
            return {**first, "steps_s": []}
        return {**self._run(job, method, charge_bytes, swap), **compiling}

    def _run(self, job, method, charge_bytes, swap, *options):
        scratch = self._scratch()
        command = [*self._command(job, method, scratch), *options]
        with memory_cgroup.limited(charge_bytes) as cgroup:
            with swap.on() if swap else contextlib.nullcontext():
                status = self._execute(cgroup.command(command), scratch, method)
                peak_bytes = cgroup.peak_bytes()
        if peak_bytes is None:
            raise memory_cgroup.Unavailable("the kernel does not tell a cgroup's peak")
        return {"job": job, "method": method.name, "setting": method.setting,
                "charge_bytes": charge_bytes, "peak_bytes": peak_bytes,
                "status": status, **self._outcome(scratch)}

    def base_bytes(self, method):
        """Returns what is charged for Python and its libraries before any model."""
        command = [method.python, "-c", f"import {IMPORTS_2.get(method.name, IMPORTS)}"]
        for _ in range(2):  # the first may be charged for the page cache of libraries
            with memory_cgroup.limited(HOST_BYTES) as cgroup:
                self._execute(cgroup.command(command), self._scratch(), method)
                base_bytes = cgroup.peak_bytes()
        return base_bytes

    def _scratch(self):
        """Makes the empty folder of a run."""
        scratch = self.folder / "run"
        shutil.rmtree(scratch, ignore_errors=True)
        (scratch / "slow").mkdir(parents=True)
        return scratch

    def _command(self, job, method, scratch):
        train = [method.python, TRAIN, job, "--steps", self.steps,
                 "--out", scratch / "digest.json", "--folder", scratch / "slow"]
        train += ["--quick"] if self.quick else []
        if method.name == "stowage":
            return [harness.STOWAGE, "run", "--fast", method.setting,
                    "--slow", f"file:{scratch / 'slow'}",
                    "--report", scratch / "report.json", "--", *train]
        return [*train, *method.recipe()]

    def _execute(self, command, scratch, method):
        """Returns how the command ended, in words."""
        with open(scratch / "output", "w", encoding="utf-8") as output:
            process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT,
                                       env=self._variables(method), start_new_session=True)
            try:
                status = process.wait(self.give_up_after_s)
            except subprocess.TimeoutExpired:
                return "gave up"
            finally:
                stop(process)
        if status == -signal.SIGKILL:
            return "out of memory"
        refused = REFUSED.search((scratch / "output").read_text(encoding="utf-8"))
        if refused:
            return refused.group(1)
        return "ok" if status == 0 else f"failed with status {status}"

    def _variables(self, method):
        """Returns the environment's variables of a run."""
        if not method.needs_pytorch_2:
            return harness.environment()
        return harness.environment(
            **environment.variables(),
            TORCHINDUCTOR_CACHE_DIR=str(self.folder / "compiled"),
            TORCHINDUCTOR_COMPILE_THREADS="1")  # no processes that wait to compile

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


def folders(folder):
    """Returns what a bench leaves in its folder."""
    return folder / "run", folder / "compiled"


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
