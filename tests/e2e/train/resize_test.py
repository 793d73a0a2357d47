"""The limit of a running job changes, and no bit does."""

import functools
import shutil
import subprocess
import unittest

import harness
import processes

STEPS = 16
TRAIN = ("train_model.py", "resnet50", "--batch", "4", "--image", "96",
         "--steps", str(STEPS))
# A limit is in force when a step has ended, and a plan for it one step later; or some
# steps later, where the machine is so busy that the process does not wait for it.
STEPS_UNTIL_PLANNED = 4


def resize(job, limit):
    """Runs `stowage resize`; returns its status and what it said."""
    done = subprocess.run([harness.STOWAGE, "resize", str(job), limit],
                          env=harness.environment(),
                          capture_output=True,
                          text=True,
                          timeout=harness.TIMEOUT_S)
    return done.returncode, done.stdout + done.stderr


class ResizeTest(unittest.TestCase):

    def setUp(self):
        self.folder = harness.scratch()
        self.addCleanup(shutil.rmtree, self.folder)

    def train_and_resize(self, fast, limits, **options):
        """Trains, and sets each limit of {step: limit} after its step.

        Returns the run and what `stowage resize` came to.
        """
        command = [
            harness.PYTHON, harness.SCRIPTS / TRAIN[0], *TRAIN[1:], "--out",
            self.folder / "digest.json"
        ]
        process = harness.start(command, self.folder, fast=fast, **options)
        answers = []

        def resize_to(limit):
            job = processes.child_named(process.pid, "python3")
            answers.append(resize(job, limit))

        run = harness.finish(
            process, self.folder, {
                step: functools.partial(resize_to, limit)
                for step, limit in limits.items()
            })
        self.assertEqual(0, run.status, run.output)
        self.assertEqual(harness.plain(*TRAIN), run.digest, run.summary())
        run.check_limit(self)
        return run, answers

    def steps_with(self, run, limit_bytes):
        return [
            step for step in run.report["steps"]
            if abs(step["limit_bytes"] - limit_bytes) <= 4096
        ]

    def check_planned_soon(self, run, steps):
        modes = [step["mode"] for step in steps]
        self.assertIn("plan", modes[:STEPS_UNTIL_PLANNED], run.summary())
        planned = modes[modes.index("plan"):]
        self.assertEqual({"plan"}, set(planned), run.summary())

    def test_down_by_half_and_up_again(self):
        limit, half = 64 << 20, 32 << 20
        run, answers = self.train_and_resize(str(limit), {
            4: str(half),
            9: str(limit)
        })
        self.assertEqual([0, 0], [status for status, _ in answers], answers)
        halved = self.steps_with(run, half)
        # The step that ran when the order came is still of the old limit.
        self.assertIn(halved[0]["index"], (5, 6), run.summary())
        self.check_planned_soon(run, halved)
        last = [s for s in self.steps_with(run, limit) if s["index"] > 9]
        self.assertIn(last[0]["index"], (10, 11), run.summary())
        self.check_planned_soon(run, last)
        self.assertGreater(last[-1]["fast_peak_bytes"], half, run.summary())
        self.assertEqual(["limit-changed"] * 2, run.event_reasons,
                         run.summary())

    def test_of_a_share(self):
        run, answers = self.train_and_resize("60%", {5: "30%"})
        self.assertEqual([0], [status for status, _ in answers], answers)
        peak = run.report["tensor_peak_bytes"]
        self.check_planned_soon(run, self.steps_with(run, 0.3 * peak))

    def test_below_what_works_is_refused_and_the_job_goes_on(self):
        run, answers = self.train_and_resize(str(64 << 20), {
            4: "2MiB",
            6: "auto",
            8: "nonsense"
        })
        (status, text), auto, nonsense = answers
        self.assertNotEqual(0, status)
        self.assertIn("least limit that the job works with", text)
        self.assertNotEqual(0, auto[0], auto)
        self.assertNotEqual(0, nonsense[0], nonsense)
        self.assertEqual([], run.event_reasons, run.summary())

    def test_of_a_job_that_is_not_there(self):
        status, text = resize("no-such-job", "100MiB")
        self.assertNotEqual(0, status)
        self.assertTrue("no job" in text or "no agent" in text, text)


if __name__ == "__main__":
    unittest.main(verbosity=2)
