"""Losing the agent or the service costs no bit and does not stop training."""

import json
import os
import shutil
import signal
import unittest
from pathlib import Path

import harness

STEPS = 10
TRAIN = ("train_model.py", "resnet50", "--batch", "4", "--image", "96",
         "--steps", str(STEPS))


def child_named(parent, name):
    """Returns the process id of the child of `parent` that runs `name`."""
    for entry in Path("/proc").iterdir():
        try:
            if not entry.name.isdigit():
                continue
            program = os.path.basename(os.readlink(entry / "exe"))
            stat = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # It ended while we looked.
        if program == name and int(stat[1]) == parent:
            return int(entry.name)
    raise AssertionError(f"no child {name} of process {parent}")


class FaultsTest(unittest.TestCase):

    def setUp(self):
        self.folder = harness.scratch()
        self.addCleanup(shutil.rmtree, self.folder)

    def train_and_kill(self, program, after_step, **options):
        digest = self.folder / "digest.json"
        command = [
            harness.PYTHON, harness.SCRIPTS / TRAIN[0], *TRAIN[1:], "--out",
            digest
        ]
        process = harness.start(command, self.folder, **options)
        output = []
        for line in process.stdout:
            output.append(line)
            if line.startswith(f"step {after_step} "):
                os.kill(child_named(process.pid, program), signal.SIGKILL)
        status = process.wait(timeout=harness.TIMEOUT_S)
        process.stdout.close()
        text = "".join(output)
        self.assertEqual(0, status, text)
        run = harness.Run(status, json.loads(digest.read_text()),
                          json.loads((self.folder / "report.json").read_text()),
                          text)
        self.assertEqual(harness.plain(*TRAIN), run.digest, run.summary())
        self.assertEqual(STEPS, len(run.report["steps"]), run.summary())
        run.check_limit(self)
        return run

    def test_the_agent_dies_while_a_plan_drives(self):
        run = self.train_and_kill("stowage-agent", after_step=5)
        self.assertIn("agent-lost", run.event_reasons, run.summary())
        self.assertIn("plan", run.modes[:6], run.summary())
        self.assertEqual("demand", run.modes[-1], run.summary())

    def test_the_agent_dies_before_there_is_a_plan(self):
        run = self.train_and_kill("stowage-agent", after_step=0)
        self.assertIn("agent-lost", run.event_reasons, run.summary())
        self.assertNotIn("plan", run.modes, run.summary())

    def test_the_service_dies_while_a_plan_drives(self):
        run = self.train_and_kill("stowaged", after_step=5)
        self.assertIn("service-lost", run.event_reasons, run.summary())

    def test_the_service_dies_before_there_is_a_plan(self):
        run = self.train_and_kill("stowaged", after_step=0)
        details = [f["detail"] for f in run.report["events"]]
        self.assertIn("service", " ".join(details), run.summary())


if __name__ == "__main__":
    unittest.main(verbosity=2)
