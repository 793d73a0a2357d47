"""The time of each step is accounted for, and `stowage explain` says how."""

import json
import shutil
import subprocess
import unittest

import harness

SCRIPT = harness.SCRIPTS / "train_model.py"
TRAIN = ["mobilenet_v2", "--batch", "8", "--image", "96", "--steps", "8"]


def explain(*arguments):
    return subprocess.run([harness.STOWAGE, "explain", *arguments],
                          capture_output=True,
                          text=True,
                          env=harness.environment())


class ExplainTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.folder = harness.scratch()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        command = [harness.PYTHON, SCRIPT, *TRAIN]
        cls.run_ = harness.stowed_command(
            [*command, "--out", cls.folder / "digest.json"], cls.folder)
        cls.report = cls.folder / "report.json"

    def test_parts_add_up_to_each_kind_of_step(self):
        explained = explain(self.report, "--format", "json")
        self.assertEqual(0, explained.returncode, explained.stderr)
        explanations = json.loads(explained.stdout)
        self.assertEqual("plan", explanations[0]["mode"], self.run_.summary())
        for explanation in explanations:
            parts = {p["name"]: p["measured_ns"] for p in explanation["parts"]}
            self.assertAlmostEqual(1,
                                   sum(parts.values()) /
                                   explanation["duration_ns"],
                                   delta=0.02,
                                   msg=explained.stdout)
            self.assertGreater(parts["kernels"], 0)
            self.assertGreater(explanation["processor_ns"], 0)
        planned = explanations[0]
        predicted = sum(p["predicted_ns"] or 0 for p in planned["parts"])
        self.assertEqual(planned["predicted_duration_ns"], predicted)

    def test_it_is_told_and_drawn(self):
        picture = self.folder / "steps.svg"
        explained = explain(self.report, "--plot", picture)
        self.assertEqual(0, explained.returncode, explained.stderr)
        self.assertIn("plan steps of kind", explained.stdout)
        self.assertIn("processors were busy", explained.stdout)
        self.assertIn("<svg", picture.read_text())

    def test_a_file_that_is_no_report_is_refused(self):
        for name, text in (("empty.json", ""), ("other.json", '{"a": 1}')):
            path = self.folder / name
            path.write_text(text)
            refused = explain(path)
            self.assertNotEqual(0, refused.returncode)
            self.assertNotIn("terminate", refused.stderr)
        self.assertEqual(66, explain(self.folder / "missing.json").returncode)


if __name__ == "__main__":
    unittest.main(verbosity=2)
