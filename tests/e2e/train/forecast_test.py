"""A job is told after its second step what its steps are going to cost."""

import re
import unittest

import harness

TRAIN = ("train_superresolution.py",)
LINE = re.compile(r"^stowage: (planned by|no plan: ).*$", re.MULTILINE)


class ForecastTest(unittest.TestCase):

    def test_one_line_by_the_third_step_and_the_same_in_the_report(self):
        run = harness.stowed(*TRAIN, fast="40%")
        self.assertEqual(harness.plain(*TRAIN), run.digest)
        lines = list(LINE.finditer(run.output))
        self.assertEqual(1, len(lines), run.output)
        self.assertLess(lines[0].start(), run.output.index("step 2"))
        forecast = run.report["forecast"]
        self.assertEqual("stowage: " + forecast["line"], lines[0].group())
        self.assertGreater(forecast["alone_step_ns"], 0)
        self.assertGreaterEqual(forecast["slowdown"], 1)

    def test_a_job_whose_scratch_streams_has_a_lower_bound(self):
        report = harness.stowed(*TRAIN, fast="40%", lower_bound=True).report
        self.assertGreater(report["lower_bound_ns"], 0)
        predicted = [s["predicted_duration_ns"] for s in report["steps"] if s["mode"] == "plan"]
        self.assertLessEqual(report["lower_bound_ns"], max(predicted))

    def test_a_job_without_a_limit_is_told_nothing(self):
        run = harness.stowed(*TRAIN, fast="unlimited")
        self.assertNotRegex(run.output, LINE)
        self.assertIsNone(run.report["forecast"])


if __name__ == "__main__":
    unittest.main()
