"""A job follows its plan only where that is faster than demand mode."""

import statistics
import unittest

import harness

TRAIN = ("train_digits.py",)
# Times are of a machine that does other things, too.
MARGIN = 1.3


def median_ns(steps):
    return statistics.median(step["duration_ns"] for step in steps)


class FasterTest(unittest.TestCase):

    def train(self, **options):
        run = harness.stowed(*TRAIN, **options)
        self.assertEqual(harness.plain(*TRAIN), run.digest, run.summary())
        run.check_limit(self)
        self.assertIn("plan", run.modes, run.summary())
        return run

    def test_a_plan_that_is_slower_than_demand_mode_is_skipped(self):
        # Copies whatever a kernel uses in before it, and out after it.
        run = self.train(fast="80%", mode="", policy="all-slow")
        steps = run.report["steps"]
        self.assertEqual("demand-faster", steps[-1]["plan_skip"], run.summary())
        skipped = [s for s in steps if s["plan_skip"] == "demand-faster"]
        self.assertGreater(len(skipped), len(steps) / 2, run.summary())
        self.assertGreater(steps[-1]["plan_median_ns"], median_ns(skipped))
        self.assertIn(
            f"{len(skipped)} steps ran without their plan: demand mode was "
            "faster", run.output)
        self.assertEqual([], run.event_reasons, run.summary())

    def test_the_driver_that_was_measured_to_be_faster_drives_small_tensors(self):
        run = self.train(fast="80%", mode="")
        planned = [s for s in run.report["steps"] if s["mode"] == "plan"]
        tried = [s for s in run.report["steps"] if s["plan_skip"] == "demand-trial"]
        self.assertTrue(tried, run.summary())
        if median_ns(tried) * MARGIN < median_ns(planned):
            self.assertIn("demand-faster",
                          {s["plan_skip"] for s in run.report["steps"]},
                          run.summary())

    def test_a_job_may_be_told_to_follow_its_plans(self):
        run = self.train(fast="80%", mode="plan", policy="all-slow")
        self.assertEqual({None},
                         {step["plan_skip"] for step in run.report["steps"]})


if __name__ == "__main__":
    unittest.main()
