"""Runs a command as a container runtime would: with the changes of CDI devices.

    edits = containers.edits_of(cdi_dir, ["memory.stowage.dev/claim=UID"])
    run = containers.run(edits, ["python3", "train.py"], env={"STOWAGE_FAST": "8MiB"})

The command gets a mount namespace of its own, in which the host's directories are
mounted read-only where the container has them. Only root may do that; without mounts
the variables name the directories of the host.
"""

import json
import os
import subprocess
from pathlib import Path

TIMEOUT_S = 300
# Containers have a /run of their own.
SET_UP = """set -e
mount --make-rprivate /
mount -t tmpfs tmpfs /run
while [[ $1 != -- ]]; do
  mkdir -p "$2"
  mount --bind "$1" "$2"
  mount -o remount,bind,ro,nosuid,nodev "$2"
  shift 2
done
shift
exec env "$@"
"""


def edits_of(cdi_dir, device_ids):
    """Returns the edits of devices by the files in `cdi_dir`: env and mounts."""
    devices = {}
    for path in Path(cdi_dir).glob("*.json"):
        spec = json.loads(path.read_text())
        for device in spec["devices"]:
            devices[f"{spec['kind']}={device['name']}"] = device
    edits = [devices[device_id]["containerEdits"] for device_id in device_ids]
    return {
        "env": [entry for edit in edits for entry in edit["env"]],
        "mounts": [mount for edit in edits for mount in edit["mounts"]]
    }


def start(edits, command, env=(), mounts=True):
    """Starts the command; `env` is what the pod says by itself."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("STOWAGE_") and name != "LD_PRELOAD"
    }
    command = [*edits["env"], *map(str, command)]
    prefix = mounted_prefix(edits) if mounts else ["env"]
    if not mounts:
        command = [on_host(edits, word) for word in command]
    return subprocess.Popen([*prefix, *command],
                            env={**inherited, **dict(env)},
                            stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT,
                            text=True)


def mounted_prefix(edits):
    paths = [
        path for mount in edits["mounts"]
        for path in (mount["hostPath"], mount["containerPath"])
    ]
    return [
        "unshare", "--mount", "bash", "-c", SET_UP, "container", *paths, "--"
    ]


def on_host(edits, text):
    for mount in edits["mounts"]:
        text = text.replace(mount["containerPath"], mount["hostPath"])
    return text


def run(edits, command, env=(), mounts=True):
    """Runs the command to its end. Returns its exit status and output."""
    process = start(edits, command, env, mounts)
    output, _ = process.communicate(timeout=TIMEOUT_S)
    return process.returncode, output
