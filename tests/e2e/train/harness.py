"""Runs a training script alone and under `stowage run`, and compares.

    baseline = harness.plain("train_model.py", "alexnet", "--batch", "8")
    run = harness.stowed("train_model.py", "alexnet", "--batch", "8",
                         fast="40%", slow="file")
    self.assertEqual(baseline, run.digest)
    run.check_limit(self)

The scripts in scripts/ are ordinary PyTorch; `--out FILE` receives the hashes
of what they computed (scripts/digest.py).
"""

import collections
import dataclasses
import functools
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

# Debian's Python is the one that has Debian's PyTorch.
PYTHON = os.environ.get("STOWAGE_TEST_PYTHON", "/usr/bin/python3")
SCRIPTS = Path(__file__).resolve().parent / "scripts"
BINARY_DIR = Path(
    os.environ.get("STOWAGE_BINARY_DIR", SCRIPTS.parents[3] / "build"))
STOWAGE = BINARY_DIR / "bin/stowage"
TIMEOUT_S = 300
# The exit status of a process that no agent takes as a job.
REFUSED = 78
# Options of a launcher of two ranks. PyTorch 1.13's own --standalone takes one port
# for all launchers of a host, and under Python 3.11 its defaults for output fail.
LAUNCHER = ("-m", "torch.distributed.run", "--redirects", "1", "--tee", "1")
TWO_RANKS = (*LAUNCHER, "--rdzv_backend", "c10d", "--rdzv_endpoint", "localhost:0",
             "--nproc_per_node", "2")
FIRST_PLANNED = 5  # of its kind
LEAST_SHARE = 0.9


@dataclasses.dataclass
class Run:
    """One finished job under Stowage."""
    status: int
    digest: dict
    report: dict
    output: str

    @property
    def modes(self):
        return [step["mode"] for step in self.report["steps"]]

    @property
    def event_reasons(self):
        return [event["reason"] for event in self.report["events"]]

    def check_limit(self, test):
        """Checks that the fast tier never holds more than the limit of the step."""
        test.assertGreater(self.report["limit_bytes"], 0)
        # The first step of a share may use more: FastLimit::kFirstStepBytes.
        for step in self.report["steps"][1:]:
            test.assertLessEqual(step["fast_peak_bytes"], step["limit_bytes"],
                                 f"step {step['index']}\n{self.summary()}")

    def check_planned(self, test):
        test.assertIn("plan", self.modes, self.summary())
        test.assertEqual([], self.event_reasons, self.summary())

    def planned_by_kind(self):
        """Returns for each kind whether its steps followed a plan to the end, in order."""
        left = {event["step"] for event in self.report["events"]}
        kinds = collections.defaultdict(list)
        for step in self.report["steps"]:
            followed = step["mode"] == "plan" and step["index"] not in left
            kinds[step["kind"]].append(followed)
        return kinds

    def check_driven(self, test, least_share=LEAST_SHARE):
        """Checks that plans drive the steps of each kind from its fifth on.

        Of few steps, one may leave its plan. Returns how many kinds have so many.
        """
        late = [steps[FIRST_PLANNED - 1:] for steps in self.planned_by_kind().values()
                if len(steps) >= FIRST_PLANNED]
        for followed in late:
            left = len(followed) - sum(followed)
            test.assertLessEqual(left, max(1, (1 - least_share) * len(followed)),
                                 self.summary())
        return len(late)

    def summary(self):
        shown = {k: v for k, v in self.report.items() if k not in ("jobs", "kernels")}
        return json.dumps(shown, indent=1) + "\n" + self.output[-4000:]


