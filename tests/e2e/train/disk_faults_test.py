"""A slow tier whose disk fails costs no bit: the job goes on, or says why not.

STOWAGE_FAULT_SEED chooses other instants than the usual ones.
"""

import contextlib
import json
import os
import random
import re
import shutil
import signal
import threading
import unittest

import faulty_disk
import harness
import processes

SEED = int(os.environ.get("STOWAGE_FAULT_SEED", "1"))
STEPS = 12
TRAIN = ("train_model.py", "resnet50", "--batch", "4", "--image", "96",
         "--steps", str(STEPS))
# Faults begin after one of these steps: there is a plan then.
FIRST_STEP, LAST_STEP = 2, 6
# From the first fault to the end of the job.
DEADLINE_S = 120
# What a job waits for as long as it takes.
STALL_S = 15


class DiskFaultsTest(unittest.TestCase):

    def setUp(self):
        missing = faulty_disk.available()
        if missing:
            self.skipTest(f"no faulty disk: {missing}")
        self.folder = harness.scratch()
        self.addCleanup(shutil.rmtree, self.folder)
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.disk = stack.enter_context(faulty_disk.FaultyDisk(self.folder))
        self.random = random.Random(f"{SEED} {self.id()}")

    def train(self, operation, inject):
        """Trains, and calls `inject(after)` when a step has ended.

        `after` so many operations of the kind, a random instant of the step that
        follows is reached: it has about as many as the last one.
        """
        digest = self.folder / "digest.json"
        command = [
            harness.PYTHON, harness.SCRIPTS / TRAIN[0], *TRAIN[1:], "--out",
            digest
        ]
        process = harness.start(command,
                                self.folder,
                                slow=f"file:{self.disk.path}")
        output = self.follow(process, operation, inject)
        report = self.folder / "report.json"
        self.job = harness.Run(
            process.returncode,
            json.loads(digest.read_text()) if digest.exists() else {},
            json.loads(report.read_text()) if report.exists() else {}, output)

    def follow(self, process, operation, inject):
        """Injects after a random step, and returns the output of the job."""
        chosen = self.random.randint(FIRST_STEP, LAST_STEP)
        output, counts = [], []
        with Deadline(process, self.disk, harness.TIMEOUT_S) as deadline:
            for line in process.stdout:
                output.append(line)
                step = re.match(r"step (\d+) ", line)
                if not step or int(step[1]) > chosen:
                    continue
                counts.append(self.disk.counts()[operation])
                if int(step[1]) == chosen:
                    inject(self.random.randint(0, counts[-1] - counts[-2]))
                    deadline.set(DEADLINE_S)
            process.wait(timeout=harness.TIMEOUT_S)
        process.stdout.close()
        self.assertFalse(deadline.passed, f"it hangs: {''.join(output)}")
        return "".join(output)

    def summary(self):
        return (f"seed {SEED}, on the disk {self.disk.counts()}\n"
                f"{self.job.summary()}")

    def check_bits(self):
        self.assertEqual(0, self.job.status, self.summary())
        self.assertEqual(harness.plain(*TRAIN), self.job.digest,
                         self.summary())
        self.assertEqual(STEPS, len(self.job.report["steps"]), self.summary())
        self.job.check_limit(self)

    def check_error(self):
        self.assertNotEqual(0, self.job.status, self.summary())
        self.assertEqual({}, self.job.digest, self.summary())
        self.assertRegex(self.job.output, "stowage: .*the slow tier file",
                         self.summary())

    def check_bits_or_error(self):
        if self.job.status == 0:
            self.check_bits()
        else:
            self.check_error()

    def check_met(self, kind, times=1):
        """Checks that the job met at least so many faults of this kind."""
        self.assertGreaterEqual(self.disk.counts()[kind], times, self.summary())

    def test_short_reads_are_completed(self):
        self.train(
            "read", lambda after: self.disk.shorten(
                "read", times=50, after=after, seed=SEED))
        self.check_met("shorten", times=50)
        self.check_bits()

    def test_short_writes_are_completed(self):
        self.train(
            "write", lambda after: self.disk.shorten(
                "write", times=50, after=after, seed=SEED))
        self.check_met("shorten", times=50)
        self.check_bits()

    def test_one_write_that_fails_costs_no_bit(self):
        self.train("write",
                   lambda after: self.disk.fail("write", "EIO", after=after))
        self.check_met("fail")
        self.check_bits_or_error()

    def test_a_disk_that_is_full_for_a_while_costs_no_bit(self):
        self.train(
            "write", lambda after: self.disk.fail(
                "write", "ENOSPC", after=after, times=20))
        self.check_met("fail")
        self.check_bits_or_error()

    def test_a_disk_that_cannot_be_read_ends_the_job_with_a_message(self):
        self.train(
            "read", lambda after: self.disk.fail(
                "read", "EIO", after=after, times=None))
        self.check_met("fail")
        self.check_error()

    def test_a_read_that_stalls_is_waited_for(self):
        self.train("read",
                   lambda after: self.disk.stall("read", STALL_S, after=after))
        self.check_met("stall")
        self.check_bits()

    def test_a_write_that_stalls_is_waited_for(self):
        self.train("write",
                   lambda after: self.disk.stall("write", STALL_S, after=after))
        self.check_met("stall")
        self.check_bits()


class Deadline:
    """Ends a job, its daemons and its disk where the job takes too long."""

    def __init__(self, process, disk, seconds):
        self.passed = False
        self._process = process
        self._disk = disk
        self._timer = None
        self.set(seconds)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._timer.cancel()
        if self._process.poll() is None:
            self._end()

    def set(self, seconds):
        """Counts from now."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(seconds, self._pass)
        self._timer.daemon = True
        self._timer.start()

    def _pass(self):
        self.passed = True
        self._end()

    def _end(self):
        # First the disk: what waits for it cannot be killed.
        self._disk.kill()
        for name in ("python3", "stowage-agent", "stowaged"):
            with contextlib.suppress(AssertionError, ProcessLookupError):
                os.kill(processes.child_named(self._process.pid, name),
                        signal.SIGKILL)
        self._process.kill()


if __name__ == "__main__":
    unittest.main(verbosity=2)
