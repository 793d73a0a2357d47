"""Starts the daemons of a host, which tests stop, kill and start again.

    with daemons.Daemons(folder) as host:
        run = harness.start(command, folder, agent=host)
        host.kill("agent")
        host.start("agent")
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time

import harness

READY_S = 30


class Daemons:
    """A placement service and a node agent.

    `agent_flags` and `service_flags` are appended to theirs. The agent's reports
    go to `folder`, and slow files to `slow`, which is a directory there if it is
    not given. With a jumping_clock.JumpingClock, that is their wall clock. The
    service has its metrics at `metrics_address`, and stores in `database`.
    """

    def __init__(self, folder, agent_flags=(), service_flags=(), slow=None,
                 clock=None, metrics_address="", database=":memory:"):
        self.folder = folder
        # Paths of sockets must be short.
        self.directory = tempfile.mkdtemp(prefix="stowage-test-")
        self.socket = os.path.join(self.directory, "agent.sock")
        self.service_socket = os.path.join(self.directory, "stowaged.sock")
        self.slow = slow or folder / "slow"
        self.slow.mkdir(exist_ok=True)
        self.environment = harness.environment(**(clock.environment() if clock else {}))
        self.processes = {}
        self.commands = {
            "service": [
                harness.BINARY_DIR / "bin/stowaged",
                f"--listen=unix:{self.service_socket}",
                f"--db={database}", f"--metrics-address={metrics_address}",
                f"--port-file={self.ready_path('service')}", *service_flags
            ],
            "agent": [
                harness.BINARY_DIR / "bin/stowage-agent",
                f"--socket={self.socket}",
                f"--service=unix:{self.service_socket}",
                f"--slow=file:{self.slow}", f"--report-dir={folder}",
                f"--ready-file={self.ready_path('agent')}", *agent_flags
            ]
        }

    def __enter__(self):
        self.start("service")
        self.start("agent")
        return self

    def __exit__(self, *_):
        for name in ("agent", "service"):
            process = self.processes.get(name)
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.terminate()
                process.wait(timeout=READY_S)
        shutil.rmtree(self.directory)

    def lead_agent_to(self, service_socket):
        """Makes an agent that starts later look for its service there."""
        command = self.commands["agent"]
        command[command.index(
            f"--service=unix:{self.service_socket}"
        )] = f"--service=unix:{service_socket}"

    def ready_path(self, name):
        return os.path.join(self.directory, f"{name}.ready")

    def start(self, name, wait=True):
        """Starts a daemon and waits until it is ready."""
        ready = self.ready_path(name)
        if os.path.exists(ready):
            os.unlink(ready)
        log = open(self.folder / f"{name}.log", "ab")
        with log:
            self.processes[name] = subprocess.Popen(
                [str(part) for part in self.commands[name]],
                env=self.environment,
                stdout=log,
                stderr=log)
        if wait:
            self.await_ready(name)

    def await_ready(self, name):
        end = time.monotonic() + READY_S
        while not os.path.exists(self.ready_path(name)):
            status = self.processes[name].poll()
            if status is not None or time.monotonic() > end:
                log = (self.folder / f"{name}.log").read_text()
                raise AssertionError(f"{name} ended with {status}: {log}")
            time.sleep(0.01)

    def signal(self, name, number):
        self.processes[name].send_signal(number)

    def kill(self, name):
        self.signal(name, signal.SIGKILL)
        self.processes[name].wait(timeout=READY_S)

    def pid(self, name):
        return self.processes[name].pid
