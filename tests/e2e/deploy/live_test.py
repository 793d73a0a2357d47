"""A real Prometheus evaluates every expression of deploy/ on real daemons.

A service and an agent run training jobs, of which the second leaves its plan and is led by
the DQN policy that the service has trained for it. Prometheus scrapes them meanwhile.
"""

import math
import shutil
import time
import unittest
import urllib.request

import expressions
import live_stack  # It says where harness is.
import harness
import prometheus

PATIENCE_S = 60
LIMIT = "20MiB"
OTHER_LIMIT = "22MiB"
STEPS = 12
# After three steps that left it, the plan is made anew. Few of so few plans may fail.
HOLD_FROM = STEPS - 3
# Alerts about time, which is not ours alone on a machine that is shared.
ABOUT_TIME = {"StowageDriftRepeats", "StowagePlansSlowerThanPredicted",
              "StowageStepsWaitForMoves"}
# Series that Prometheus itself makes.
OF_PROMETHEUS = {"up", "ALERTS"}


def numbers(server, promql):
    """Returns the samples that are numbers, now or at a time since the test began."""
    samples = (server.query(promql) +
               server.query(f"max_over_time(({promql})[10m:1s])"))
    return [sample for sample in samples if not math.isnan(float(sample["value"][1]))]


@unittest.skipIf(prometheus.missing(), f"needs {prometheus.missing()}")
class LiveTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        folder = harness.scratch()
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.stack = cls.enterClassContext(live_stack.LiveStack(folder))
        cls.server = cls.stack.server
        cls.stack.await_scrape()
        # The service trains a policy for the graph of the first job. Rates need a
        # series that Prometheus has seen before it grows.
        cls.run_job("first", hold_from=STEPS)
        cls.stack.await_training()
        cls.stack.await_scrape()
        cls.run_job("second", hold_from=HOLD_FROM)
        # The second job may find its plan made. Under another limit none is.
        cls.run_job("third", hold_from=STEPS, fast=OTHER_LIMIT)

    @classmethod
    def run_job(cls, name, hold_from, fast=LIMIT):
        cls.stack.run_job(name, fast=fast, steps=STEPS, hold_from=hold_from,
                          policy="deeptm", hints=True)

    def metrics(self):
        """Returns the names of all metrics on the daemons' pages.

        Some have no series now, such as those of jobs that run.
        """
        names = set()
        for address in self.stack.pages.values():
            with urllib.request.urlopen(f"http://{address}/metrics") as page:
                lines = page.read().decode().splitlines()
            names |= {line.split("{")[0].split(" ")[0]
                      for line in lines if line and line[0] != "#"}
            names |= {line.split(" ")[2] for line in lines if line.startswith("# TYPE")}
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
