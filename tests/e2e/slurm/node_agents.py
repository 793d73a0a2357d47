"""Runs the node agents of a cluster, each as that of a node.

    with node_agents.NodeAgent(folder / "n1", fast="64MiB") as agent:
        print(agent.claims(), agent.metric("stowage_agent_steps_total"))
"""

import json
import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from waiting import wait_for  # pylint: disable=wrong-import-position

SOURCE_DIR = Path(
    os.environ.get("STOWAGE_SOURCE_DIR", Path(__file__).resolve().parents[3]))
BINARY_DIR = Path(os.environ.get("STOWAGE_BINARY_DIR", SOURCE_DIR / "build"))
STOWAGE = BINARY_DIR / "bin/stowage"
STOP_S = 30


def clean_environment():
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("STOWAGE_", "SLURM")) and name != "LD_PRELOAD"
    }


class NodeAgent:
    """An agent whose socket is FOLDER/agent.sock."""

    def __init__(self, folder, fast):
        self.folder = Path(folder)
        self.socket = self.folder / "agent.sock"
        self.fast = fast
        self.log_path = self.folder / "agent.log"
        self.process = None

    def __enter__(self):
        self.folder.mkdir()
        (self.folder / "slow").mkdir()
        self.start()
        return self

    def __exit__(self, kind, *_):
        self.stop()
        if kind is not None:
            print(f"--- {self.log_path}", self.log(), sep="\n", file=sys.stderr)

    def start(self):
        """Starts the agent and waits until it listens."""
        ready = self.folder / "ready"
        ready.unlink(missing_ok=True)
        command = [
            BINARY_DIR / "bin/stowage-agent", f"--socket={self.socket}",
            f"--slow=file:{self.folder}/slow,size=1GiB",
            f"--fast-total={self.fast}", "--metrics-address=127.0.0.1:0",
            f"--ready-file={ready}"
        ]
        with open(self.log_path, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stderr=log,
                                            env=clean_environment())
        wait_for(lambda: ready.exists() or self.process.poll() is not None,
                 "the agent does not begin")
        if not ready.exists():
            raise AssertionError(f"the agent has ended\n{self.log()}")
        self.metrics_address = ready.read_text().strip()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=STOP_S)

    def log(self):
        return self.log_path.read_text()

    def claims(self):
        """Returns the claims that are open, by name."""
        listed = subprocess.run(
            [STOWAGE, "claim", "list", "--format=json", "--agent", self.socket],
            capture_output=True, check=True, text=True).stdout
        return {claim["claim"]: claim for claim in json.loads(listed)}

    def is_clean(self):
        """Returns whether nothing of any claim is left."""
        return not self.claims() and not list(self.folder.glob("local-claims/*"))

    def metric(self, name):
        """Returns the sum of a metric over its labels."""
        with urllib.request.urlopen(f"http://{self.metrics_address}/metrics",
                                    timeout=10) as page:
            text = page.read().decode()
        return sum(map(float, re.findall(rf"^{name}(?:{{.*}})? (\S+)$", text, re.M)))
