"""The chart in a real cluster of one node: its pods run, a claim becomes the limit of a
job in an unchanged image, and releases come and go under running jobs.

`tools/test-kubernetes.sh --pods` builds what this needs and runs it.
"""

import copy
import json
import os
import re
import shutil
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[1] / "packages")]

import kubelet  # pylint: disable=wrong-import-position
import node_images  # pylint: disable=wrong-import-position
import pages  # pylint: disable=wrong-import-position
import whole_cluster  # pylint: disable=wrong-import-position

PROGRAMS = Path(os.environ["STOWAGE_KUBERNETES"])
IMAGES = Path(os.environ["STOWAGE_IMAGES"])
SOURCE_DIR = kubelet.SOURCE_DIR
SCRIPT = SOURCE_DIR / "tests/e2e/packages/train_small.py"
PATIENCE_S = 300
MIB = 1 << 20
STEPS = 60


class PodsTest(unittest.TestCase):
    """The tests share the cluster and, but for the last, the release."""

    @classmethod
    def setUpClass(cls):
        # Paths of sockets must be short.
        cls.folder = Path(tempfile.mkdtemp(prefix="stowage-pods-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.kube = whole_cluster.WholeCluster(cls.folder / "cluster", PROGRAMS)
        cls.enterClassContext(cls.kube)
        for name in ("pause", "stowage", "job"):
            cls.kube.load(IMAGES / f"{name}.tar")
        cls.kube.kubectl("wait", "--for=condition=Ready", f"node/{whole_cluster.NODE}",
                         f"--timeout={PATIENCE_S}s")
        cls.install()
        # As many steps as take longer than somebody needs to look at them.
        script = cls.folder / "train.py"
        script.write_text(SCRIPT.read_text().replace("range(8)", f"range({STEPS})"))
        cls.kube.kubectl("create", "configmap", "script", f"--from-file={script}")

    @classmethod
    def install(cls):
        """Does what docs/quickstart.md says, with directories of this test."""
        values = {
            "image": {"repository": node_images.STOWAGE.rsplit(":", 1)[0]},
            "agent": {
                "hostPath": str(cls.folder / "run"),
                "slow": {"hostPath": str(cls.folder / "slow"), "size": "512MiB"},
            },
            "claims": {"kubeletHostPath": str(cls.kube.kubelet_dir),
                       "cdiHostPath": str(cls.kube.cdi_dir)},
            "stowaged": {
                "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}},
                "database": {"sqlite": {"persistence": {"storageClass": "manual"}}},
            },
        }
        cls.values = cls.folder / "values.json"
        cls.values.write_text(json.dumps(values))
        cls.make_volume()
        _, block = pages.blocks("docs/quickstart.md", "A Kubernetes cluster, in half an hour")
        for command in block.replace("\\\n", " ").splitlines():
            if command.startswith("helm install"):
                command += f" --values {cls.values}"
            cls.kube.run("bash", "-c", command, cwd=SOURCE_DIR)

    @classmethod
    def make_volume(cls):
        (cls.folder / "database").mkdir(mode=0o700)
        os.chown(cls.folder / "database", 65532, 65532)
        cls.apply({
            "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "database"},
            "spec": {"capacity": {"storage": "20Gi"}, "accessModes": ["ReadWriteOnce"],
                     "storageClassName": "manual",
                     "hostPath": {"path": str(cls.folder / "database")}}
        })

    @classmethod
    def apply(cls, *objects):
        cls.kube.kubectl("apply", "--filename", "-",
                         input="\n---\n".join(map(json.dumps, objects)))

    def train(self, name, change):
        """Starts the pod of the documented example, as `change` makes it."""
        template, pod = yaml.safe_load_all(
            (SOURCE_DIR / "deploy/kubernetes/training-pod.yaml").read_text())
        for item in (template, pod):
            item["metadata"]["name"] = name
        pod["spec"]["resourceClaims"][0]["resourceClaimTemplateName"] = name
        container, = pod["spec"]["containers"]
        container |= {
            "image": node_images.JOB, "imagePullPolicy": "Never",
            "command": ["python3", "/script/train.py"],
            "volumeMounts": [{"name": "script", "mountPath": "/script"}],
        }
        container["resources"]["limits"]["memory"] = "2Gi"
        pod["spec"]["volumes"] = [{"name": "script", "configMap": {"name": "script"}}]
        template, pod = change(copy.deepcopy(template), copy.deepcopy(pod))
        self.apply(*filter(None, (template, pod)))
        self.addCleanup(self.kube.kubectl, "delete", "pod", name, "--now")

    def output(self, name):
        """Returns what the script printed, once its pod has ended well."""
        self.kube.kubectl("wait", f"pod/{name}", f"--timeout={PATIENCE_S}s",
                          "--for=jsonpath={.status.phase}=Succeeded")
        lines = self.kube.kubectl("logs", name).splitlines()
        return [line for line in lines if not line.startswith("stowage: ")]

    def alone(self):
        def without_claim(_, pod):
            del pod["spec"]["resourceClaims"]
            del pod["spec"]["containers"][0]["resources"]["claims"]
            return None, pod
        self.train("alone", without_claim)
        return self.output("alone")

    def test_a_claim_becomes_the_limit_of_a_job_in_an_unchanged_image(self):
        self.train("limited", claim_of("12Mi", "128Mi"))
        peaks = []
        kubelet.wait_for(lambda: self.note_peak(peaks) == "Succeeded", self.agents_log, PATIENCE_S)
        print(f"Fast memory of steps: at most {max(peaks) / MIB:.1f} MiB")
        self.assertGreater(max(peaks), 0)
        self.assertLessEqual(max(peaks), 12 * MIB)
        self.assertEqual(self.alone(), self.output("limited"))

    def test_a_claim_above_the_node_stays_pending_with_the_reason(self):
        self.train("huge", claim_of("49Gi", "128Mi"))
        said = kubelet.wait_for(lambda: self.condition("huge", "PodScheduled"), "no condition", PATIENCE_S)
        self.assertIn("cannot allocate all claims", said)

    def test_claims_of_ended_pods_leave_nothing_on_the_node(self):
        self.train("passing", claim_of("12Mi", "128Mi"))
        self.output("passing")
        self.doCleanups()
        kubelet.wait_for(lambda: not self.left_of_claims(), self.agents_log, PATIENCE_S)

    def test_a_job_without_a_claim_takes_what_the_page_says(self):
        page = (SOURCE_DIR / "docs/kubernetes.md").read_text()
        pod = yaml.safe_load(re.search(r"^```yaml\n(.*?)^```", page, re.M | re.S).group(1)
                             .replace("/run/stowage", str(self.folder / "run")))
        pod["metadata"]["name"] = "unclaimed"
        container, = pod["spec"]["containers"]
        container |= {"image": node_images.JOB, "imagePullPolicy": "Never",
                      "command": ["python3", "/script/train.py"]}
        container["env"] = [item | ({"value": "12MiB"} if item["name"] == "STOWAGE_FAST" else {})
                            for item in container["env"]]
        container["volumeMounts"].append({"name": "script", "mountPath": "/script"})
        container["resources"] = {}
        pod["spec"]["volumes"].append({"name": "script", "configMap": {"name": "script"}})
        self.apply(pod)
        self.addCleanup(self.kube.kubectl, "delete", "pod", "unclaimed", "--now")
        self.assertEqual(self.alone(), self.output("unclaimed"))

    def test_zz_an_upgrade_serves_and_a_removal_takes_everything(self):
        """The last: the release is gone then."""
        self.kube.run("helm", "upgrade", "stowage", SOURCE_DIR / "helm/stowage", "--namespace",
                      "stowage", "--reset-then-reuse-values", "--set",
                      "agent.config.policy=belady")
        self.kube.kubectl("--namespace", "stowage", "rollout", "status",
                          "daemonset/stowage-agent")
        self.train("upgraded", claim_of("12Mi", "128Mi"))
        self.assertEqual(self.alone(), self.output("upgraded"))
        self.doCleanups()
        self.kube.run("helm", "uninstall", "stowage", "--namespace", "stowage", "--wait")
        kubelet.wait_for(lambda: not self.kube.slices(), "the slice stays", PATIENCE_S)
        self.assertEqual([], json.loads(self.kube.kubectl(
            "--namespace", "stowage", "get", "pods", "--output", "json"))["items"])

    def note_peak(self, peaks):
        """Adds what jobs had in their last steps; returns how far the pod is."""
        with urllib.request.urlopen(f"http://{self.address_of_agent()}:9465/metrics",
                                    timeout=10) as page:
            peaks.append(float(re.search(r"^stowage_agent_fast_peaks_bytes (\S+)$",
                                         page.read().decode(), re.M).group(1)))
        return self.kube.kubectl("get", "pod", "limited", "--output",
                                 "jsonpath={.status.phase}")

    def address_of_agent(self):
        return self.kube.kubectl("--namespace", "stowage", "get", "pods", "--selector",
                                 "app.kubernetes.io/component=agent", "--output",
                                 "jsonpath={.items[0].status.podIP}")

    def condition(self, pod, kind):
        status = json.loads(self.kube.kubectl("get", "pod", pod, "--output", "json"))["status"]
        return next((item.get("message") for item in status.get("conditions", [])
                     if item["type"] == kind), None)

    def left_of_claims(self):
        return [path for folder in (self.kube.cdi_dir, self.folder / "run/claims")
                for path in folder.iterdir()]

    def agents_log(self):
        return self.kube.kubectl("--namespace", "stowage", "logs", "daemonset/stowage-agent")


def claim_of(fast, slow):
    def change(template, pod):
        requests = template["spec"]["spec"]["devices"]["requests"]
        for request, amount in zip(requests, (fast, slow)):
            request["exactly"]["capacity"]["requests"]["memory"] = amount
        return template, pod
    return change


if __name__ == "__main__":
    unittest.main(verbosity=2)
