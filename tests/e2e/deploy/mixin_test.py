"""Rules, alerts, dashboards and run books are one whole, as a monitoring mixin is.

rules_test.py and dashboards_test.py look at each alone.
"""

import re
import unittest
from pathlib import Path

import expressions
import prometheus

TESTS = sorted((Path(__file__).resolve().parent / "rules").glob("*.yaml"))
ALERT = re.compile(r"\[(\w+)\]\(\$\{runbooks\}")
ANNOTATIONS = {"summary", "description", "runbook_url"}
SEVERITY = re.compile(r"^\| `(\w+)` \|", re.M)
LAST_BOUND = re.compile(r"[<>]=?\s*([\d.]+)\s*$")


def fired(alert):
    """Returns the labels of each sample of an alert that the tests of rules expect."""
    import yaml
    found = []
    for path in TESTS:
        for case in yaml.safe_load(path.read_text(encoding="utf-8"))["tests"]:
            for check in case["promql_expr_test"]:
                found += [dict(re.findall(r'(\w+)="([^"]*)"', sample["labels"]))
                          for sample in check["exp_samples"]]
    return [labels for labels in found if labels.get("alertname") == alert]


def linking_panels():
    """Returns where each panel is that links to alerts, the panel, and the alerts."""
    return [(f"{name}: {panel['title']}", panel, ALERT.findall(panel["description"]))
            for name, dashboard in expressions.dashboards().items()
            for panel in dashboard["panels"]
            if ALERT.search(panel.get("description", ""))]


@unittest.skipIf(prometheus.missing(), f"needs {prometheus.missing()}")
class MixinTest(unittest.TestCase):

    def setUp(self):
        self.alerts = {rule["alert"]: rule for rule in expressions.rules("alert")}

    def test_files_hold_groups_alone_as_a_mixin_has_them(self):
        import yaml
        names = []
        for path in sorted(expressions.RULES_DIR.glob("stowage.*.yaml")):
            content = yaml.safe_load(path.read_text(encoding="utf-8"))
            self.assertEqual({"groups"}, content.keys())
            kind = path.name.split(".")[1]
            for group in content["groups"]:
                self.assertEqual({"name", "rules"}, group.keys())
                self.assertTrue(group["name"].endswith(f".{kind}"), group["name"])
                names.append(group["name"])
                for rule in group["rules"]:
                    self.assertIn({"alerts": "alert", "rules": "record"}[kind], rule)
        self.assertEqual(len(names), len(set(names)))

    def test_alerts_have_the_annotations_and_labels_of_a_mixin_and_no_others(self):
        for name, rule in self.alerts.items():
            with self.subTest(name):
                self.assertRegex(name, r"^Stowaged?[A-Z]\w+$")
                self.assertEqual(ANNOTATIONS, rule["annotations"].keys())
                self.assertEqual({"severity"}, rule["labels"].keys())
                # Who reads a summary has no other line.
                self.assertLess(len(rule["annotations"]["summary"]), 80)

    def test_annotations_name_only_labels_that_the_alert_has(self):
        for name, rule in self.alerts.items():
            with self.subTest(name):
                text = " ".join(rule["annotations"].values())
                used = set(re.findall(r"\$labels\.(\w+)", text))
                samples = fired(name)
                self.assertTrue(samples)
                for labels in samples:
                    self.assertLessEqual(used, labels.keys())

    def test_severities_are_those_that_the_documentation_explains(self):
        page = (expressions.SOURCE_DIR / "docs/monitoring.md").read_text(
            encoding="utf-8")
        used = {rule["labels"]["severity"] for rule in self.alerts.values()}
        self.assertEqual(used, set(SEVERITY.findall(page)))

    def test_every_recorded_series_is_used(self):
        used = set()
        for expression in [*expressions.of_dashboards(), *expressions.of_rules("alert")]:
            used |= expressions.metrics_of(expression.promql)
        recorded = {rule["record"] for rule in expressions.rules("record")}
        self.assertEqual(recorded, recorded & used)

    def test_the_red_line_of_a_panel_is_where_its_alert_begins(self):
        lines = 0
        for where, panel, alerts in linking_panels():
            fields = panel["fieldConfig"]["defaults"]
            if "thresholdsStyle" not in fields.get("custom", {}):
                continue
            red = [step["value"] for step in fields["thresholds"]["steps"]
                   if step["color"] == "red"]
            bounds = {float(found[1]) for alert in alerts if
                      (found := LAST_BOUND.search(self.alerts[alert]["expr"]))}
            with self.subTest(where):
                self.assertLessEqual(set(red), bounds)
            lines += len(red)
        self.assertGreater(lines, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
