"""A limit in percent is the share of the tensor peak that it names, in each step."""

import unittest

import harness

SCRIPT = "hazards_shares.py"
FIRST_STEP_BYTES = 8 << 20  # FastLimit::kFirstStepBytes
LAST_STEPS = 4


class ShareTest(unittest.TestCase):

    def run_job(self, name, share, script=SCRIPT):
        run = harness.stowed(script, *name, fast=f"{share:.0%}")
        self.assertEqual(harness.plain(script, *name), run.digest,
                         run.summary())
        run.check_limit(self)
        self.assertAlmostEqual(share * run.report["tensor_peak_bytes"],
                               run.report["limit_bytes"],
                               delta=1 << 16,
                               msg=run.summary())
        return run

    def check_first_step(self, run):
        first = run.report["steps"][0]
        self.assertLessEqual(
            first["fast_peak_bytes"],
            max(first["limit_bytes"], FIRST_STEP_BYTES), run.summary())

    def test_of_both_models_of_a_gan(self):
        run = self.run_job(["two_models"], 0.4)
        self.check_first_step(run)
        self.assertEqual(["plan"] * LAST_STEPS, run.modes[-LAST_STEPS:],
                         run.summary())

    def test_of_batches_that_grow(self):
        run = self.run_job(["growing_batches"], 0.5)
        self.check_first_step(run)
        limits = [step["limit_bytes"] for step in run.report["steps"]]
        self.assertGreater(limits[-1], 1.2 * limits[4], run.summary())
        self.assertEqual(["plan"] * LAST_STEPS, run.modes[-LAST_STEPS:],
                         run.summary())

    def test_of_a_network_whose_kernels_need_more(self):
        run = self.run_job([], 0.3, script="train_superresolution.py")
        first = run.report["steps"][0]
        self.assertLessEqual(first["fast_peak_bytes"],
                             first["limit_bytes"] + FIRST_STEP_BYTES,
                             run.summary())
        self.assertTrue(run.report["forecast"]["planned"], run.summary())
        self.assertIn("plan", run.modes, run.summary())


if __name__ == "__main__":
    unittest.main(verbosity=2)
