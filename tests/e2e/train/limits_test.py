"""Limits and slow tiers that cannot work are refused with what would."""

import json
import os
import re
import shutil
import subprocess
import unittest

import harness

TRAIN = ("train_model.py", "mobilenet_v2", "--batch", "8", "--image", "96")
SMALL = ("hazards_training.py", "plain")
STEPS = 6  # of a hazard


class LimitsTest(unittest.TestCase):

    def test_a_limit_in_bytes_holds_from_the_first_step(self):
        limit_bytes = 120 << 20
        run = harness.stowed(*TRAIN, fast="120MiB")
        self.assertEqual(harness.plain(*TRAIN), run.digest)
        self.assertEqual(limit_bytes, run.report["limit_bytes"])
        for step in run.report["steps"]:
            self.assertLessEqual(step["fast_peak_bytes"], limit_bytes,
                                 run.summary())
        run.check_planned(self)

    def test_unlimited_trains_and_moves_nothing(self):
        run = harness.stowed(*TRAIN, fast="unlimited")
        self.assertEqual(harness.plain(*TRAIN), run.digest)
        # The step in which a plan begins may put tensors where it wants them.
        last = run.report["steps"][-1]
        self.assertEqual(0, last["moved_in_bytes"] + last["moved_out_bytes"],
                         run.summary())

    def test_a_share_counts_the_optimizer_where_gradients_accumulate(self):
        accumulation = ("hazards_training.py", "accumulation")
        run = harness.stowed(*accumulation, fast="60%")
        self.assertEqual(harness.plain(*accumulation), run.digest)
        self.assertEqual(STEPS, len(run.report["steps"]), run.summary())
        self.assertAlmostEqual(0.6 * run.report["tensor_peak_bytes"],
                               run.report["limit_bytes"],
                               delta=1 << 16)

    def test_auto_finds_the_least_limit_that_costs_little(self):
        run = harness.stowed(*TRAIN, fast="auto:10%")
        self.assertEqual(harness.plain(*TRAIN), run.digest)
        self.assertRegex(run.output, r"--fast \d.* of the tensor peak\) found")
        limit_bytes = run.report["limit_bytes"]
        self.assertGreater(limit_bytes, 0)
        self.assertLess(limit_bytes, run.report["tensor_peak_bytes"])
        forecast = run.report["forecast"]
        self.assertTrue(forecast["planned"], run.summary())
        self.assertLessEqual(forecast["slowdown"], 1.1)
        self.assertGreater(run.modes.count("plan"), 0, run.summary())
        for step in run.report["steps"][2:]:
            self.assertLessEqual(step["fast_peak_bytes"], limit_bytes,
                                 run.summary())

    def test_a_captured_graph_is_planned_as_the_job_itself_is(self):
        run = harness.stowed(*TRAIN, fast="40%")
        run.check_planned(self)
        folder = harness.scratch()
        self.addCleanup(shutil.rmtree, folder)
        graph = folder / "graph.pb"

        def stowage(*arguments):
            return subprocess.run([harness.STOWAGE, *arguments],
                                  check=True,
                                  capture_output=True,
                                  text=True,
                                  env=harness.environment(),
                                  timeout=harness.TIMEOUT_S).stdout

        stowage("graph", "capture", "-o", graph, "--", harness.PYTHON,
                harness.SCRIPTS / TRAIN[0], *TRAIN[1:], "--out",
                folder / "digest.json")
        shown = json.loads(stowage("graph", "show", graph, "--format", "json"))
        peak_bytes = run.report["tensor_peak_bytes"]
        self.assertAlmostEqual(shown["peak_bytes"] / peak_bytes, 1, delta=0.02)
        plan = json.loads(
            stowage("plan", graph, "--system", "optane", "--fast", "40%",
                    "--format", "json"))
        self.assertAlmostEqual(plan["fast_limit_bytes"] /
                               run.report["limit_bytes"],
                               1,
                               delta=0.02)

    def test_a_limit_that_cannot_work_names_the_least_that_does(self):
        refused = harness.stowed(*SMALL, fast="512KiB", check=False)
        self.assertNotEqual(0, refused.status, refused.output)
        self.assertEqual({}, refused.digest, "it trained all the same")
        least = re.search(r"least.*?\((\d+) bytes\)", refused.output)
        self.assertTrue(least, refused.output)
        run = harness.stowed(*SMALL, fast=least.group(1))
        self.assertEqual(harness.plain(*SMALL), run.digest, run.summary())
        self.assertAlmostEqual(int(least.group(1)),
                               run.report["least_limit_bytes"],
                               delta=1 << 20)
        run.check_limit(self)

    def test_a_share_that_cannot_work_names_the_least_that_does(self):
        refused = harness.stowed(*SMALL, fast="1%", check=False)
        self.assertNotEqual(0, refused.status, refused.output)
        self.assertIn("1% of the tensor peak", refused.output)
        least = re.search(r"least.*? or (\d+%)", refused.output)
        self.assertTrue(least, refused.output)
        run = harness.stowed(*SMALL, fast=least.group(1))
        self.assertEqual(harness.plain(*SMALL), run.digest, run.summary())

    def test_the_thread_that_trains_is_told_before_its_first_update(self):
        script = ("hazards_training.py", "thread_before_updates")
        refused = harness.stowed(*script, fast="512KiB", check=False)
        self.assertNotEqual(0, refused.status, refused.output)
        self.assertIn("least limit", refused.output)
        self.assertNotIn("updated", refused.output)

    def test_a_limit_that_is_no_size_is_refused(self):
        for fast in ("banana", "-5MiB", "0", "140%", "0%", "40", "auto:0"):
            with self.subTest(fast=fast):
                run = harness.stowed(*TRAIN, fast=fast, check=False)
                self.assertNotEqual(0, run.status)
                self.assertIn("--fast", run.output)

    def test_a_slow_tier_that_does_not_exist_is_refused(self):
        for slow in ("file:/nowhere/at/all", "tape:0", "emulated:nothing"):
            with self.subTest(slow=slow):
                run = harness.stowed(*TRAIN, slow=slow, check=False)
                self.assertNotEqual(0, run.status)
                self.assertEqual({}, run.digest, "it trained all the same")
                self.assertIn(slow.partition(":")[2] or slow, run.output)

    @unittest.skipIf(shutil.which("setpriv") is None, "needs setpriv")
    @unittest.skipIf(os.geteuid() != 0, "needs root to become somebody else")
    def test_a_directory_that_is_not_writable_is_refused_before_training(self):
        folder = harness.scratch()
        self.addCleanup(shutil.rmtree, folder)
        folder.chmod(0o777)
        denied = folder / "denied"
        denied.mkdir(mode=0o555)
        digest = folder / "digest.json"
        result = subprocess.run([
            "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
            harness.STOWAGE, "run", "--slow", f"file:{denied}", "--",
            harness.PYTHON, harness.SCRIPTS / TRAIN[0], *TRAIN[1:], "--out",
            digest
        ],
                                capture_output=True,
                                text=True,
                                env=harness.environment(),
                                timeout=harness.TIMEOUT_S)
        self.assertNotEqual(0, result.returncode)
        self.assertIn(str(denied), result.stderr)
        self.assertFalse(digest.exists())


class FullDiskTest(unittest.TestCase):
    """The slow tier's file system has less room than the job needs."""

    def setUp(self):
        self.folder = harness.scratch()
        self.addCleanup(shutil.rmtree, self.folder)
        image = self.folder / "disk.img"
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        with open(image, "wb") as file:
            file.truncate(24 << 20)
        try:
            subprocess.run(["mkfs.ext4", "-q", "-F", image],
                           check=True,
                           capture_output=True)
            subprocess.run(["mount", "-o", "loop", image, self.disk],
                           check=True,
                           capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            self.skipTest(f"cannot mount a small file system: {error}")
        self.addCleanup(subprocess.run, ["umount", self.disk], check=True)

    def test_nothing_is_lost(self):
        run = harness.stowed(*TRAIN,
                             fast="40%",
                             slow=f"file:{self.disk}",
                             check=False)
        if run.status == 0:
            self.assertEqual(harness.plain(*TRAIN), run.digest, run.summary())
        else:
            self.assertEqual({}, run.digest)
        self.assertRegex(run.output, r"(?i)space|full|room|capacity")


if __name__ == "__main__":
    unittest.main(verbosity=2)
