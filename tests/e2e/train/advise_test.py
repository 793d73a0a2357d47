"""What `stowage advise` says of a job holds when the job runs."""

import json
import shutil
import subprocess
import unittest

import harness

TRAIN = ("train_model.py", "mobilenet_v2", "--batch", "8", "--image", "96")


def command(*training):
    return [harness.PYTHON, harness.SCRIPTS / training[0], *training[1:]]


class AdviseTest(unittest.TestCase):

    def setUp(self):
        self.folder = harness.scratch()
        self.addCleanup(shutil.rmtree, self.folder)

    def advise(self, *training):
        result = subprocess.run(
            [harness.STOWAGE, "advise", "--slow", f"file:{self.folder}", "--format", "json",
             "--", *command(*training), "--out", self.folder / "digest.json"],
            check=False, capture_output=True, text=True, env=harness.environment(),
            timeout=harness.TIMEOUT_S)
        self.assertEqual(0, result.returncode, result.stderr)
        return json.loads(result.stdout)

    def test_the_command_ends_when_its_step_is_captured(self):
        advice = self.advise(*TRAIN, "--steps", "100000")
        self.assertGreater(advice["peak_bytes"], advice["least_limit_bytes"])
        self.assertFalse((self.folder / "digest.json").exists())

    def test_the_job_is_planned_under_the_least_limit(self):
        least = self.advise(*TRAIN)["least_limit_bytes"]
        run = harness.stowed(*TRAIN, fast=str(least))
        self.assertEqual(harness.plain(*TRAIN), run.digest)
        self.assertIn("plan", run.modes, run.summary())

    def test_the_job_follows_a_plan_under_the_limit_of_a_goal(self):
        limit = self.advise(*TRAIN)["goals"][-1]["fast_limit_bytes"]
        self.assertGreater(limit, 0)
        run = harness.stowed(*TRAIN, fast=str(limit))
        self.assertEqual(harness.plain(*TRAIN), run.digest)
        run.check_planned(self)
        run.check_limit(self)


if __name__ == "__main__":
    unittest.main()
