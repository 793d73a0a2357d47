"""Runs a service, an agent and a Prometheus that scrapes both every second.

    with live_stack.LiveStack(folder) as stack:
        stack.run_job("first", fast="20MiB")
        stack.await_training()
        stack.await_scrape()
        stack.server.query("stowaged_steps_total")
"""

import sys
import time
from pathlib import Path

for _folder in ("cli", "train"):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / _folder))

import daemons  # noqa: E402
import harness  # noqa: E402
import prometheus  # noqa: E402

PATIENCE_S = 300
AGENT_FLAGS = ("--fast-total=64MiB", "--slow-endurance=600TB")
# Trainings get the processor at once, and a service that drains says so for a second.
SERVICE_FLAGS = ("--training-nice=0", "--drain-delay=1s")


class LiveStack:
    """What is started ends with the stack, jobs too. `folder` gets all files.

    `service_flags` are appended to those of the service.
    """

    def __init__(self, folder, service_flags=()):
        self.folder = folder
        self.jobs = []
        self.host = daemons.Daemons(
            folder, agent_flags=["--metrics-address=127.0.0.1:0", *AGENT_FLAGS],
            service_flags=[*SERVICE_FLAGS, *service_flags], metrics_address="127.0.0.1:0",
            database=folder / "stowaged.db")

    def __enter__(self):
        self.host.__enter__()
        try:
            self.pages = {"stowaged": self.keep_metrics_address("service"),
                          "stowage-agent": self.keep_metrics_address("agent")}
            self.server = prometheus.Prometheus(self.folder, self.pages)
            self.server.__enter__()
        except BaseException:
            self.host.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for job in self.jobs:
            if job.poll() is None:
                job.terminate()
            job.communicate()
        self.server.__exit__()
        self.host.__exit__()

    def keep_metrics_address(self, name):
        """Returns the address of a daemon's metrics, which it then keeps.

        It is the last address in the file that a daemon writes when it is ready.
        """
        address = Path(self.host.ready_path(name)).read_text().split()[-1]
        command = self.host.commands[name]
        command[command.index("--metrics-address=127.0.0.1:0")] = (
            f"--metrics-address={address}")
        return address

    def await_true(self, condition):
        end = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(self.server.log.read_text())
            time.sleep(0.1)

    def await_scrape(self):
        """Waits until Prometheus has scraped both daemons after now."""
        begin = time.time()
        self.await_true(lambda: all(
            self.server.query(f'timestamp(up{{job="{job}"}}) > {begin} and up == 1')
            for job in self.pages))

    def await_training(self):
        """Waits until a training of a DQN policy has succeeded."""
        self.await_true(lambda: self.server.query(
            'stowaged_trainings_total{state="succeeded"} > 0'))

    def start_job(self, name, fast, steps, hold_from=None, **options):
        """Starts a job that leaves its plan from step `hold_from` on."""
        folder = self.folder / name
        folder.mkdir()
        job = harness.start([
            harness.PYTHON, harness.SCRIPTS / "departing.py", "--steps", str(steps),
            "--hold-from", str(steps if hold_from is None else hold_from), "--out",
            folder / "digest.json"
        ], folder, fast=fast, agent=self.host, **options)
        self.jobs.append(job)
        return job

    def run_job(self, *arguments, **options):
        """Runs such a job to its end."""
        job = self.start_job(*arguments, **options)
        output, _ = job.communicate(timeout=harness.TIMEOUT_S)
        if job.returncode != 0:
            raise AssertionError(output)
