"""The containers that the chart renders work: as their users, with their capabilities and
mounts, and with a read-only root. A job of another user trains with what the agent's pod
gives it."""

import json
import os
import re
import shutil
import subprocess
import sys
import unittest
import urllib.request
from pathlib import Path

import certificates
import chart
import live_chart
import sandbox

JOB_USER = 1000
CAP_CHOWN = 1 << 0
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


class ContainersTest(live_chart.LiveTest):

    VALUES = {"agent": {"reportHostPath": "/var/log/stowage"}}

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
                    port = self.port(container, probe)
                    self.assertEqual(200, live_chart.answer(port, probe["path"]),
                                     (owner, name))

    def test_the_pod_of_helm_test_sees_the_node_of_the_agent(self):
        self.check_status()

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
        live_chart.await_(lambda: any(reports.glob("*.session")), lambda: log)

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


class TlsTest(live_chart.LiveTest):
    """The same over mutual TLS, with certificates by secrets and of the node."""

    VALUES = {"tls": {"enabled": True, "secret": "service", "operatorSecret": "operator",
                      "agentVolume": {"hostPath": {"path": "/etc/stowage/tls"}}}}

    @classmethod
    def prepare(cls):
        authority = cls.folder / "authority"
        certificates.make_authority(authority)
        certificates.issue(authority, cls.node.path("/etc/stowage/tls"),
                           "URI:spiffe://stowage/agent/node7")
        for name, names in (
                ("service", f"DNS:{chart.RELEASE}.{chart.NAMESPACE}.svc"),
                ("operator", "URI:spiffe://stowage/operator/test")):
            cls.node.secrets[name] = certificates.issue(
                authority, cls.folder / "secrets" / name, names)

    def test_the_agent_and_the_pod_of_helm_test_reach_the_service(self):
        self.check_status()


def missing():
    if os.geteuid() != 0:
        return "root, to make containers"
    absent = [name for name in ("unshare", "setpriv", "ip", "chroot", "openssl")
              if shutil.which(name) is None]
    if absent:
        return ", ".join(absent)
    made = subprocess.run(["unshare", "--mount", "--net", "true"], check=False)
    return "" if made.returncode == 0 else "leave to make namespaces"


if __name__ == "__main__":
    chart.require_tools()
    if missing():
        print(f"skipped: needs {missing()}")
        sys.exit(chart.SKIPPED)
    sandbox.enter()
    unittest.main()
