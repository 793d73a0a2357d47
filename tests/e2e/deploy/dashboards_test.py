"""The dashboards are what Grafana takes and operators can read.

`live_test.py` sends their expressions to a Prometheus.
"""

import itertools
import re
import unittest

import expressions

# The variables of each.
DASHBOARDS = {
    "fleet.json": ["datasource", "instance", "runbooks"],
    "job.json": ["datasource", "instance", "job", "runbooks"],
    "node.json": ["datasource", "instance", "runbooks"],
    "plans.json": ["datasource", "instance", "runbooks"],
    "training.json": ["datasource", "instance", "runbooks"],
}
COLUMNS = 24
KINDS = {"stat", "table", "timeseries"}
RUNBOOK = re.compile(r"\[(\w+)\]\(\$\{runbooks\}#(\w+)\)")
# "$1" stands for a group of a regular expression.
VARIABLE = re.compile(r"\$\{?([a-z_]\w*)")
# Grafana's own.
BUILT_IN = {"__rate_interval", "__range"}
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}


def overlap(one, other):
    a, b = one["gridPos"], other["gridPos"]
    return (a["x"] < b["x"] + b["w"] and b["x"] < a["x"] + a["w"] and
            a["y"] < b["y"] + b["h"] and b["y"] < a["y"] + a["h"])


def panels():
    """Returns all panels but the rows' titles, each with where it is."""
    return [(f"{name}: {panel['title']}", panel)
            for name, dashboard in expressions.dashboards().items()
            for panel in dashboard["panels"] if panel["type"] != "row"]


class DashboardsTest(unittest.TestCase):

    def test_there_are_five_with_stable_ids_and_links_to_one_another(self):
        self.assertEqual(DASHBOARDS.keys(), expressions.dashboards().keys())
        for name, dashboard in expressions.dashboards().items():
            with self.subTest(name):
                self.assertEqual(f"stowage-{name.removesuffix('.json')}",
                                 dashboard["uid"])
                self.assertGreaterEqual(dashboard["schemaVersion"], 36)
                self.assertNotIn("id", dashboard)  # Of one Grafana alone.
                self.assertIn("stowage", dashboard["tags"])
                self.assertTrue(dashboard["description"].endswith("."))
                links = {link["type"]: link for link in dashboard["links"]}
                self.assertEqual(["stowage"], links["dashboards"]["tags"])
                self.assertEqual("${runbooks}", links["link"]["url"])

    def test_panels_have_ids_of_their_own_and_do_not_overlap(self):
        for name, dashboard in expressions.dashboards().items():
            with self.subTest(name):
                ids = [panel["id"] for panel in dashboard["panels"]]
                self.assertEqual(len(ids), len(set(ids)))
                for panel in dashboard["panels"]:
                    at = panel["gridPos"]
                    self.assertLessEqual(at["x"] + at["w"], COLUMNS, panel["title"])
                for one, other in itertools.combinations(dashboard["panels"], 2):
                    self.assertFalse(overlap(one, other),
                                     f"{one['title']} and {other['title']}")

    def test_panels_have_unit_description_and_the_chosen_data_source(self):
        for where, panel in panels():
            with self.subTest(where):
                self.assertIn(panel["type"], KINDS)
                self.assertTrue(panel["fieldConfig"]["defaults"]["unit"])
                self.assertTrue(panel["description"].endswith("."))
                self.assertTrue(panel["targets"])
                for part in (panel, *panel["targets"]):
                    self.assertEqual(DATASOURCE, part["datasource"])
                references = [target["refId"] for target in panel["targets"]]
                self.assertEqual(len(references), len(set(references)))

    def test_variables_that_are_used_are_declared_and_declared_ones_are_used(self):
        for name, dashboard in expressions.dashboards().items():
            with self.subTest(name):
                declared = [v["name"] for v in dashboard["templating"]["list"]]
                self.assertEqual(DASHBOARDS[name], declared)
                used = set(VARIABLE.findall(str(dashboard["panels"])))
                self.assertEqual(set(declared), used - BUILT_IN)

    def test_links_to_run_books_lead_to_alerts_that_exist(self):
        page = (expressions.SOURCE_DIR / "docs/runbooks.md").read_text(encoding="utf-8")
        sections = set(re.findall(r"^## (\w+)$", page, re.M))
        linked = set()
        for _, panel in panels():
            for alert, anchor in RUNBOOK.findall(panel["description"]):
                self.assertIn(alert, sections)
                self.assertEqual(alert.lower(), anchor)
                linked.add(alert)
        self.assertEqual(sections, linked)


if __name__ == "__main__":
    unittest.main(verbosity=2)
