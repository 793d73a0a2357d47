"""Each kind of step gets its plan, and is planned from its fifth step on."""

import unittest

import harness

SCRIPT = "hazards_kinds.py"


class KindsTest(unittest.TestCase):

    def run_job(self, name, fast):
        run = harness.stowed(SCRIPT, name, fast=fast)
        self.assertEqual(harness.plain(SCRIPT, name), run.digest,
                         run.summary())
        run.check_limit(self)
        return run

    def check(self, name, fast, kinds):
        """`kinds`: how many have more than five steps."""
        run = self.run_job(name, fast)
        self.assertEqual(kinds, run.check_driven(self), run.summary())

    def test_batches_of_an_evaluation_are_steps(self):
        self.check("evaluation", "16MiB", kinds=6)

    def test_both_steps_of_a_gan(self):
        self.check("gan", "24MiB", kinds=2)

    def test_steps_that_numpy_looks_into(self):
        self.check("numpy_gradients", "24MiB", kinds=1)

    def test_a_teacher_divides_no_step(self):
        self.check("teacher", "16MiB", kinds=1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
