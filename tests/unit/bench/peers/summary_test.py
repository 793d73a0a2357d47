"""What the bench of peers says about a run beside the job alone."""

import os
import sys
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("STOWAGE_SOURCE_DIR", Path(__file__).resolve().parents[4]))
sys.path.insert(0, str(ROOT / "tests/bench/peers"))

import summary  # pylint: disable=wrong-import-position


def run(losses, **more):
    return {"job": "lstm", "method": "budget", "setting": "0.4", "status": "ok",
            "steps_s": [2.0], "losses": losses, "digest": {}, "peak_bytes": 5_000_000,
            "base_bytes": 4_000_000, "planned_share": None, "ratio": 1.0, "bits": "equal",
            **more}


class BitsTest(unittest.TestCase):

    def test_calls_equal_losses_equal_though_no_weights_are_known(self):
        alone = run(["1.5", "1.25", "1.0"], digest={"weights": "a"})
        self.assertEqual("2 losses equal", summary.bits(run(["1.5", "1.25"]), alone))

    def test_says_how_close_losses_are_that_differ_little(self):
        alone = run(["2.0", "1.0"])
        self.assertEqual("close, within 1e-04", summary.bits(run(["2.0", "1.0001"]), alone))

    def test_calls_losses_different_that_are_not_close(self):
        self.assertEqual("losses differ", summary.bits(run(["1.1"]), run(["1.0"])))

    def test_calls_losses_different_beside_a_job_that_has_none(self):
        self.assertEqual("losses differ", summary.bits(run(["1.1"]), run([])))

    def test_calls_losses_different_that_are_not_numbers(self):
        self.assertEqual("losses differ", summary.bits(run(["nan"]), run(["1.0"])))


class LineTest(unittest.TestCase):

    def test_says_what_compiling_took(self):
        runs = [run(["1.0"], compile_s=12.4, compile_peak_bytes=900_000_000)]
        self.assertIn("compiled before in 12 s with 900 MB", summary.line(summary.row(runs)))

    def test_says_why_a_job_was_refused(self):
        runs = [run([], status="cannot be compiled whole: an LSTM", steps_s=[], ratio=None)]
        self.assertIn("cannot be compiled whole: an LSTM", summary.line(summary.row(runs)))


if __name__ == "__main__":
    unittest.main()
