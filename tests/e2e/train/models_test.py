"""Models compute the same bits under a limit as without Stowage.

    python3 models_test.py resnet50     one model; STOWAGE_BINARY_DIR names the build

Large models under few limits in demand mode, and the slowest in plan mode, to
save time; STOWAGE_TEST_FULL=1 takes every combination.
"""

import os
import sys
import unittest

import harness

# Batch and image: small, but activations must not vanish beside the weights.
SIZES = {
    "alexnet": (8, 224),
    "vgg19": (4, 128),
    "resnet50": (4, 96),
    "mobilenet_v2": (4, 96),
    "inception_v3": (2, 299),
    "transformer": (16, 0),
}
LIMITS = ("100%", "40%", "20%")
SLOW_TIERS = ("file", "emulated:optane")
ALL_COMBINATIONS = [(f, s) for f in LIMITS for s in SLOW_TIERS]
FULL = bool(os.environ.get("STOWAGE_TEST_FULL"))
SLOW_MODELS = ("alexnet", "vgg19", "inception_v3")
LARGE_MODELS = (*SLOW_MODELS, "resnet50")


class ModelsTest(unittest.TestCase):
    model = "resnet50"

    def train(self, **options):
        batch, image = SIZES[self.model]
        arguments = (self.model, "--batch", str(batch), "--image", str(image))
        run = harness.stowed("train_model.py", *arguments, **options)
        self.assertEqual(harness.plain("train_model.py", *arguments),
                         run.digest, run.summary())
        self.assertEqual(5, len(run.report["steps"]), run.summary())
        run.check_limit(self)
        return run

    def test_plan_mode_is_bit_identical(self):
        for fast, slow in self.plan_combinations():
            with self.subTest(fast=fast, slow=slow):
                run = self.train(fast=fast, slow=slow)
                run.check_planned(self)
                if fast == "100%":
                    self.check_moves_little(run)

    def check_moves_little(self, run):
        """The peak is reached in few places: next to nothing has to move."""
        planned = [s for s in run.report["steps"] if s["mode"] == "plan"]
        self.assertLess(planned[-1]["moved_in_bytes"],
                        run.report["tensor_peak_bytes"] / 10, run.summary())

    def test_demand_mode_is_bit_identical(self):
        for fast, slow in self.demand_combinations():
            with self.subTest(fast=fast, slow=slow):
                run = self.train(fast=fast, slow=slow, mode="demand")
                self.assertNotIn("plan", run.modes)

    def plan_combinations(self):
        if self.model in SLOW_MODELS and not FULL:
            return [("100%", "emulated:optane"), ("20%", "file"),
                    ("20%", "emulated:optane")]
        return ALL_COMBINATIONS

    def demand_combinations(self):
        if FULL:
            return ALL_COMBINATIONS
        if self.model in SLOW_MODELS:
            return [("40%", "file")]
        if self.model in LARGE_MODELS:
            return [("40%", "file"), ("20%", "emulated:optane")]
        return [(f, s) for f, s in ALL_COMBINATIONS if f != "100%"]


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in SIZES:
        ModelsTest.model = sys.argv.pop(1)
    unittest.main(verbosity=2)
