"""Claims of pods in a real cluster: its scheduler allocates them, agents prepare them,
and a job in a container of the pod has what its claim says.

tools/test-kubernetes.sh builds the programs of the cluster and runs this.
"""

import copy
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import cluster  # pylint: disable=wrong-import-position
import containers  # pylint: disable=wrong-import-position
import kubelet  # pylint: disable=wrong-import-position
import node_agent  # pylint: disable=wrong-import-position
import recorded_api  # pylint: disable=wrong-import-position

PROGRAMS = Path(os.environ["STOWAGE_KUBERNETES"])
RESOURCES = "/apis/resource.k8s.io/v1"
CLAIMS = f"{RESOURCES}/namespaces/default/resourceclaims"
PODS = "/api/v1/namespaces/default/pods"
MIB = 1 << 20
# Fast memory of the nodes.
NODES = {"small": 64 * MIB, "medium": 128 * MIB, "large": 256 * MIB}
SCRIPTS = HERE.parents[1] / "train/scripts"
TRAIN = [
    "/usr/bin/python3", SCRIPTS / "train_model.py", "transformer", "--threads=1"
]


def node_object(name):
    return {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": {"on": name}},
        "status": {
            "allocatable": {"cpu": "8", "memory": "16Gi", "pods": "50"},
            "conditions": [{"type": "Ready", "status": "True"}]
        }
    }


def shape(value):
    """Returns which fields an answer has, and of what types."""
    if isinstance(value, dict):
        return {name: shape(field) for name, field in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value]
    return type(value).__name__


