"""What the chart has for ResourceClaims: classes, permissions and their policy.

The code of the scheduler and of the API server evaluates classes and policies.
"""

import unittest

import yaml

import chart
import renderings
import values

DRIVER = "memory.stowage.dev"
AGENT = f"{chart.RELEASE}-agent"
ACCOUNT = f"system:serviceaccount:{chart.NAMESPACE}:{AGENT}"
AGENT_PERMISSIONS = {
    ("resource.k8s.io", "resourceclaims"): {"get"},
    ("", "nodes"): {"get"},
    ("resource.k8s.io", "resourceslices"):
        {"create", "delete", "list", "update", "watch"},
}


def comparable(item):
    """Returns what an object is for, where lists have no order."""
    if item["kind"] == "DeviceClass":
        return item["spec"]
    return sorted((rule["apiGroups"], rule["resources"], sorted(rule["verbs"]))
                  for rule in item["rules"])


class ClaimsTest(unittest.TestCase):

    @renderings.each
    def test_agents_may_do_what_their_driver_needs_and_nothing_else(self, objects):
        permissions = {(group, resource): set(rule["verbs"])
                       for role in chart.of_kind(objects, "ClusterRole", "Role")
                       for rule in role["rules"] for group in rule["apiGroups"]
                       for resource in rule["resources"]}
        has_driver = (AGENT in chart.pods(objects) and "kubernetes"
                      in chart.setting_names(objects, "stowage-agent"))
        self.assertEqual(AGENT_PERMISSIONS if has_driver else {}, permissions)
        if AGENT in chart.pods(objects):
            _, pod = chart.pods(objects)[AGENT]
            self.assertEqual(has_driver, pod["automountServiceAccountToken"])

    def test_the_permissions_are_those_of_the_agents_account(self):
        for name in ("claims", "accounts of one's own"):
            objects = renderings.of(name)
            _, pod = chart.pods(objects)[AGENT]
            binding = objects["ClusterRoleBinding", AGENT]
            self.assertEqual([{"kind": "ServiceAccount", "namespace": chart.NAMESPACE,
                               "name": pod["serviceAccountName"]}], binding["subjects"])
            self.assertIn(("ClusterRole", binding["roleRef"]["name"]), objects)

    def test_the_driver_has_the_directories_of_the_kubelet_at_their_own_paths(self):
        for name, kubelet, cdi in (
                ("claims", "/var/lib/kubelet", "/var/run/cdi"),
                ("claims of a kubelet elsewhere", "/data/kubelet", "/etc/cdi")):
            with self.subTest(name):
                _, pod = chart.pods(renderings.of(name))[AGENT]
                of_host = {volume["name"]: volume["hostPath"]["path"]
                           for volume in pod["volumes"] if "hostPath" in volume}
                same = {mount["mountPath"]
                        for mount in pod["containers"][0]["volumeMounts"]
                        if of_host.get(mount["name"]) == mount["mountPath"]}
                self.assertLessEqual({f"{kubelet}/plugins/{DRIVER}", cdi, "/run/stowage",
                                      f"{kubelet}/plugins_registry"}, same)

    def test_each_class_takes_the_devices_of_its_tier(self):
        text = chart.manifests(values.CLAIMS)
        self.assertEqual("fast.memory.stowage.dev\n",
                         chart.decode(text, "classes", DRIVER, "fast"))
        self.assertEqual("slow.memory.stowage.dev\n",
                         chart.decode(text, "classes", DRIVER, "slow"))
        self.assertEqual("", chart.decode(text, "classes", DRIVER, "other"))
        self.assertEqual("", chart.decode(text, "classes", "gpu.example", "fast"))

    def test_objects_for_clusters_without_helm_are_the_same(self):
        folder = chart.SOURCE_DIR / "deploy/kubernetes"
        if not folder.exists():
            self.skipTest(f"there is no {folder}")
        for file in ("deviceclasses.yaml", "rbac.yaml"):
            for item in yaml.safe_load_all((folder / file).read_text()):
                key = item["kind"], item["metadata"]["name"]
                if item["kind"] in ("ClusterRole", "DeviceClass"):
                    with self.subTest(key):
                        self.assertEqual(comparable(item),
                                         comparable(renderings.of("claims")[key]))

    def test_an_agent_may_change_slices_of_its_own_node_and_driver_alone(self):
        text = chart.manifests(values.CLAIMS)

        def says(*request):
            return chart.decode(text, "slice", *request).strip()
        for operation in ("CREATE", "UPDATE", "DELETE"):
            with self.subTest(operation):
                self.assertEqual("allowed", says(operation, ACCOUNT, "n1", "n1", DRIVER))
                self.assertIn("of its own node alone, not of 'n2'",
                              says(operation, ACCOUNT, "n1", "n2", DRIVER))
                self.assertIn("of its own node alone",
                              says(operation, ACCOUNT, "n1", "", DRIVER))
                self.assertIn("of its own node alone",
                              says(operation, ACCOUNT, "", "", DRIVER))
                self.assertIn(f"of the driver {DRIVER} alone",
                              says(operation, ACCOUNT, "n1", "n1", "gpu.example"))
                self.assertEqual("allowed", says(operation, "system:node:n2", "", "n2",
                                                 "gpu.example"))


if __name__ == "__main__":
    chart.require_tools()
    unittest.main()
