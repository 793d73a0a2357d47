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

    def test_processor_time_is_that_of_job_and_agent(self):
        explained = explain(self.report, "--format", "json")
        self.assertEqual(0, explained.returncode, explained.stderr)
        explanations = json.loads(explained.stdout)
        for explanation in explanations:
            use = explanation["mean_use"]
            steps = [s for s in self.run_.report["steps"]
                     if (s["mode"], s["kind"]) ==
                     (explanation["mode"], explanation["kind"])]
            for name in ("processor_ns", "agent_processor_ns", "system_ns",
                         "mapping_ns"):
                mean_ns = sum(step[name] for step in steps) // len(steps)
                self.assertEqual(use[name], mean_ns, explained.stdout)
            self.assertGreater(use["agent_processor_ns"], 0, explained.stdout)
            self.assertGreater(use["processor_ns"], use["system_ns"])
        steps = self.run_.report["steps"]
        # The fast arena is mapped, and its pages are faulted in.
        self.assertGreater(sum(s["mapping_ns"] for s in steps), 0)
        self.assertGreater(sum(s["system_ns"] for s in steps), 0)
        # The agent moves tensors, and does not compute.
        agent_ns = sum(s["agent_processor_ns"] for s in steps)
        self.assertLess(agent_ns, sum(s["processor_ns"] for s in steps),
                        explained.stdout)

    def test_an_older_report_is_explained_without_what_it_lacks(self):
        report = json.loads(self.report.read_text())
        for step in report["steps"]:
            for name in ("agent_processor_ns", "system_ns", "mapping_ns"):
                del step[name]
        older = self.folder / "older.json"
        older.write_text(json.dumps(report))
        explained = explain(older)
        self.assertEqual(0, explained.returncode, explained.stderr)
        self.assertIn("plan steps of kind", explained.stdout)
        self.assertNotIn("agent", explained.stdout)

    def test_it_is_told_and_drawn(self):
        picture = self.folder / "steps.svg"
        explained = explain(self.report, "--plot", picture)
        self.assertEqual(0, explained.returncode, explained.stderr)
        self.assertIn("plan steps of kind", explained.stdout)
        self.assertIn("processors were busy", explained.stdout)
        self.assertRegex(explained.stdout, r"boundaries and agent +[0-9.]+ m?s +[0-9.]+ %")
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
