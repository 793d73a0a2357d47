"""What scripts do to memory behind PyTorch's back changes no bit.

    python3 hazards_test.py [hazards_memory|hazards_training|hazards_files|hazards_names]
"""

import sys
import unittest

import harness


class HazardsTest(unittest.TestCase):
    module = "hazards_memory"
    # Files need a limit under which what is loaded does not fit, and addresses one
    # under which weights leave between two steps.
    limits = {"hazards_files": "35%", "hazards_names": "40%", "storage_address": "40%",
              "storage_filled": "40%"}

    def test_every_hazard_is_bit_identical(self):
        script = f"{self.module}.py"
        for name in harness.names(script):
            with self.subTest(name):
                limit = self.limits.get(name, self.limits.get(self.module, "60%"))
                run = harness.stowed(script, name, fast=limit)
                self.assertEqual(harness.plain(script, name), run.digest,
                                 run.summary())

    def test_what_is_pickled_can_still_move(self):
        run = harness.stowed("hazards_memory.py", "pickled", fast="75%")
        self.assertIn("plan", run.modes, run.summary())
        self.assertNotIn("layout-taken", run.event_reasons, run.summary())

    def test_what_other_threads_do_is_no_part_of_a_step(self):
        run = harness.stowed("hazards_training.py", "reader_thread", fast="80%")
        run.check_planned(self)

    def test_plans_drive_although_addresses_are_known_outside(self):
        for name in ("numpy_view", "data_ptr", "data_ptr_within_operator",
                     "dlpack", "sparse_tensor"):
            with self.subTest(name):
                run = harness.stowed("hazards_memory.py", name, fast="80%")
                run.check_planned(self)

    def test_tensors_can_still_move_when_they_have_been_named_or_saved(self):
        script = "hazards_names.py"
        for name in {"asked_for_memory", "safetensors"} & set(harness.names(script)):
            with self.subTest(name):
                run = harness.stowed(script, name, fast="40%")
                self.assertIn("plan", run.modes[-2:], run.summary())
                self.assertNotIn("address-taken", run.event_reasons, run.summary())


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].startswith("hazards_"):
        HazardsTest.module = sys.argv.pop(1)
    unittest.main(verbosity=2)
