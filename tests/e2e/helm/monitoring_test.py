"""What the chart has for Prometheus and Grafana, and what helm says at the end."""

import json
import re
import unittest

import yaml

import chart
import renderings
import values

AGENT = f"{chart.RELEASE}-agent"


class MonitoringTest(unittest.TestCase):

    def setUp(self):
        self.objects = renderings.of("all at once")

    def test_metrics_have_the_jobs_and_instances_that_alerts_and_dashboards_know(self):
        def labels(item, endpoints):
            return {step["targetLabel"]: step.get("replacement") or step["sourceLabels"]
                    for step in item["spec"][endpoints][0]["relabelings"]}
        self.assertEqual({"job": "stowaged"}, labels(
            self.objects["ServiceMonitor", chart.RELEASE], "endpoints"))
        self.assertEqual(
            {"job": "stowage-agent", "instance": ["__meta_kubernetes_pod_node_name"]},
            labels(self.objects["PodMonitor", AGENT], "podMetricsEndpoints"))

    def test_rules_and_alerts_are_those_of_deploy_with_links_to_the_run_books(self):
        for name in ("rules", "alerts"):
            path = chart.SOURCE_DIR / f"deploy/prometheus/stowage.{name}.yaml"
            text = path.read_text().replace("docs/runbooks.md",
                                            values.ALL_MONITORING["runbooksUrl"])
            rule = self.objects["PrometheusRule", f"{chart.RELEASE}-{name}"]
            self.assertEqual(yaml.safe_load(text), rule["spec"])

    def test_dashboards_are_those_of_deploy_with_the_label_of_the_sidecar(self):
        for path in (chart.SOURCE_DIR / "deploy/grafana").glob("*.json"):
            item = self.objects["ConfigMap", f"{chart.RELEASE}-dashboard-{path.stem}"]
            self.assertEqual("1", item["metadata"]["labels"]["grafana_dashboard"])
            text, = item["data"].values()
            self.assertEqual(json.loads(path.read_text().replace(
                "docs/runbooks.md", values.ALL_MONITORING["runbooksUrl"])),
                json.loads(text))


class NotesTest(unittest.TestCase):

    def example(self, name, first):
        """Returns the example in the notes whose first line begins with `first`."""
        return re.search(rf"^  {first}.*?(?=\n\n)", chart.notes(values.GOOD[name]),
                         re.M | re.S).group(0)

    def test_the_schedulers_configuration_is_one_that_it_takes(self):
        configuration = self.example("an extender", "apiVersion: kubescheduler")
        item, = json.loads(chart.decode(configuration))
        port = item["extenders"][0]["urlPrefix"].split(":")[-1]
        self.assertIn(f'extender-address = "0.0.0.0:{port}"\n',
                      chart.settings(renderings.of("an extender"), "stowaged"))

    def test_the_claim_is_one_that_the_api_takes(self):
        item, = json.loads(chart.decode(self.example("claims", "apiVersion: resource")))
        asked = {request["exactly"]["deviceClassName"]
                 for request in item["spec"]["spec"]["devices"]["requests"]}
        self.assertEqual({name for kind, name in renderings.of("claims")
                          if kind == "DeviceClass"}, asked)

    def test_they_warn_of_plain_text_and_of_a_database_that_goes(self):
        self.assertIn("speak plain text", chart.notes(values.GOOD["defaults"]))
        self.assertNotIn("WARNING", chart.notes(values.GOOD["TLS by secrets"]))
        self.assertIn("the database goes with its pod",
                      chart.notes(values.GOOD["no volume"]))


if __name__ == "__main__":
    chart.require_tools()
    unittest.main()
