"""Jobs as people write them keep their bits and their limit, and plans drive them.

    python3 jobs_test.py jobs_steps|jobs_optimizers|jobs_models|jobs_threads|jobs_functions|
                         jobs_extensions
"""

import sys
import unittest

import harness

# What these have at a time depends on the data, or on which thread comes first.
NEVER_ALIKE = {"loader_thread", "mixture_of_experts", "replicas_in_threads"}

# Its history goes round: where a tensor of it is depends on how many steps of another
# kind came before, and in half of the runs up to a third of the steps of one kind leave
# their plan.
LEAST_SHARES = {"lbfgs_line_search": 0.6}

# What the steps of a job run, and a plan has to know.
KERNELS = {"sparse_coordinates": "aten::copy_"}


class JobsTest(unittest.TestCase):
    script = "jobs_steps.py"

    def test_plans_drive_every_kind_from_its_fifth_step_on(self):
        for name in harness.names(self.script):
            with self.subTest(name):
                self.check(name)

    def check(self, name):
        alone = harness.plain(self.script, name)
        if "skipped" in alone:
            self.skipTest(alone["skipped"])
        run = harness.stowed(self.script, name, fast="60%")
        self.assertEqual(alone, run.digest, run.summary())
        run.check_limit(self)
        if name not in NEVER_ALIKE:
            share = LEAST_SHARES.get(name, harness.LEAST_SHARE)
            self.assertGreater(run.check_driven(self, share), 0, run.summary())
        if name in KERNELS:
            self.assertIn(KERNELS[name], [kernel["name"] for kernel in run.report["kernels"]])


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].startswith("jobs_"):
        JobsTest.script = sys.argv.pop(1) + ".py"
    unittest.main(verbosity=2)
