"""What a script asks of the package stowage is done, and changes no number."""

import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import harness

SCRIPT = "train_api.py"
FAST_TIER = "stowage-dram"


class ApiTest(unittest.TestCase):

    def setUp(self):
        self.folder = harness.scratch()
        self.addCleanup(shutil.rmtree, self.folder)

    def train(self, *options, fast="40%", limited=True, alone=(), **more):
        """Returns the run and the facts that the script noted.

        `alone`: options of the run without Stowage that computes the same; None: there is none.
        """
        facts = self.folder / "facts.json"
        command = [harness.PYTHON, harness.SCRIPTS / SCRIPT, *options, "--out",
                   self.folder / "digest.json", "--facts", facts]
        run = harness.stowed_command(command, self.folder, fast=fast, **more)
        self.assertEqual(0, run.status, run.output)
        if limited:
            run.check_limit(self)
        if alone is not None:
            digest = json.loads((self.folder / "digest.json").read_text())
            self.assertEqual(harness.plain(SCRIPT, *alone), digest, run.summary())
        return run, json.loads(facts.read_text())

    def check_steps(self, run, steps):
        """Checks that the steps, as dicts, are those of the report."""
        def shown(step, name, seconds):
            return (step[name], step["mode"], step["kind"], step["moved_in_bytes"],
                    step["moved_out_bytes"], step["fast_peak_bytes"], seconds)

        self.assertEqual(
            [shown(s, "index", s["duration_ns"] // 1000) for s in run.report["steps"]],
            [shown(s, "step", round(s["duration_s"] * 1e6)) for s in steps])


class KeepingTest(ApiTest):

    def check_kept(self, facts, first_step):
        """Checks that the weights were in fast memory when each step had ended."""
        for index, places in enumerate(facts["places"][first_step:], first_step):
            for _, mapped in places:
                self.assertIn(FAST_TIER, mapped, f"step {index}: {places}")

    def test_layers_that_are_kept_stay_also_with_another_storage(self):
        options = ("--keep", "2", "--replace", "--adam")
        run, facts = self.train(*options, alone=options)
        facts["places"].pop(4)  # it is replaced in this step, and kept behind it
        self.check_kept(facts, first_step=1)
        self.assertIn("plan", run.modes)

    def test_layers_may_be_kept_while_a_plan_drives(self):
        run, facts = self.train("--keep", "2", "--keep-at", "4")
        self.check_kept(facts, first_step=4)
        self.assertIn("plan", run.modes[5:], run.summary())
        events = {event["reason"] for event in run.report["events"]}
        self.assertLessEqual(events, {"plan-outgrown"}, run.summary())

    def test_what_is_kept_under_a_limit_yet_to_be_found_stays(self):
        run, facts = self.train("--keep", "2", fast="auto", limited=False)
        self.check_kept(facts, first_step=2)
        for step in run.report["steps"][3:]:
            self.assertLessEqual(step["fast_peak_bytes"], run.report["limit_bytes"])

    def test_what_does_not_fit_is_refused_with_its_size_and_a_limit(self):
        _, facts = self.train("--keep", "8", fast="6MiB")
        self.assertEqual(1, len(facts["caught"]), facts["caught"])
        self.assertRegex(facts["caught"][0],
                         r"cannot keep the parameter of 1.00 MiB .* the limit is 6.00 MiB; "
                         r"keep less, or raise the limit to \d")

    def test_what_does_not_fit_a_share_is_refused_once_it_is_known(self):
        _, facts = self.train("--keep", "6", "--steps", "4", fast="15%", alone=None)
        self.assertEqual(1, len(facts["caught"]), facts["caught"])
        self.assertRegex(facts["caught"][0], r"and \d more, together .* in fast memory")


class UnmanagedTest(ApiTest):

    def test_tensors_that_are_not_managed_count_against_the_limit(self):
        options = ("--unmanaged", "3", "--steps", "5")
        run, _ = self.train(*options, fast="12MiB", alone=options)
        self.assertGreater(max(step["fast_peak_bytes"] for step in run.report["steps"]),
                           3 << 20)
        self.assertIn("plan", run.modes)

    def test_a_tensor_that_has_no_room_outside_is_refused(self):
        _, facts = self.train("--unmanaged", "40", "--steps", "2", fast="12MiB", alone=None)
        self.assertIn("never_manage() leaves no room for a tensor of 40.0 MiB",
                      facts["caught"][0])


class ImportTest(unittest.TestCase):

    def imported(self, script, **environment):
        result = subprocess.run(
            [harness.STOWAGE, "run", "--fast", "40%", "--", harness.PYTHON, "-c", script],
            check=False, capture_output=True, text=True, env=harness.environment(**environment))
        self.assertEqual(0, result.returncode, result.stderr)
        return result.stdout

    def test_scripts_import_the_package_before_and_behind_torch(self):
        for imports in ("stowage, torch", "torch, stowage"):
            with self.subTest(imports=imports):
                out = self.imported(f"import {imports}\ntorch.ones(4)\n"
                                    "print(stowage.attached(), stowage.__file__)")
                self.assertRegex(out, "^True .*stowage/__init__.py")

    def test_a_package_that_is_installed_comes_first(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "stowage.py").write_text("name = 'installed'\n")
            out = self.imported("import stowage\nprint(stowage.name)", PYTHONPATH=folder)
        self.assertEqual("installed", out.strip())


class LoggingTest(ApiTest):

    def test_steps_have_phases_for_functions_for_a_log_and_in_the_report(self):
        options = ("--phases", "--evaluate")
        log = self.folder / "steps.jsonl"
        log.write_text("of an earlier run\n")
        run, facts = self.train(*options, alone=options, step_log=log, env={"RANK": "0"})
        steps = [json.loads(line) for line in log.read_text().splitlines()]
        self.check_steps(run, steps)
        self.assertEqual(facts["steps"], steps)
        self.assertEqual({0}, {step["rank"] for step in steps})
        phases = [step["phase"] for step in run.report["steps"]]
        self.assertEqual(["warmup"] * 3, phases[:3])
        self.assertEqual({"warmup", "train", "evaluation"}, set(phases))
        self.assertEqual(phases, [step["phase"] for step in steps])
        self.assertIn("phase warmup: 3 steps, median", run.output)
        explained = subprocess.run(
            [harness.STOWAGE, "explain", self.folder / "report.json"],
            check=True, capture_output=True, text=True, env=harness.environment())
        self.assertIn("in phase warmup", explained.stdout)

    def test_an_error_of_such_a_function_comes_out_of_the_step_that_is_over(self):
        run, facts = self.train("--raises")
        self.assertEqual(["'a logger failed'"], facts["caught"])
        self.check_steps(run, facts["steps"])

    def test_steps_without_an_optimizer_are_told_when_a_module_is_called(self):
        options = ("--no-optimizer",)
        run, facts = self.train(*options, alone=options, step_log="-")
        self.assertGreaterEqual(len(facts["steps"]), len(run.modes) - 1)
        lines = [line for line in run.output.splitlines() if line.startswith("{")]
        self.check_steps(run, [json.loads(line) for line in lines])

    def test_a_log_that_cannot_be_written_is_refused_before_the_command_runs(self):
        result = subprocess.run(
            [harness.STOWAGE, "run", "--step-log", self.folder / "none/steps", "--", "true"],
            check=False, capture_output=True, text=True, env=harness.environment())
        self.assertNotEqual(0, result.returncode)
        self.assertIn("none/steps", result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
