"""A real Prometheus evaluates every expression of deploy/ on real daemons.

A service and an agent run two training jobs and a training of a DQN policy, and
Prometheus scrapes them meanwhile.
"""

import json
import math
import shutil
import subprocess
import sys
import time
import unittest
import urllib.request
from pathlib import Path

for _folder in ("cli", "train"):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / _folder))

import chain_graph  # noqa: E402
import daemons  # noqa: E402
import expressions  # noqa: E402
import harness  # noqa: E402
import prometheus  # noqa: E402

PATIENCE_S = 60
# Expressions that have no number here, by metric, and why.
WITHOUT_DATA = {
    "stowaged_decision_duration_seconds_bucket":
        "Place streams belong to jobs with hints, which need a long training",
}
# Alerts about time, which is not ours alone on a machine that is shared.
ABOUT_TIME = {"StowagePlansSlowerThanPredicted", "StowageStepsWaitForMoves"}
# Series that Prometheus itself makes.
OF_PROMETHEUS = {"up", "ALERTS"}


def numbers(server, promql):
    """Returns the samples that are numbers, now or at a time since the test began."""
    samples = (server.query(promql) +
               server.query(f"max_over_time(({promql})[5m:1s])"))
    return [sample for sample in samples if not math.isnan(float(sample["value"][1]))]


@unittest.skipIf(prometheus.missing(), f"needs {prometheus.missing()}")
class LiveTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.folder = harness.scratch()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.host = cls.enterClassContext(daemons.Daemons(
            cls.folder,
            agent_flags=["--metrics-address=127.0.0.1:0", "--fast-total=64MiB",
                         "--slow-endurance=600TB"],
            metrics_address="127.0.0.1:0"))
        cls.pages = {
            "stowaged": cls.metrics_address("service"),
            "stowage-agent": cls.metrics_address("agent"),
        }
        cls.server = cls.enterClassContext(
            prometheus.Prometheus(cls.folder, cls.pages))
        cls.await_scrape()
        # Rates need a series that Prometheus has seen before it grows.
        cls.run_job("first", "20MiB")
        cls.train_policy()
        cls.await_scrape()
        cls.run_job("second", "24MiB")

    @classmethod
    def metrics_address(cls, name):
        """Returns the last line of the file that a daemon writes when it is ready."""
        return Path(cls.host.ready_path(name)).read_text().splitlines()[-1]

    @classmethod
    def await_scrape(cls):
        """Waits until Prometheus has scraped both daemons after now."""
        begin, end = time.time(), time.monotonic() + PATIENCE_S
        while not all(
                cls.server.query(f'timestamp(up{{job="{job}"}}) > {begin} and up == 1')
                for job in cls.pages):
            if time.monotonic() > end:
                raise AssertionError(cls.server.log.read_text())
            time.sleep(0.1)

    @classmethod
    def run_job(cls, name, fast):
        folder = cls.folder / name
        folder.mkdir()
        run = harness.stowed_command([
            harness.PYTHON, harness.SCRIPTS / "departing.py", "--steps", "8",
            "--hold-from", "8", "--out", folder / "digest.json"
        ], folder, fast=fast, agent=cls.host)
        if run.status != 0 or "plan" not in run.modes:
            raise AssertionError(run.summary())

    @classmethod
    def train_policy(cls):
        graph = cls.folder / "chain.json"
        graph.write_text(json.dumps(chain_graph.CHAIN))
        subprocess.run([
            harness.STOWAGE, "train", graph, "--system", "optane", "--fast-bytes",
            "2MiB", "--episodes", "4", "--seed", "1", "-o", cls.folder / "chain.dqn",
            "--service", f"unix:{cls.host.service_socket}"
        ], check=True, capture_output=True, env=harness.environment(),
                       timeout=harness.TIMEOUT_S)

    def metrics(self):
        """Returns the names of all series on the daemons' pages."""
        names = set()
        for address in self.pages.values():
            with urllib.request.urlopen(f"http://{address}/metrics") as page:
                lines = page.read().decode().splitlines()
            names |= {line.split("{")[0].split(" ")[0]
                      for line in lines if line and line[0] != "#"}
        return names

    def await_numbers(self, expression):
        end = time.monotonic() + PATIENCE_S
        while not (found := numbers(self.server, expression.promql)):
            self.assertLess(time.monotonic(), end, expression)
            time.sleep(0.2)
        return found

    def test_every_expression_of_a_panel_has_data(self):
        for expression in expressions.of_dashboards():
            with self.subTest(expression.where):
                if expressions.metrics_of(expression.promql) & WITHOUT_DATA.keys():
                    self.assertEqual([], numbers(self.server, expression.promql),
                                     "has data: take it out of WITHOUT_DATA")
                    continue
                for sample in self.await_numbers(expression):
                    self.assertLessEqual(expression.legend, sample["metric"].keys())

    def test_every_recording_rule_records(self):
        for rule in expressions.of_rules("record"):
            with self.subTest(rule.where):
                self.await_numbers(expressions.Expression(rule.where, rule.where))

    def test_no_alert_fires_on_a_healthy_host(self):
        for alert in expressions.of_rules("alert"):
            with self.subTest(alert.where):
                samples = self.server.query(alert.promql)
                if alert.where not in ABOUT_TIME:
                    self.assertEqual([], samples)

    def test_every_metric_in_an_expression_exists(self):
        recorded = {rule.where for rule in expressions.of_rules("record")}
        known = self.metrics() | recorded | OF_PROMETHEUS
        for expression in [*expressions.of_dashboards(),
                           *expressions.of_rules("record"),
                           *expressions.of_rules("alert")]:
            with self.subTest(expression.where):
                used = expressions.metrics_of(expression.promql)
                self.assertTrue(used, expression.promql)
                self.assertEqual(set(), used - known)


if __name__ == "__main__":
    unittest.main(verbosity=2)
