"""Builds and runs the images of deploy/docker with buildah or with Docker.

    with engines.ENGINES["docker"]() as engine:
        engine.build("service")
        engine.run("service", "stowaged", "--version")
"""

import contextlib
import os
import pathlib
import signal
import subprocess

import images
from docker_engine import Docker
from images import buildah



class Buildah(contextlib.ExitStack):

    def build(self, target):
        images.build(target)

    def run(self, target, *command, volumes=()):
        """Returns what a program of an image prints."""
        with self._container(target) as container:
            return buildah("run", *(f"--volume={volume}" for volume in volumes),
                           container, "--", *command)

    @contextlib.contextmanager
    def running(self, target, *command):
        with self._container(target) as container:
            process = subprocess.Popen(images.command("run", container, "--", *command),
                                       env=images.ENVIRONMENT, process_group=0)
            try:
                yield
            finally:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait()

    def files(self, target):
        """Returns the names of an image's files."""
        with self._container(target) as container:
            folder = pathlib.Path(buildah("mount", container))
            return {path.name for path in folder.rglob("*") if path.is_file()}

    def user(self, target):
        return buildah("inspect", "--type", "image", "--format", "{{.OCIv1.Config.User}}",
                       f"localhost/stowage-test-{target}")

    @contextlib.contextmanager
    def _container(self, target):
        container = buildah("from", "--pull-never", f"localhost/stowage-test-{target}")
        try:
            yield container
        finally:
            buildah("rm", container)


ENGINES = {"buildah": Buildah, "docker": Docker}