def environment(**more):
    """Returns a user's environment: this machine's, without leftovers of Stowage."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("STOWAGE_")}
    # First the Python that has torch.
    kept["PATH"] = os.path.dirname(PYTHON) + ":" + kept.get("PATH", "")
    return {**kept, "OMP_WAIT_POLICY": "passive", **more}


def scratch():
    """Makes a directory on a file system that takes direct I/O."""
    parent = BINARY_DIR / "test-scratch"
    parent.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(dir=parent))


def names(script):
    """Returns the jobs that a script has; see scripts/hazard.py."""
    return subprocess.run([PYTHON, SCRIPTS / script, "--list"],
                          check=True,
                          capture_output=True,
                          text=True,
                          env=environment()).stdout.split()


@functools.lru_cache(maxsize=None)
def plain(script, *arguments):
    """Returns the hashes of a run without Stowage; runs once for equal arguments."""
    folder = scratch()
    try:
        out = folder / "digest.json"
        subprocess.run([PYTHON, SCRIPTS / script, *arguments, "--out", out],
                       check=True,
                       env=environment(),
                       stdout=subprocess.DEVNULL,
                       timeout=TIMEOUT_S)
        return json.loads(out.read_text())
    finally:
        shutil.rmtree(folder)


def stowed(script, *arguments, check=True, **options):
    """Runs `script` under Stowage; `options` are as for stowed_command()."""
    folder = scratch()
    try:
        out = folder / "digest.json"
        command = [PYTHON, SCRIPTS / script, *arguments, "--out", out]
        run = stowed_command(command, folder, **options)
        if check and run.status != 0:
            raise AssertionError(f"exit status {run.status}: {run.output}")
        if out.exists():
            run.digest = json.loads(out.read_text())
        return run
    finally:
        shutil.rmtree(folder)


def stowed_command(command, folder, **options):
    """Runs any command under Stowage with `folder` for its files."""
    process = start(command, folder, **options)
    output, _ = process.communicate(timeout=TIMEOUT_S)
    report = folder / "report.json"
    return Run(status=process.returncode,
               digest={},
               report=json.loads(report.read_text()) if report.exists() else {},
               output=output)


def finish(process, folder, after_step):
    """Waits for a job that start() has started, with its digest in `folder`.

    Calls the functions of {step: function} after their steps.
    """
    output = []
    for line in process.stdout:
        output.append(line)
        for step, function in after_step.items():
            if line.startswith(f"step {step} "):
                function()
    status = process.wait(timeout=TIMEOUT_S)
    process.stdout.close()
    digest, report = folder / "digest.json", folder / "report.json"
    return Run(status=status,
               digest=json.loads(digest.read_text()) if digest.exists() else {},
               report=json.loads(report.read_text()) if report.exists() else {},
               output="".join(output))


def start(command,
          folder,
          fast="40%",
          slow="file",
          mode="plan",
          agent=None,
          floor=None,
          checksums=False,
          policy=None,
          hints=False,
          lower_bound=False,
          step_log=None,
          env=None):
    """Starts `stowage run`; its report will be `folder`/report.json.

    `slow` may be "file", which becomes a directory in `folder`, or the agent's. `mode` "demand"
    keeps the job from ever following a plan, "plan" from skipping one, and ""
    leaves it the choice. `agent` is a daemons.Daemons to be used in place of
    private daemons.
    """
    if agent and slow == "file":
        slow = ""  # The agent's own.
    elif slow == "file":
        tier = folder / "slow"
        tier.mkdir(exist_ok=True)
        slow = f"file:{tier}"
    options = ["--fast", fast, "--slow", slow]
    if checksums:
        options.append("--checksums")
    if floor:
        options += ["--floor", floor]
    if agent:
        options += ["--agent", agent.socket, "--agent-report-dir", agent.folder]
    options += ["--report", folder / "report.json"]
    if step_log:
        options += ["--step-log", step_log]
    if policy:
        options += ["--policy", policy]
    if lower_bound:
        options.append("--lower-bound")
    if hints:
        options += ["--hints"]
    return subprocess.Popen([STOWAGE, "run", *options, "--", *command],
                            env=environment(STOWAGE_MODE=mode, **(env or {})),
                            stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT,
                            text=True)
