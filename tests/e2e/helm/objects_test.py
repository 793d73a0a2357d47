"""What the chart renders fits together: labels, ports, mounts, accounts, rights."""

import json
import re
import unittest

import chart
import renderings

AGENT = f"{chart.RELEASE}-agent"
# Who listens where, by the flag that says so.
LISTENERS = {
    "stowaged": {"listen": "grpc", "metrics-address": "metrics",
                 "extender-address": "extender"},
    "stowage-agent": {"metrics-address": "metrics"},
}
ADDRESS = re.compile(r'^([a-z-]+) = "0\.0\.0\.0:(\d+)"$', re.M)
PATH = re.compile(r'"(?:file:|pmem:)?(/[^",]+)')


class ObjectsTest(unittest.TestCase):

    def selected(self, objects, selector):
        """Returns the names of the pods' owners that a selector means."""
        self.assertTrue(selector)
        return {owner for owner, (labels, _) in chart.pods(objects).items()
                if selector.items() <= labels.items()}

    @renderings.each
    def test_selectors_mean_the_pods_of_their_own_component(self, objects):
        for item in chart.of_kind(objects, "Deployment", "DaemonSet",
                                  "PodDisruptionBudget", "PodMonitor"):
            self.assertEqual({item["metadata"]["name"]}, self.selected(
                objects, item["spec"]["selector"]["matchLabels"]))
        for item in chart.of_kind(objects, "Service"):
            self.assertEqual({chart.RELEASE},
                             self.selected(objects, item["spec"]["selector"]))
        for item in chart.of_kind(objects, "NetworkPolicy"):
            self.assertEqual({item["metadata"]["name"]}, self.selected(
                objects, item["spec"]["podSelector"]["matchLabels"]))
        for item in chart.of_kind(objects, "ServiceMonitor"):
            services = [service for service in chart.of_kind(objects, "Service")
                        if item["spec"]["selector"]["matchLabels"].items()
                        <= service["metadata"]["labels"].items()]
            self.assertEqual(1, len(services))

    def test_releases_beside_each_other_share_no_pods(self):
        ours = renderings.of("defaults")["Service", chart.RELEASE]["spec"]["selector"]
        other = json.loads(chart.decode(chart.helm(
            "template", "other", chart.CHART).stdout))
        for item in other:
            if item["kind"] in ("Deployment", "DaemonSet"):
                labels, _ = chart.pod_of(item)
                self.assertFalse(ours.items() <= labels.items())

    @renderings.each
    def test_programs_listen_at_the_ports_of_their_containers(self, objects):
        for program, listeners in LISTENERS.items():
            owner = chart.RELEASE if program == "stowaged" else AGENT
            if owner not in chart.pods(objects):
                continue
            _, pod = chart.pods(objects)[owner]
            ports = {port["name"]: port["containerPort"]
                     for port in pod["containers"][0]["ports"]}
            listens = {listeners[flag]: int(port) for flag, port
                       in ADDRESS.findall(chart.settings(objects, program))}
            self.assertEqual(ports, listens)

    @renderings.each
    def test_every_port_that_is_named_is_one_of_the_container(self, objects):
        for owner, (_, pod) in chart.pods(objects).items():
            container = pod["containers"][0]
            ports = {port["name"] for port in container.get("ports", [])}
            probes = [container[probe]["httpGet"]["port"] for probe in container
                      if probe.endswith("Probe")]
            self.assertLessEqual(set(probes), ports)
        for item in chart.of_kind(objects, "Service"):
            _, pod = chart.pods(objects)[chart.RELEASE]
            self.assertEqual(
                [(port["name"], port["containerPort"])
                 for port in pod["containers"][0]["ports"]],
                [(port["targetPort"], port["port"]) for port in item["spec"]["ports"]])
        for item in chart.of_kind(objects, "NetworkPolicy"):
            _, pod = chart.pods(objects)[item["metadata"]["name"]]
            ports = {port["name"] for port in pod["containers"][0]["ports"]}
            allowed = {port["port"] for rule in item["spec"].get("ingress") or []
                       for port in rule["ports"]}
            self.assertLessEqual(allowed, ports)
        for item in chart.of_kind(objects, "ServiceMonitor", "PodMonitor"):
            for endpoint in (item["spec"].get("endpoints")
                             or item["spec"]["podMetricsEndpoints"]):
                self.assertEqual("metrics", endpoint["port"])

    @renderings.each
    def test_network_policies_let_agents_and_tests_call_the_service(self, objects):
        policy = objects.get(("NetworkPolicy", chart.RELEASE))
        if policy is None:
            return
        peers = [peer for rule in policy["spec"]["ingress"]
                 if rule["ports"] == [{"port": "grpc"}] for peer in rule["from"]]
        callers = {owner for peer in peers if "podSelector" in peer
                   for owner, (labels, _) in chart.pods(objects).items()
                   if peer["podSelector"].get("matchLabels", {}).items()
                   <= labels.items()}
        self.assertLessEqual(set(chart.pods(objects)) - {chart.RELEASE}, callers)

    def test_agents_may_call_every_replica_that_they_are_told(self):
        policy = renderings.of("agents alone")["NetworkPolicy", AGENT]
        ports = {port["port"] for rule in policy["spec"]["egress"]
                 for port in rule["ports"]}
        self.assertLessEqual({7420, 7421}, ports)

    @renderings.each
    def test_agents_call_the_service_by_a_name_of_its_certificate(self, objects):
        if ("Service", chart.RELEASE) not in objects or AGENT not in chart.pods(objects):
            return
        host = f"{chart.RELEASE}.{chart.NAMESPACE}.svc"
        port = objects["Service", chart.RELEASE]["spec"]["ports"][0]["port"]
        self.assertIn(f'service = "{host}:{port}"\n',
                      chart.settings(objects, "stowage-agent"))
        for item in chart.of_kind(objects, "Certificate"):
            if "server auth" in item["spec"]["usages"]:
                self.assertIn(host, item["spec"]["dnsNames"])

    @renderings.each
    def test_files_of_the_configuration_lie_in_volumes(self, objects):
        for owner, (_, pod) in chart.pods(objects).items():
            volumes = {volume["name"] for volume in pod.get("volumes", [])}
            mounted = set()
            for container in pod.get("initContainers", []) + pod["containers"]:
                mounts = container.get("volumeMounts", [])
                mounted |= {mount["name"] for mount in mounts}
                paths = [mount["mountPath"] for mount in mounts]
                self.assertEqual(len(set(paths)), len(paths))
            self.assertEqual(volumes, mounted, owner)
            program = pod["containers"][0]["command"][0]
            if program not in LISTENERS:
                continue
            mounts = [mount["mountPath"]
                      for mount in pod["containers"][0]["volumeMounts"]]
            for path in PATH.findall(chart.settings(objects, program)):
                # Of the kubelet's directory the agent has parts.
                self.assertTrue(any(
                    f"{path}/".startswith(f"{mount}/")
                    or mount.startswith(f"{path}/plugins")
                    for mount in mounts), f"{owner}: {path}")

    @renderings.each
    def test_the_chart_uses_the_secrets_claims_and_accounts_that_it_makes(self, objects):
        made = {name for kind, name in objects if kind == "PersistentVolumeClaim"}
        used = {volume["persistentVolumeClaim"]["claimName"]
                for _, pod in chart.pods(objects).values()
                for volume in pod.get("volumes", []) if "persistentVolumeClaim" in volume}
        self.assertLessEqual(made, used)
        issued = {item["spec"]["secretName"]
                  for item in chart.of_kind(objects, "Certificate")}
        mounted = {volume["secret"]["secretName"]
                   for _, pod in chart.pods(objects).values()
                   for volume in pod.get("volumes", []) if "secret" in volume}
        self.assertLessEqual(issued, mounted)
        accounts = {name for kind, name in objects if kind == "ServiceAccount"}
        self.assertLessEqual(accounts, {pod.get("serviceAccountName")
                                        for _, pod in chart.pods(objects).values()})

    @renderings.each
    def test_no_pod_gets_variables_of_services_that_might_be_flags(self, objects):
        for _, pod in chart.pods(objects).values():
            self.assertIs(False, pod["enableServiceLinks"])

    @renderings.each
    def test_containers_have_no_more_rights_than_the_references_say(self, objects):
        for owner, (_, pod) in chart.pods(objects).items():
            for container in pod.get("initContainers", []) + pod["containers"]:
                context = container["securityContext"]
                self.assertIs(False, context["allowPrivilegeEscalation"])
                self.assertIs(True, context["readOnlyRootFilesystem"])
                self.assertEqual(["ALL"], context["capabilities"]["drop"])
                added = set(context["capabilities"].get("add", []))
                self.assertLessEqual(added, {"CHOWN", "DAC_OVERRIDE"})
                if owner != AGENT:
                    self.assertEqual(set(), added)
            self.assertNotIn("hostNetwork", pod)
            self.assertEqual(owner == AGENT, pod.get("hostPID", False))
            if owner != AGENT:
                self.assertIs(True, pod["securityContext"]["runAsNonRoot"])
                self.assertIs(False, pod["automountServiceAccountToken"])

    def test_pods_of_the_service_are_restricted_and_agents_are_privileged(self):
        levels = dict(line.split() for line in
                      chart.decode(chart.manifests(), "levels").splitlines())
        self.assertEqual({chart.RELEASE: "restricted", AGENT: "privileged",
                          f"{chart.RELEASE}-test-status": "restricted"}, levels)

    def test_agents_ask_for_dac_override_only_with_directories_of_jobs(self):
        def added(name):
            _, pod = chart.pods(renderings.of(name))[AGENT]
            return pod["containers"][0]["securityContext"]["capabilities"]["add"]
        self.assertEqual(["CHOWN"], added("defaults"))
        self.assertEqual(["CHOWN", "DAC_OVERRIDE"], added("all at once"))

    def test_the_grace_period_of_the_service_is_that_of_its_pod(self):
        objects = chart.render({"stowaged": {"gracePeriodSeconds": 77}})
        _, pod = chart.pods(objects)[chart.RELEASE]
        self.assertEqual(77, pod["terminationGracePeriodSeconds"])
        self.assertIn('grace-period = "77s"\n', chart.settings(objects, "stowaged"))

    def test_a_change_of_the_configuration_replaces_the_pods(self):
        def template(config):
            objects = chart.render({"stowaged": {"config": config}})
            return objects["Deployment", chart.RELEASE]["spec"]["template"]
        self.assertEqual(template({}), template({}))
        self.assertNotEqual(template({}), template({"planning-threads": 2}))

    @renderings.each
    def test_one_pod_at_a_time_has_an_sqlite_file(self, objects):
        for item in chart.of_kind(objects, "Deployment"):
            is_sqlite = "stowaged.db" in chart.settings(objects, "stowaged")
            kind = item["spec"]["strategy"]["type"]
            self.assertEqual("Recreate" if is_sqlite else "RollingUpdate", kind)
            if is_sqlite:
                self.assertEqual(1, item["spec"]["replicas"])


if __name__ == "__main__":
    chart.require_tools()
    unittest.main()
