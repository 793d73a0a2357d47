"""A private node agent and placement service for one process."""

import atexit
import ctypes
import os
import shutil
import signal
import subprocess
import tempfile
import time

_PR_SET_PDEATHSIG = 1
_START_TIMEOUT_S = 20.0


def _die_with_parent():
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    os.setsid()


class PrivateServices:
    """Owns two child processes and their directory until close()."""

    def __init__(self, binary_dir):
        self._binary_dir = binary_dir
        self._directory = tempfile.mkdtemp(prefix="stowage-")
        self._children = []
        atexit.register(self.close)

    def start(self):
        """Returns the path of the agent's socket. Blocks until it listens."""
        service = "unix:" + os.path.join(self._directory, "stowaged.sock")
        self._spawn("stowaged", "port-file", "--listen", service, "--db", ":memory:",
                    "--metrics-address=")
        agent_socket = os.path.join(self._directory, "agent.sock")
        self._spawn("stowage-agent", "ready-file", "--socket", agent_socket,
                    "--service", service, "--report-dir", self._directory)
        return agent_socket

    def close(self):
        for child in reversed(self._children):
            child.terminate()
            child.wait()
        self._children = []
        shutil.rmtree(self._directory, ignore_errors=True)

    def _spawn(self, program, ready_flag, *arguments):
        ready = os.path.join(self._directory, program + ".ready")
        log_path = os.path.join(self._directory, program + ".log")
        environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
        with open(log_path, "wb") as log:
            child = subprocess.Popen(
                [os.path.join(self._binary_dir, program), *arguments,
                 "--%s=%s" % (ready_flag, ready)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=environment, preexec_fn=_die_with_parent)
        self._children.append(child)
        deadline = time.monotonic() + _START_TIMEOUT_S
        while not os.path.exists(ready):
            if child.poll() is not None or time.monotonic() > deadline:
                with open(log_path, errors="replace") as log:
                    raise RuntimeError("stowage: %s did not start: %s"
                                       % (program, log.read().strip()))
            time.sleep(0.01)
