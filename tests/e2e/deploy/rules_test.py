"""The rules parse, and each alert is shown firing and silent by promtool.

rules/*.yaml are tests for `promtool test rules`; deploy/prometheus has the rules.
"""

import re
import subprocess
import unittest
from pathlib import Path

import expressions
import prometheus

TESTS = sorted((Path(__file__).resolve().parent / "rules").glob("*.yaml"))
RUNBOOKS = "docs/runbooks.md"
SEVERITIES = {"critical", "warning", "info"}
RECORDED = re.compile(r"[a-z_]+:stowaged?_[a-z_]+:[a-z0-9_]+")
ALERT_STATE = re.compile(r'ALERTS\{alertname="(\w+)",alertstate="firing"\}')


def promtool(*arguments):
    return subprocess.run(["promtool", *map(str, arguments)], capture_output=True,
                          text=True, check=False, timeout=60)


def shown(is_firing):
    """Returns the alerts that a test shows firing, or silent."""
    import yaml
    found = set()
    for path in TESTS:
        for case in yaml.safe_load(path.read_text(encoding="utf-8"))["tests"]:
            for check in case["promql_expr_test"]:
                if bool(check["exp_samples"]) == is_firing:
                    found |= set(ALERT_STATE.findall(check["expr"]))
    return found


@unittest.skipIf(prometheus.missing(), f"needs {prometheus.missing()}")
class RulesTest(unittest.TestCase):

    def assert_succeeds(self, result):
        self.assertEqual(0, result.returncode, result.stdout + result.stderr)

    def test_prometheus_accepts_the_example_and_its_rules(self):
        self.assert_succeeds(promtool("check", "config", "--lint=all",
                                      expressions.RULES_DIR / "prometheus.yaml"))
        self.assert_succeeds(promtool("check", "rules", "--lint=all", "--lint-fatal",
                                      *expressions.RULES_DIR.glob("stowage.*.yaml")))

    def test_alerts_fire_when_they_should_and_not_otherwise(self):
        self.assert_succeeds(promtool("test", "rules", *TESTS))

    def test_each_alert_is_shown_firing_and_silent(self):
        alerts = {rule["alert"] for rule in expressions.rules("alert")}
        self.assertEqual(alerts, shown(is_firing=True))
        self.assertEqual(alerts, shown(is_firing=False))

    def test_each_alert_says_what_an_operator_needs(self):
        page = (expressions.SOURCE_DIR / RUNBOOKS).read_text(encoding="utf-8")
        sections = re.findall(r"^## (\w+)$", page, re.M)
        alerts = expressions.rules("alert")
        self.assertEqual([rule["alert"] for rule in alerts], sections)
        for rule in alerts:
            with self.subTest(rule["alert"]):
                self.assertIn(rule["labels"]["severity"], SEVERITIES)
                self.assertIn("for", rule)
                self.assertTrue(rule["annotations"]["summary"].endswith("."))
                self.assertTrue(rule["annotations"]["description"].endswith("."))
                self.assertEqual(f"{RUNBOOKS}#{rule['alert'].lower()}",
                                 rule["annotations"]["runbook_url"])

    def test_recorded_series_are_named_level_metric_operation(self):
        for rule in expressions.rules("record"):
            self.assertRegex(rule["record"], RECORDED)


if __name__ == "__main__":
    unittest.main(verbosity=2)
