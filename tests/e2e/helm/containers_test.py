"""The containers that the chart renders work: as their users, with their capabilities and
mounts, and with a read-only root. A job of another user trains with what the agent's pod
gives it."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

import chart
import sandbox

READY_S = 60
JOB_USER = 1000
CAP_CHOWN = 1 << 0
LIVE_VALUES = {
    "agent": {"reportHostPath": "/var/log/stowage"},
    # The second phase of draining waits for clients.
    "stowaged": {"gracePeriodSeconds": 2},
}
TRAIN = """
import torch
torch.manual_seed(0)
model = torch.nn.Sequential(*[torch.nn.Linear(512, 512) for _ in range(6)])
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(6):
    loss = model(torch.randn(256, 512)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def answer(port, path):
    """Returns the HTTP status of a probe; 0 where nobody listens."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as page:
            return page.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def await_(holds, explain):
    """Waits until `holds` returns true; fails with what `explain` returns."""
    end = time.monotonic() + READY_S
    while not holds():
        if time.monotonic() > end:
            raise AssertionError(explain())
        time.sleep(0.05)


class ContainersTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        parent = chart.BINARY_DIR / "test-scratch"
        parent.mkdir(parents=True, exist_ok=True)
        cls.folder = Path(tempfile.mkdtemp(dir=parent))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        # The layers of an overlay lie outside of what they lie above.
        sandbox.mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", cls.folder)
        cls.addClassCleanup(subprocess.run, ["umount", "--lazy", cls.folder], check=True)
        cls.objects = chart.render(LIVE_VALUES)
        cls.node = sandbox.Node(cls.folder, sandbox.make_image(cls.folder / "image"))
        settings = cls.node.path("/sys/kernel/mm/transparent_hugepage")
        settings.mkdir(parents=True)
        cls.huge_pages = settings / "shmem_enabled"
        cls.huge_pages.write_text("always within_size advise [never] deny force\n")
        cls.service = cls.start("stowage", "/readyz")
        cls.agent = cls.start("stowage-agent", "/healthz")

    @classmethod
    def tearDownClass(cls):
        for daemon in (cls.agent, cls.service):
            daemon.terminate()
            status = daemon.wait(timeout=60)
            if status != 0:
                raise AssertionError(f"{daemon.args} ended with {status}")

    @classmethod
    def start(cls, owner, path):
        pod = cls.node.pod(cls.objects, owner)
        pod.run_init_containers()
        log = cls.folder / f"{owner}.log"
        with open(log, "wb") as file:
            process = pod.start(stdout=file, stderr=file)
        cls.addClassCleanup(process.wait)
        cls.addClassCleanup(process.kill)
        container = pod.spec["containers"][0]
        probe = container["readinessProbe"]["httpGet"]
        assert probe["path"] == path
        cls.await_probe(process, cls.port(container, probe), path, log)
        return process

    @staticmethod
    def port(container, probe):
        return next(port["containerPort"] for port in container["ports"]
                    if port["name"] == probe["port"])

    @staticmethod
    def await_probe(process, port, path, log):
        await_(lambda: process.poll() is not None or answer(port, path) == 200,
               log.read_text)
        if process.poll() is not None:
            raise AssertionError(log.read_text())

    def test_processes_have_the_rights_that_the_specification_says(self):
        for daemon, user, capabilities in ((self.service, "65532", 0),
                                           (self.agent, "0", CAP_CHOWN)):
            status = dict(line.split(":\t", 1) for line in
                          Path(f"/proc/{daemon.pid}/status").read_text().splitlines())
            self.assertEqual([user] * 4, status["Uid"].split())
            self.assertEqual(capabilities, int(status["CapEff"], 16))
            self.assertEqual(capabilities, int(status["CapBnd"], 16))
            self.assertEqual("1", status["NoNewPrivs"])
            with self.assertRaises(OSError):
                Path(f"/proc/{daemon.pid}/root/etc/stowage/new").touch()

    def test_probes_are_answered(self):
        for owner in ("stowage", "stowage-agent"):
            _, pod = chart.pods(self.objects)[owner]
            container = pod["containers"][0]
            for name in ("startupProbe", "readinessProbe", "livenessProbe"):
                if name in container:
                    probe = container[name]["httpGet"]
                    self.assertEqual(200, answer(self.port(container, probe),
                                                 probe["path"]), (owner, name))

    def test_the_pod_of_helm_test_sees_the_node_of_the_agent(self):
        said = []
        await_(lambda: "node7" in self.say_status(said), lambda: said)

    def say_status(self, said):
        """Runs the pod of `helm test`; returns its output, and adds it to `said`."""
        pod = self.node.pod(self.objects, "stowage-test-status")
        finished = pod.run()
        self.assertEqual(0, finished.returncode, finished.stderr)
        pod.remove()
        said.append(finished.stdout)
        return finished.stdout

    def test_a_job_of_another_user_trains_by_a_plan(self):
        container, mount = self.job_of_the_page()
        root = sandbox.make_root(self.folder / "job", [])
        target = root / mount["mountPath"].lstrip("/")
        target.mkdir(parents=True, exist_ok=True)
        sandbox.mount("--bind", self.node.path("/run/stowage"), target)
        sandbox.mount("-o", "remount,bind,ro", target)
        job = subprocess.run(
            [sandbox.CHROOT, root, "setpriv", f"--reuid={JOB_USER}", f"--regid={JOB_USER}",
             "--clear-groups", "--bounding-set=-all", "--no-new-privs",
             "/usr/bin/python3", "-c", TRAIN],
            env={"PATH": "/usr/bin:/bin", "HOME": "/", "OMP_WAIT_POLICY": "passive",
                 **{item["name"]: item["value"] for item in container["env"]},
                 "STOWAGE_FAST": "40%"},
            capture_output=True, text=True, check=False, timeout=240)
        log = (self.folder / "stowage-agent.log").read_text()
        self.assertEqual(0, job.returncode, job.stderr + log)
        with urllib.request.urlopen("http://127.0.0.1:9465/metrics", timeout=10) as page:
            metrics = page.read().decode()
        self.assertRegex(metrics, r'stowage_agent_steps_total\{mode="plan"\} [1-9]', log)
        reports = self.node.path("/var/log/stowage")
        await_(lambda: any(reports.glob("*.session")), lambda: log)

    def job_of_the_page(self):
        """Returns the container of the pod in docs/kubernetes.md, and its mount."""
        page = (chart.SOURCE_DIR / "docs/kubernetes.md").read_text()
        pod, = json.loads(chart.decode(
            re.search(r"^```yaml\n(.*?)^```", page, re.M | re.S).group(1)))
        container, = pod["spec"]["containers"]
        mount, = container["volumeMounts"]
        self.assertIn({"name": mount["name"], "hostPath": {
            "path": "/run/stowage", "type": "Directory"}}, pod["spec"]["volumes"])
        return container, mount

    def test_shared_memory_has_huge_pages_where_the_node_says_never(self):
        self.assertEqual("advise\n", self.huge_pages.read_text())

    def test_what_jobs_load_stays_as_it_is_unless_another_image_brings_other_files(self):
        sdk = self.node.path("/run/stowage/sdk")
        before = (sdk / "lib/libstowage_preload.so").stat().st_ino
        self.copy_sdk()
        self.assertEqual(before, (sdk / "lib/libstowage_preload.so").stat().st_ino)
        plugin = self.node.image / "usr/share/stowage/python/stowage/__init__.py"
        with open(plugin, "a") as file:
            file.write("# a later release\n")
        self.copy_sdk()
        self.assertIn("# a later release", (
            sdk / "share/stowage/python/stowage/__init__.py").read_text())
        # Jobs that run find what they had.
        old = self.node.path("/run/stowage/sdk.old/lib/libstowage_preload.so")
        self.assertEqual(before, old.stat().st_ino)

    def copy_sdk(self):
        pod = self.node.pod(self.objects, "stowage-agent", "again")
        pod.run_init_containers()
        pod.remove()

    def test_the_service_keeps_its_database_in_its_volume(self):
        database = self.folder / "stowage-first/volumes/database/stowaged.db"
        self.assertEqual(65532, database.stat().st_uid)


def missing():
    if os.geteuid() != 0:
        return "root, to make containers"
    absent = [name for name in ("unshare", "setpriv", "ip", "chroot")
              if shutil.which(name) is None]
    return ", ".join(absent)


if __name__ == "__main__":
    chart.require_tools()
    if missing():
        print(f"skipped: needs {missing()}")
        sys.exit(chart.SKIPPED)
    sandbox.enter()
    unittest.main()
