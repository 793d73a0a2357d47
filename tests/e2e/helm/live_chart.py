"""Service and agent of a rendering, as processes in containers (sandbox.py).

    class MyTest(live_chart.LiveTest):

        VALUES = {"tls": {"enabled": True}}

        def test_the_agent_reaches_the_service(self):
            self.check_status()
"""

import shutil
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

import chart
import sandbox

READY_S = 180


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


class LiveTest(unittest.TestCase):
    """Runs service and agent of a rendering; its subclasses have tests."""

    VALUES = {}

    @classmethod
    def setUpClass(cls):
        parent = chart.BINARY_DIR / "test-scratch"
        parent.mkdir(parents=True, exist_ok=True)
        cls.folder = Path(tempfile.mkdtemp(dir=parent))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        # The layers of an overlay lie outside of what they lie above.
        sandbox.mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", cls.folder)
        cls.addClassCleanup(subprocess.run, ["umount", "--lazy", cls.folder], check=True)
        # The second phase of draining waits for clients.
        cls.objects = chart.render({**cls.VALUES, "stowaged": {"gracePeriodSeconds": 2}})
        cls.node = sandbox.Node(cls.folder, sandbox.make_image(cls.folder / "image"))
        settings = cls.node.path("/sys/kernel/mm/transparent_hugepage")
        settings.mkdir(parents=True)
        cls.huge_pages = settings / "shmem_enabled"
        cls.huge_pages.write_text("always within_size advise [never] deny force\n")
        cls.prepare()
        cls.service = cls.start("stowage", "/readyz")
        cls.agent = cls.start("stowage-agent", "/healthz")

    @classmethod
    def prepare(cls):
        """Makes what the pods need of the cluster and its nodes."""

    @classmethod
    def tearDownClass(cls):
        for daemon in (cls.agent, cls.service):
            daemon.terminate()
            status = daemon.wait(timeout=READY_S)
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

    def check_status(self):
        """Runs the pod of `helm test` until it sees the node of the agent."""
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
