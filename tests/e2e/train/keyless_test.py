"""Where no dispatch key is free, jobs are planned and keep their bits all the same."""

import unittest

import harness

# Jobs that plans drive from the fifth step of a kind on.
DRIVEN = {"jobs_steps.py": ("buckets", "generation", "critic_twice", "acting_and_learning"),
          "jobs_extensions.py": ("own_update", "own_operators", "scripted_class"),
          "jobs_threads.py": ("forward_threads", "thread_older_than_tensors")}
# Operators within operators, of TorchScript's interpreter, and of several threads.
OTHERS = {"hazards_training.py": ("adam_foreach", "autocast", "checkpointing",
                                  "double_backward", "jit_script", "recurrent",
                                  "second_thread", "sparse_gradients"),
          "hazards_memory.py": ("numpy_view", "dlpack", "sparse_tensor")}


class KeylessTest(unittest.TestCase):

    def check(self, script, *arguments, fast="60%"):
        """Returns the run, which has the bits that it has alone."""
        run = harness.stowed("keyless.py", script, *arguments, fast=fast)
        self.assertEqual(harness.plain(script, *arguments), run.digest, run.summary())
        return run

    def test_a_model_is_planned(self):
        run = self.check("train_model.py", "mobilenet_v2", "--batch", "4", "--image", "64",
                         "--steps", "6", fast="40%")
        run.check_planned(self)
        run.check_limit(self)
        names = {kernel["name"] for kernel in run.report["kernels"]}
        self.assertIn("aten::convolution", names)
        self.assertNotIn("aten::conv2d", names)  # only calls others
        self.assertNotIn("aten::clone", names)  # a hook on a key sees autograd's copies

    def test_plans_drive_jobs(self):
        for script, jobs in DRIVEN.items():
            for name in jobs:
                with self.subTest(name):
                    run = self.check(script, name)
                    run.check_limit(self)
                    self.assertGreater(run.check_driven(self), 0, run.summary())

    def test_hazards_are_bit_identical(self):
        for script, jobs in OTHERS.items():
            for name in jobs:
                with self.subTest(name):
                    self.check(script, name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
