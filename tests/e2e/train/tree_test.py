"""A job that never repeats a step trains in demand mode, bit-identically."""

import unittest

import harness

TRAIN = ("train_tree.py", "--steps", "10", "--leaves", "24", "--width", "128",
         "--batch", "32")


class TreeTest(unittest.TestCase):

    def check(self, **options):
        run = harness.stowed(*TRAIN, **options)
        self.assertEqual(harness.plain(*TRAIN), run.digest, run.summary())
        run.check_limit(self)
        self.assertEqual([], run.event_reasons, run.summary())
        return run.report["steps"]

    def test_every_step_is_another_one_and_moves_under_a_limit(self):
        steps = self.check(mode="demand")
        self.assertGreater(len({s["kernel_count"] for s in steps}), len(steps) / 2)
        for step in steps[2:]:
            self.assertGreater(step["moved_in_bytes"], 0)
            self.assertGreater(step["moved_out_bytes"], 0)

    def test_slow_memory_may_be_addressable(self):
        self.check(mode="demand", slow="emulated:optane")


if __name__ == "__main__":
    unittest.main()
