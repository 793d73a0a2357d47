"""Boots hosts of Debian in containers that see one network, without the machine's own.

    with hosts.Network() as network, hosts.Host("node1", root, network, shared) as host:
        print(host.run("systemctl is-system-running"))

`shared` is a folder that the host sees as /test. All that a host writes elsewhere is in
memory and goes with it.
"""

import subprocess
import time
import uuid

BOOT_S = 120
STOP_S = 60


class Network:
    """A namespace with a loopback interface, at which hosts find one another."""

    def __init__(self):
        self.name = f"stowage-{uuid.uuid4().hex[:8]}"

    @property
    def path(self):
        return f"/run/netns/{self.name}"

    def __enter__(self):
        subprocess.run(["ip", "netns", "add", self.name], check=True)
        subprocess.run(["ip", "-n", self.name, "link", "set", "lo", "up"], check=True)
        return self

    def __exit__(self, *_):
        subprocess.run(["ip", "netns", "delete", self.name], check=True)


class Host:

    def __init__(self, name, root, network, shared):
        self.name = name
        self.console = shared / f"{name}.console"
        self.command = [
            "systemd-nspawn", "--quiet", f"--directory={root}", "--volatile=overlay",
            "--register=no", "--keep-unit", f"--network-namespace-path={network.path}",
            f"--machine={name.partition('.')[0]}", "--boot", "--console=pipe",
            f"--bind={shared}:/test", "systemd.log_level=warning"]

    def __enter__(self):
        with open(self.console, "wb") as console:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL,
                                            stdout=console, stderr=console)
        try:
            self.leader = self._wait_for_leader()
            self.run("systemctl is-system-running --wait || true")
            # The root has a name of its own, which wins over that of the container.
            self.run(f"hostname {self.name}")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(timeout=STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _wait_for_leader(self):
        """Returns the process that is the host's init, once that takes commands."""
        deadline = time.monotonic() + BOOT_S
        while time.monotonic() < deadline and self.process.poll() is None:
            found = subprocess.run(["pgrep", "--parent", str(self.process.pid), "systemd"],
                                   capture_output=True, text=True, check=False)
            if found.returncode == 0:
                self.leader = found.stdout.split()[0]
                if "done" in self.run("systemctl is-active dbus.socket >/dev/null && echo done",
                                      check=False):
                    return self.leader
            time.sleep(0.2)
        raise AssertionError(
            f"{self.name} does not boot\n{self.console.read_text(errors='replace')}")

    def run(self, script, user=None, check=True, timeout=600):
        """Returns what a shell script prints on the host, run in /test as a login of
        `user`."""
        inside = ["bash", "-c", "set -e; cd /test\n" + script]
        if user is not None:
            inside = ["runuser", "--login", user, "--command", "set -e\n" + script]
        result = subprocess.run(["nsenter", f"--target={self.leader}", "--all", *inside],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, check=False,
                                timeout=timeout)
        if check and result.returncode != 0:
            raise AssertionError(f"on {self.name}: {script}\n{result.stdout}")
        return result.stdout
