"""A job that leaves its plan is led by the DQN policy that serves for it.

A service and an agent run as daemons; a first job has its graph stored and a
policy trained, a second one holds on to tensors that its plan has elsewhere.
"""

import json
import re
import shutil
import subprocess
import time
import unittest
import urllib.request

import harness

STEPS = 12
HOLD_FROM = 6
LIMIT = "20MiB"
DEADLINE_S = 600


def train_command(folder, hold_from):
    return [
        harness.PYTHON, harness.SCRIPTS / "departing.py", "--steps",
        str(STEPS), "--hold-from",
        str(hold_from), "--out", folder / "digest.json"
    ]


class PlacementTest(unittest.TestCase):

    def setUp(self):
        self.folder = harness.scratch()
        self.addCleanup(shutil.rmtree, self.folder)
        serve = subprocess.Popen([
            harness.STOWAGE, "serve", "--metrics-address", "127.0.0.1:0",
            "--format", "json"
        ],
                                 env=harness.environment(
                                     STOWAGE_TRAINING_NICE="0"),
                                 stdout=subprocess.PIPE,
                                 text=True)
        self.addCleanup(serve.communicate)
        self.addCleanup(serve.terminate)
        self.addresses = json.loads(serve.stdout.readline())

    def await_true(self, condition):
        deadline_s = time.monotonic() + DEADLINE_S
        while not condition():
            self.assertLess(time.monotonic(), deadline_s)
            time.sleep(0.05)

    def metric(self, series):
        url = f"http://{self.addresses['metrics']}/metrics"
        with urllib.request.urlopen(url) as response:
            text = response.read().decode()
        found = re.search(rf"^{re.escape(series)} (\S+)$", text, re.MULTILINE)
        return float(found.group(1)) if found else 0

    def train(self, slow, hold_from):
        process = harness.start(
            train_command(self.folder, hold_from),
            self.folder,
            fast=LIMIT,
            slow=slow,
            policy="deeptm",
            hints=True,
            env={
                "STOWAGE_AGENT": self.addresses["agent"],
                "STOWAGE_REPORT_DIR": self.addresses["report_dir"]
            })
        output, _ = process.communicate(timeout=DEADLINE_S)
        self.assertEqual(0, process.returncode, output)
        return harness.Run(
            status=0,
            digest=json.loads((self.folder / "digest.json").read_text()),
            report=json.loads((self.folder / "report.json").read_text()),
            output=output)

    def check(self, slow):
        plain = harness.plain("departing.py", "--steps", str(STEPS),
                              "--hold-from", str(HOLD_FROM))
        # Asks for a training; follows its plan, so there is nothing to adapt.
        first = self.train(slow, hold_from=STEPS)
        first.check_planned(self)
        self.assertEqual(0, self.adaptive_answers())
        self.await_true(lambda: self.metric(
            'stowaged_trainings_total{state="succeeded"}') == 1)

        run = self.train(slow, hold_from=HOLD_FROM)
        self.assertEqual(plain, run.digest, run.summary())
        run.check_limit(self)
        self.assertNotEqual([], run.event_reasons, run.summary())
        self.assertNotIn("hints-malformed", run.event_reasons)
        self.assertGreater(
            self.metric('stowaged_adaptive_placements_total{source="policy"}'),
            0, run.summary())
        self.assertGreater(sum(s["hints_taken"] for s in run.report["steps"]),
                           0, run.summary())
        self.await_true(
            lambda: self.metric('stowaged_hints_total{outcome="taken"}') > 0)

    def adaptive_answers(self):
        return sum(
            self.metric(f'stowaged_adaptive_placements_total{{source="{s}"}}')
            for s in ("plan", "policy"))

    def test_where_kernels_use_slow_memory_in_place(self):
        self.check("emulated:cxl")

    def test_where_slow_memory_is_a_file(self):
        self.check("file")


if __name__ == "__main__":
    unittest.main(verbosity=2)
