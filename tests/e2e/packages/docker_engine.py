"""Builds and runs the images of deploy/docker with Docker, as engines.py says.

Docker is a daemon of its own, which keeps its images in build/docker. Containers have the
machine's network, as it needs rules of the kernel to give them another.
"""

import contextlib
import json
import os
import pathlib
import subprocess
import tarfile
import tempfile
import time

import images
import roots
from images import BINARY_DIR, SOURCE_DIR

START_S = 60


class Docker(contextlib.ExitStack):
    """A dockerd that ends with this."""

    def __enter__(self):
        super().__enter__()
        folder = self.enter_context(tempfile.TemporaryDirectory())
        self.environment = {**os.environ, "DOCKER_HOST": f"unix://{folder}/socket"}
        # What it mounts is seen by nobody else, and goes with it.
        daemon = ["unshare", "--mount", "dockerd", f"--host=unix://{folder}/socket",
                  f"--data-root={BINARY_DIR}/docker", f"--exec-root={folder}/exec",
                  f"--pidfile={folder}/pid", "--bridge=none", "--iptables=false",
                  "--ip6tables=false"]
        self.log = pathlib.Path(folder, "log")
        with open(self.log, "wb") as log:
            process = subprocess.Popen(daemon, stdout=log, stderr=log)
        self.callback(process.wait)
        self.callback(process.terminate)
        self._wait_for(process)
        return self

    def _wait_for(self, process):
        deadline = time.monotonic() + START_S
        while subprocess.run(["docker", "info"], env=self.environment, check=False,
                             capture_output=True).returncode:
            if process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"dockerd does not start\n{self.log.read_text()}")
            time.sleep(0.2)

    def docker(self, *arguments, **options):
        return subprocess.run(["docker", *map(str, arguments)], env=self.environment,
                              check=True, stdout=subprocess.PIPE, text=True,
                              **options).stdout.strip()

    def build(self, target):
        self._make_base()
        self.docker("build", "--quiet", "--network=host", "--file",
                    SOURCE_DIR / "deploy/docker/Dockerfile", "--target", target, "--tag",
                    f"stowage-test-{target}", BINARY_DIR / "packages")

    def _make_base(self):
        name = images.BASE.rpartition("/")[2]
        if self.docker("images", "--quiet", name):
            return
        with tempfile.TemporaryDirectory(dir=BINARY_DIR) as folder:
            roots.make(f"{folder}/root.tar", ["ca-certificates"])
            self.docker("import", f"{folder}/root.tar", name)

    def run(self, target, *command, volumes=()):
        return self.docker("run", *self._options(target, *command, volumes=volumes))

    @contextlib.contextmanager
    def running(self, target, *command, volumes=(), options=()):
        container = self.docker("run", "--detach", *options,
                                *self._options(target, *command, volumes=volumes))
        try:
            yield
        finally:
            self.docker("stop", container)

    def files(self, target):
        container = self.docker("create", f"stowage-test-{target}", "command")
        with subprocess.Popen(["docker", "export", container], env=self.environment,
                              stdout=subprocess.PIPE) as process, \
                tarfile.open(fileobj=process.stdout, mode="r|") as archive:
            found = {pathlib.Path(member.name).name for member in archive
                     if member.isfile()}
        self.docker("rm", container)
        return found

    def user(self, target):
        return self._inspect(target, "User")

    def _inspect(self, target, setting):
        return json.loads(self.docker("inspect", "--format",
                                      "{{json .Config.%s}}" % setting,
                                      f"stowage-test-{target}"))

    def _options(self, target, program, *arguments, volumes):
        """Returns what `docker run` is told, the entry point where that is the program."""
        options = ["--rm", "--network=host", *(f"--volume={volume}" for volume in volumes)]
        entry = self._inspect(target, "Entrypoint") or [""]
        if pathlib.Path(entry[0]).name != program:
            options.append(f"--entrypoint={program}")
        return [*options, f"stowage-test-{target}", *arguments]