class ClusterTest(unittest.TestCase):
    """The tests go on with the cluster and the nodes that others leave."""

    @classmethod
    def setUpClass(cls):
        # Paths of sockets must be short.
        cls.folder = Path(tempfile.mkdtemp(prefix="stowage-k8s-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.kube = cluster.Cluster(cls.folder / "cluster", PROGRAMS)
        cls.enterClassContext(cls.kube)
        cls.kube.apply("deploy/kubernetes/deviceclasses.yaml")
        cls.kube.apply("deploy/kubernetes/rbac.yaml")
        cls.agents = {}
        for name, fast_bytes in NODES.items():
            cls.kube.create("/api/v1/nodes", node_object(name))
            agent = node_agent.NodeAgent(
                cls.folder / name, name,
                [f"--fast-total={fast_bytes}", *cls.kube.agent_flags()])
            cls.agents[name] = cls.enterClassContext(agent)
            agent.kubelet.register()
        kubelet.wait_for(lambda: len(cls.kube.slices()) == len(NODES),
                         cls.logs)

    @classmethod
    def logs(cls):
        return "\n".join(agent.log() for agent in cls.agents.values())

    def make_pod(self, name, fast, slow="128Mi", node=None):
        """Makes the pod of the documented example, with a claim of this much."""

        def change(item):
            item = copy.deepcopy(item)
            item["metadata"]["name"] = name
            if item["kind"] == "ResourceClaimTemplate":
                requests = item["spec"]["spec"]["devices"]["requests"]
                for request, amount in zip(requests, (fast, slow)):
                    request["exactly"]["capacity"]["requests"]["memory"] = amount
            else:
                item["spec"]["resourceClaims"][0][
                    "resourceClaimTemplateName"] = name
                if node is not None:
                    item["spec"]["nodeSelector"] = {"on": node}
            return item

        self.kube.apply("deploy/kubernetes/training-pod.yaml", change)
        self.addCleanup(self.delete_pod, name)

    def delete_pod(self, name):
        for path in (f"{PODS}/{name}?gracePeriodSeconds=0",
                     f"{RESOURCES}/namespaces/default/resourceclaimtemplates/{name}"):
            self.kube.delete(path)
        # What the garbage collector does for objects of an owner that is gone. The
        # controller of claims frees their memory then.
        for claim in self.claims_of(name):
            self.kube.delete(f"{CLAIMS}/{claim['metadata']['name']}")
        kubelet.wait_for(lambda: not self.claims_of(name), "the claim stays")

    def claims_of(self, pod):
        return [
            claim for claim in self.kube.get(CLAIMS)["items"]
            if claim["metadata"].get("ownerReferences", [{}])[0].get("name") == pod
        ]

    def scheduled(self, name):
        """Returns the node of the pod and its claim, once it is scheduled."""
        pod = f"{PODS}/{name}"
        node = kubelet.wait_for(
            lambda: self.kube.get(pod)["spec"].get("nodeName"),
            lambda: json.dumps(self.kube.get(pod)["status"]))
        return self.agents[node], self.claims_of(name)[0]

    def pending_message(self, name):
        """Returns why the scheduler has no node for the pod."""

        def unschedulable():
            status = self.kube.get(f"{PODS}/{name}")["status"]
            return next((condition["message"]
                         for condition in status.get("conditions", [])
                         if condition.get("reason") == "Unschedulable"), None)

        return kubelet.wait_for(unschedulable, "the scheduler says nothing")

    def prepare(self, name, fast, **options):
        self.make_pod(name, fast, **options)
        agent, claim = self.scheduled(name)
        devices = agent.kubelet.prepare(claim)
        self.addCleanup(agent.kubelet.unprepare, claim)
        return agent, claim, devices

    @staticmethod
    def edits_of(agent, devices):
        return containers.edits_of(
            agent.cdi_dir, [i for device in devices for i in device.cdi_device_ids])

    def test_every_node_offers_its_memory(self):
        slices = {s["spec"]["nodeName"]: s for s in self.kube.slices()}
        self.assertEqual(set(NODES), set(slices))
        for name, fast_bytes in NODES.items():
            fast, slow = slices[name]["spec"]["devices"]
            self.assertEqual(f"{fast_bytes // MIB}Mi",
                             fast["capacity"]["memory"]["value"])
            self.assertEqual("256Mi", slow["capacity"]["memory"]["value"])
            self.assertTrue(fast["allowMultipleAllocations"])
            self.assertEqual({"string": "file"}, slow["attributes"]["medium"])
            self.assertGreater(slow["attributes"]["readBytesPerSecond"]["int"], 0)
            self.assertEqual(
                name, slices[name]["metadata"]["ownerReferences"][0]["name"])

    def test_a_claim_goes_to_the_node_on_which_it_fits(self):
        self.make_pod("fits", "200Mi")
        agent, claim = self.scheduled("fits")
        self.assertEqual("large", agent.node)
        results = claim["status"]["allocation"]["devices"]["results"]
        self.assertEqual({"fast": "200Mi", "slow": "128Mi"}, {
            result["device"]: result["consumedCapacity"]["memory"]
            for result in results
        })
        # What is left there is less than this claim asks for.
        self.make_pod("second", "100Mi")
        self.assertEqual("medium", self.scheduled("second")[0].node)

    def test_a_claim_above_every_node_stays_pending(self):
        self.make_pod("huge", "257Mi")
        message = self.pending_message("huge")
        print("The scheduler says:", message)
        self.assertIn("cannot allocate all claims", message)

    def test_a_deleted_slice_is_made_again(self):
        before = {s["metadata"]["name"]: s for s in self.kube.slices()}
        for name in before:
            self.kube.delete(f"{RESOURCES}/resourceslices/{name}")
        kubelet.wait_for(
            lambda: len(self.kube.slices()) == len(NODES) and not before.keys() &
            {s["metadata"]["name"] for s in self.kube.slices()}, self.logs)

    def test_a_changed_slice_is_made_right(self):
        changed = self.kube.slices()[0]
        path = f"{RESOURCES}/resourceslices/{changed['metadata']['name']}"
        wanted = copy.deepcopy(changed["spec"]["devices"])
        del changed["spec"]["devices"][1]
        self.kube.call("PUT", path, changed)
        kubelet.wait_for(
            lambda: self.kube.get(path)["spec"]["devices"] == wanted, self.logs)
        self.assertGreater(
            self.kube.get(path)["spec"]["pool"]["generation"],
            changed["spec"]["pool"]["generation"])

    def test_a_node_that_is_made_again_owns_its_slice(self):
        agent = self.enterContext(
            node_agent.NodeAgent(
                self.folder / "passing", "passing",
                [f"--fast-total={64 * MIB}", *self.kube.agent_flags()]))
        agent.wait_for_log("the cluster has no Node 'passing'")
        for _ in range(2):
            made = self.kube.create("/api/v1/nodes", node_object("passing"))
            kubelet.wait_for(
                lambda: made["metadata"]["uid"] in self.owners_of_slices(),
                agent.log)
            self.kube.delete("/api/v1/nodes/passing")
            # What the garbage collector does for objects of an owner that is gone.
            for item in self.slices_of("passing"):
                self.kube.delete(
                    f"{recorded_api.SLICES}/{item['metadata']['name']}")
        agent.stop()

    def slices_of(self, node):
        return [s for s in self.kube.slices() if s["spec"]["nodeName"] == node]

    def owners_of_slices(self):
        return [
            owner["uid"] for item in self.kube.slices()
            for owner in item["metadata"]["ownerReferences"]
        ]

    def test_the_specification_is_one_that_runtimes_take(self):
        agent, claim, devices = self.prepare("runtime", "16Mi")
        ids = [i for device in devices for i in device.cdi_device_ids]
        self.assertEqual(
            [f"memory.stowage.dev/claim={claim['metadata']['uid']}"], ids)
        injected = json.loads(
            subprocess.run([PROGRAMS / "inject", agent.cdi_dir, *ids],
                           check=True, capture_output=True, text=True).stdout)
        edits = self.edits_of(agent, devices)
        self.assertEqual(edits["env"], injected["process"]["env"])
        self.assertEqual(
            [mount["containerPath"] for mount in edits["mounts"]],
            [mount["destination"] for mount in injected["mounts"]])

    def test_a_training_script_becomes_a_job_under_the_limit(self):
        agent, _, devices = self.prepare("train", "40Mi")
        self.assertEqual({"fast", "slow"}, {d.device_name for d in devices})
        alone, limited = self.folder / "alone.json", self.folder / "limited.json"
        subprocess.run([*TRAIN, "--out", alone], check=True,
                       stdout=subprocess.DEVNULL)
        process = containers.start(self.edits_of(agent, devices),
                                   [*TRAIN, "--paced", "--out", limited])
        peaks = []
        for _ in range(5):
            process.stdin.write("\n")
            process.stdin.flush()
            line = process.stdout.readline()
            self.assertIn("step", line, line + agent.log())
            kubelet.wait_for(
                lambda: agent.metric("stowage_agent_steps_total") > len(peaks),
                agent.log)
            peaks.append(agent.metric("stowage_agent_fast_peaks_bytes"))
        self.assertEqual(1, agent.metric("stowage_agent_jobs_running"))
        output, _ = process.communicate(timeout=containers.TIMEOUT_S)
        self.assertEqual(0, process.returncode, output)
        print("Fast memory of the steps, in MiB:",
              [round(peak / MIB, 1) for peak in peaks])
        self.assertLessEqual(max(peaks), 40 * MIB)
        self.assertGreater(agent.metric("stowage_agent_slow_written_bytes_total"),
                           0)
        self.assertEqual(json.loads(alone.read_text()),
                         json.loads(limited.read_text()))

    def test_a_job_that_asks_for_more_is_refused(self):
        agent, _, devices = self.prepare("greedy", "40Mi")
        edits = self.edits_of(agent, devices)
        for variables, why in (
            ({"STOWAGE_FAST": "41MiB"}, "asks for 42991616 bytes of fast memory"),
            ({"STOWAGE_SLOW": f"file:{agent.folder}/slow,size=129MiB"},
             "asks for more slow memory"),
            ({"STOWAGE_SLOW": "dram"}, "alone; leave STOWAGE_SLOW out"),
        ):
            status, output = containers.run(
                edits, [*TRAIN, "--out", self.folder / "refused.json"], variables)
            print("The job says:", output.strip().splitlines()[-1])
            self.assertEqual(78, status, output)
            self.assertIn(why, output)

    def test_a_claim_outlives_its_agent(self):
        agent, claim, devices = self.prepare("restart", "40Mi")
        process = containers.start(
            self.edits_of(agent, devices),
            [*TRAIN, "--paced", "--out", self.folder / "restart.json"])
        step = lambda: (process.stdin.write("\n"), process.stdin.flush(),
                        process.stdout.readline())[-1]
        self.assertIn("step", step())
        agent.stop(signal.SIGKILL)
        agent.start()
        agent.kubelet.register()
        self.assertIn("step", step())
        kubelet.wait_for(
            lambda: agent.metric("stowage_agent_jobs_running") == 1, agent.log)
        output, _ = process.communicate("\n" * 3,
                                        timeout=containers.TIMEOUT_S)
        self.assertEqual(0, process.returncode, output)
        again = agent.kubelet.prepare(claim)
        self.assertEqual([d.SerializeToString() for d in devices],
                         [d.SerializeToString() for d in again])

    def test_nothing_of_a_claim_is_left(self):
        agent, claim, _ = self.prepare("clean", "16Mi")
        agent.kubelet.unprepare(claim)
        uid = claim["metadata"]["uid"]
        left = [
            path for folder in (agent.cdi_dir, agent.state_dir)
            for path in folder.iterdir() if uid in path.name
        ]
        self.assertEqual([], left)
        agent.kubelet.unprepare(claim)  # As the kubelet may.

    def test_a_claim_of_another_node_is_refused(self):
        self.make_pod("elsewhere", "200Mi")
        agent, claim = self.scheduled("elsewhere")
        other = self.agents["small"]
        self.assertNotEqual(agent.node, other.node)
        with self.assertRaisesRegex(kubelet.ClaimError, "but on 'large'"):
            other.kubelet.prepare(claim)

    def test_a_claim_that_was_made_again_is_refused(self):
        self.make_pod("again", "16Mi")
        agent, claim = self.scheduled("again")
        claim["metadata"]["uid"] = "00000000-0000-0000-0000-000000000000"
        with self.assertRaisesRegex(kubelet.ClaimError, "made again"):
            agent.kubelet.prepare(claim)
        claim["metadata"]["name"] = "never"
        with self.assertRaisesRegex(kubelet.ClaimError, "not there any more"):
            agent.kubelet.prepare(claim)

    def test_an_older_kubelet_is_served(self):
        self.make_pod("older", "16Mi")
        agent, claim = self.scheduled("older")
        older = kubelet.Kubelet(agent.kubelet.folder, version="v1beta1")
        self.assertEqual(["v1.DRAPlugin", "v1beta1.DRAPlugin"],
                         list(older.register().supported_versions))
        self.addCleanup(older.unprepare, claim)
        self.assertEqual(2, len(older.prepare(claim)))

    def test_agents_may_do_what_they_need_and_no_more(self):
        for path in (CLAIMS, "/api/v1/nodes", "/api/v1/namespaces/default/secrets"):
            with self.assertRaisesRegex(cluster.ApiError, "403"):
                self.kube.get(path, who="agent")

    def test_the_recorded_answers_are_those_of_this_server(self):
        """With STOWAGE_RECORD set, writes them for the tests that replay them."""
        self.make_pod("recorded", "40Mi", node="small")
        self.scheduled("recorded")
        answers = self.answers_to_an_agent("recorded")
        if os.environ.get("STOWAGE_RECORD"):
            recorded_api.ANSWERS.parent.mkdir(exist_ok=True)
            recorded_api.ANSWERS.write_text(json.dumps(answers, indent=1) + "\n")
        name_of = functools.partial(re.sub, "recorded-memory-[a-z0-9]+", "CLAIM")
        recorded = {(a["method"], name_of(a["path"])): a
                    for a in recorded_api.load()}
        for answer in answers:
            self.assertEqual(
                shape(recorded[answer["method"], name_of(answer["path"])]),
                shape(answer))

    def answers_to_an_agent(self, pod):
        """Returns what the server says to the agent of the node `small`."""
        node = "/api/v1/nodes/small"
        listed = (f"{recorded_api.SLICES}?fieldSelector=spec.driver%3D"
                  f"{kubelet.DRIVER}%2Cspec.nodeName%3Dsmall")
        slices = self.kube.get(listed, who="agent")
        created = {
            "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",
            **slices["items"][0]
        }
        created["spec"]["pool"]["generation"] = 1
        claim = f"{CLAIMS}/{self.claims_of(pod)[0]['metadata']['name']}"
        with self.assertRaises(cluster.ApiError) as missing:
            self.kube.get(f"{CLAIMS}/never", who="agent")
        answers = [
            ("GET", node, 200, self.kube.get(node, who="agent")),
            ("GET", listed, 200, {**slices, "items": []}),
            ("POST", recorded_api.SLICES, 201, created),
            ("GET", claim, 200, self.kube.get(claim, who="agent")),
            ("GET", f"{CLAIMS}/never", 404, missing.exception.body),
        ]
        for *_, body in answers:
            body.get("metadata", {}).pop("managedFields", None)
        return [
            dict(zip(("method", "path", "status", "body"), answer))
            for answer in answers
        ]

    def test_zz_a_cluster_without_consumable_capacity_is_named(self):
        """The last: the API server has other features from then on."""
        self.kube.restart_api_server("DRAConsumableCapacity=false")
        agent = self.agents["small"]
        # The server keeps the fields of objects that have them already.
        for item in self.slices_of("small"):
            self.kube.delete(f"{recorded_api.SLICES}/{item['metadata']['name']}")
        agent.wait_for_log("turn on the feature gate DRAConsumableCapacity")
        self.assertNotIn("allowMultipleAllocations",
                         json.dumps(self.slices_of("small")))
        kubelet.wait_for(
            lambda: agent.metric("stowage_agent_slice_published") == 1, agent.log)
        self.assertEqual(
            1, self.slices_of("small")[0]["spec"]["pool"]["generation"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
