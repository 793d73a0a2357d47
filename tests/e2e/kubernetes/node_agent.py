"""Runs a stowage-agent as the driver of one node.

    with node_agent.NodeAgent(folder, "node1", api_flags) as agent:
        agent.kubelet.register()
        print(agent.metric("stowage_agent_fast_peaks_bytes"))
"""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import kubelet

BINARY_DIR = Path(
    os.environ.get("STOWAGE_BINARY_DIR", kubelet.SOURCE_DIR / "build"))
STOP_S = 30


class NodeAgent:
    """`folder` holds all of the node's directories; `flags` go to the agent."""

    def __init__(self, folder, node, flags=()):
        self.folder = Path(folder)
        self.node = node
        self.kubelet = kubelet.Kubelet(self.folder / "kubelet")
        self.cdi_dir = self.folder / "cdi"
        self.state_dir = self.folder / "claims"
        self.log_path = self.folder / "agent.log"
        self.process = None
        self.flags = list(flags)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, *_):
        self.stop()
        if kind is not None:
            print(f"--- log of the agent of {self.node}", self.log(), sep="\n",
                  file=sys.stderr)

    def start(self):
        """Starts the agent and waits until it listens."""
        ready = self.folder / "ready"
        ready.unlink(missing_ok=True)
        slow = self.folder / "slow"
        slow.mkdir(parents=True, exist_ok=True)
        command = [
            BINARY_DIR / "bin/stowage-agent", "--kubernetes",
            f"--node={self.node}", f"--socket={self.folder}/agent.sock",
            f"--kubelet-dir={self.kubelet.folder}", f"--cdi-dir={self.cdi_dir}",
            f"--slow=file:{slow},size=256MiB", f"--report-dir={self.folder}",
            "--metrics-address=127.0.0.1:0", f"--ready-file={ready}",
            *self.flags
        ]
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("STOWAGE_")
        }
        with open(self.log_path, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stderr=log,
                                            env=environment)
        kubelet.wait_for(
            lambda: ready.exists() or self.process.poll() is not None,
            "the agent does not begin")
        if not ready.exists():
            raise AssertionError(f"the agent has ended\n{self.log()}")
        self.metrics_address = ready.read_text().strip()

    def stop(self, how=signal.SIGTERM):
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(how)
        self.process.wait(timeout=STOP_S)

    def log(self):
        return self.log_path.read_text()

    def wait_for_log(self, text):
        kubelet.wait_for(lambda: text in self.log(),
                         lambda: f"no '{text}' in the log:\n{self.log()}")

    def metric(self, name):
        """Returns the sum of a metric over its labels."""
        with urllib.request.urlopen(
                f"http://{self.metrics_address}/metrics", timeout=10) as page:
            text = page.read().decode()
        values = re.findall(rf"^{name}(?:{{.*}})? (\S+)$", text, re.M)
        return sum(map(float, values))
