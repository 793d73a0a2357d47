"""Starts a private node agent and placement service for one process."""

import atexit
import json
import os
import subprocess


class PrivateServices:
    """Owns a `stowage serve`, which ends with close() or with this process."""

    def __init__(self, stowage_path):
        self._stowage_path = stowage_path
        self._serve = None

    def start(self):
        """Returns the path of the agent's socket. Blocks until it listens."""
        # In its own session, so that a terminal's Ctrl-C reaches the training alone.
        self._serve = subprocess.Popen(
            [self._stowage_path, "serve", "--format", "json",
             "--until-exit", str(os.getpid())],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True)
        announced = self._serve.stdout.readline()
        if not announced:
            raise RuntimeError(self._serve.communicate()[1].strip())
        atexit.register(self.close, os.getpid())
        return json.loads(announced)["agent"]

    def close(self, owner_pid):
        """Ends both and waits for it. Does nothing in a forked child."""
        if os.getpid() != owner_pid:
            return
        self._serve.terminate()
        self._serve.communicate()
