"""The agent as a driver, between a kubelet and an API server that tests play."""

import copy
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

try:
    import grpc  # pylint: disable=unused-import
except ImportError:
    print("driver_test: skipped: python3-grpcio is missing")
    sys.exit(77)

import containers  # pylint: disable=wrong-import-position
import kubelet  # pylint: disable=wrong-import-position
import node_agent  # pylint: disable=wrong-import-position
import recorded_api  # pylint: disable=wrong-import-position

MIB = 1 << 20
TRAIN = [
    "/usr/bin/python3", HERE.parent / "train/scripts/train_model.py",
    "transformer", "--threads=1"
]


class DriverTest(unittest.TestCase):

    def setUp(self):
        # Paths of sockets must be short.
        self.folder = Path(tempfile.mkdtemp(prefix="stowage-dra-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def start_api(self, port=0):
        return self.enterContext(recorded_api.RecordedApi(port))

    def start(self, api, fast="64MiB"):
        agent = node_agent.NodeAgent(
            self.folder, api.node,
            [f"--fast-total={fast}", *api.agent_flags(self.folder)])
        return self.enterContext(agent)

    def prepared(self, api):
        agent = self.start(api)
        agent.kubelet.register()
        devices = agent.kubelet.prepare(api.claim())
        return agent, containers.edits_of(
            agent.cdi_dir, [i for device in devices for i in device.cdi_device_ids])

    def change_claim(self, api, change):
        """Lets the API server answer with a claim that `change` has changed."""
        for key, (status, body) in api.answers.items():
            if body["kind"] == "ResourceClaim":
                changed = copy.deepcopy(body)
                change(changed)
                api.answers[key] = (status, changed)

    def test_publishes_what_the_real_server_kept(self):
        api = self.start_api()
        agent = self.start(api)
        _, _, sent, authorization = api.wait_for("POST", recorded_api.SLICES)
        self.assertEqual(f"Bearer {recorded_api.TOKEN}", authorization)
        _, kept = api.answers["POST", recorded_api.SLICES]
        for device, kept_device in zip(sent["spec"]["devices"],
                                       kept["spec"]["devices"]):
            # Speeds are measured.
            for name in ("readBytesPerSecond", "writeBytesPerSecond"):
                self.assertGreater(device["attributes"].pop(name)["int"], 0)
                kept_device["attributes"].pop(name)
        self.assertEqual(kept["spec"], sent["spec"])
        kubelet.wait_for(
            lambda: agent.metric("stowage_agent_slice_published") == 1, agent.log)

    def test_publishes_when_the_api_server_comes_back(self):
        api = recorded_api.RecordedApi()
        port = api.port
        api.server.server_close()
        agent = self.start(api)
        agent.wait_for_log("does not answer")
        self.start_api(port).wait_for("POST", recorded_api.SLICES)

    def test_an_unmodified_script_obeys_the_claim(self):
        api = self.start_api()
        agent, edits = self.prepared(api)
        alone, limited = self.folder / "alone.json", self.folder / "limited.json"
        subprocess.run([*TRAIN, "--steps=3", "--out", alone], check=True,
                       stdout=subprocess.DEVNULL)
        status, output = containers.run(edits,
                                        [*TRAIN, "--steps=3", "--out", limited],
                                        mounts=False)
        self.assertEqual(0, status, output)
        self.assertEqual(json.loads(alone.read_text()),
                         json.loads(limited.read_text()))
        self.assertEqual(3, agent.metric("stowage_agent_steps_total"))
        self.assertGreater(agent.metric("stowage_agent_slow_written_bytes_total"),
                           0)

    def test_a_greedy_script_is_refused(self):
        _, edits = self.prepared(self.start_api())
        status, output = containers.run(edits, [*TRAIN, "--out", "/dev/null"],
                                        env={"STOWAGE_FAST": "1TiB"},
                                        mounts=False)
        self.assertEqual(78, status, output)
        self.assertIn("leave STOWAGE_FAST out or name less, or claim more", output)

    def test_says_why_a_claim_is_not_prepared(self):
        api = self.start_api()
        agent = self.start(api, fast="32MiB")
        agent.kubelet.register()
        claim = api.claim()
        for change, why in (
            (lambda c: c["metadata"].update(uid="another"), "made again"),
            (lambda c: c.pop("status"), "has no memory of memory.stowage.dev"),
            (lambda c: None, "and the node has 33554432"),
        ):
            api.answers = recorded_api.RecordedApi().answers
            self.change_claim(api, change)
            with self.assertRaisesRegex(kubelet.ClaimError, why):
                agent.kubelet.prepare(claim)
        claim["metadata"]["name"] = "never"
        with self.assertRaisesRegex(kubelet.ClaimError, "not there any more"):
            agent.kubelet.prepare(claim)

    def test_cleans_up_and_forgives_what_it_does_not_know(self):
        api = self.start_api()
        agent, _ = self.prepared(api)
        self.assertEqual(1, agent.metric("stowage_agent_kubelet_registered"))
        self.assertEqual(1, agent.metric("stowage_agent_claims"))
        agent.kubelet.unprepare(api.claim())
        self.assertEqual(0, agent.metric("stowage_agent_claims"))
        self.assertEqual([], list(agent.cdi_dir.iterdir()))
        self.assertEqual([], list(agent.state_dir.iterdir()))
        agent.kubelet.unprepare(api.claim())

    def test_leaves_no_sockets_behind(self):
        api = self.start_api()
        agent, _ = self.prepared(api)
        agent.stop()
        self.assertFalse(agent.kubelet.registration.exists())
        self.assertTrue(list(agent.cdi_dir.iterdir()))

    def test_refuses_to_start_without_what_it_needs(self):
        for flags, why in (
            ((), "needs --fast-total"),
            (("--fast-total=1MiB", "--kubernetes-api=http://127.0.0.1:1"),
             "give it more"),
            (("--fast-total=8MiB",), "this is no pod"),
            (("--fast-total=8MiB", "--kubernetes-api=http://192.0.2.1:80"),
             "name an https:// address"),
            (("--fast-total=8MiB", "--kubernetes-api=tcp://x"), "is not like"),
        ):
            run = subprocess.run([
                node_agent.BINARY_DIR / "bin/stowage-agent", "--kubernetes",
                f"--socket={self.folder}/agent.sock", "--slow=emulated:cxl",
                f"--kubelet-dir={self.folder}", *flags
            ], capture_output=True, text=True, timeout=60)
            self.assertIn(run.returncode, (1, 3))
            self.assertIn(why, run.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
