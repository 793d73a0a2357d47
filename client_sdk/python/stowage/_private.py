"""Starts a private node agent and placement service for one process."""

import atexit
import json
import os
import subprocess
import sys

# Python before 3.11 has no other way.
_OWN_GROUP = ({"process_group": 0} if sys.version_info >= (3, 11)
              else {"preexec_fn": os.setpgrp})


class PrivateServices:
    """Owns a `stowage serve`, which ends with close() or with this process."""

    def __init__(self, stowage_path):
        self._stowage_path = stowage_path
        self._serve = None

    def start(self):
        """Returns the path of the agent's socket. Blocks until it listens."""
        # A process group of its own, so that a terminal's Ctrl-C reaches the training
        # alone; no session, in which the lowest priority would count for nothing.
        self._serve = subprocess.Popen(
            [self._stowage_path, "serve", "--format", "json",
             "--until-exit", str(os.getpid())],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, **_OWN_GROUP)
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
