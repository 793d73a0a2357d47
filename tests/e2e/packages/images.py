"""Builds the images of deploy/docker with buildah, without a registry.

    images.build("service")          # stowage-test-service, of build/packages
    images.buildah("run", ...)
    images.export("chart", "localhost/stowage:0.1.0", "stowage.tar")

They are kept in build/images.
"""

import os
import pathlib
import subprocess
import tempfile

import roots

SOURCE_DIR = pathlib.Path(__file__).resolve().parents[3]
BINARY_DIR = pathlib.Path(os.environ.get("STOWAGE_BINARY_DIR", SOURCE_DIR / "build"))
STORAGE = BINARY_DIR / "images"
BASE = "docker.io/library/debian:12"
ENVIRONMENT = {**os.environ, "BUILDAH_ISOLATION": "chroot"}


def command(*arguments):
    return [str(part) for part in
            ("buildah", "--root", STORAGE, "--runroot", STORAGE / "run", *arguments)]


def buildah(*arguments, check=True, **options):
    return subprocess.run(command(*arguments), check=check, text=True, env=ENVIRONMENT,
                          stdout=subprocess.PIPE, **options).stdout.strip()


def make_base():
    """Makes the base image, of a root that has nothing but apt, once."""
    STORAGE.mkdir(exist_ok=True)
    if BASE in buildah("images", "--format", "{{.Name}}:{{.Tag}}"):
        return
    with tempfile.TemporaryDirectory(dir=BINARY_DIR) as folder:
        roots.make(f"{folder}/root", ["ca-certificates"])
        container = buildah("from", "scratch")
        # With its device nodes, as Python does not copy them.
        subprocess.run(["cp", "--archive", f"{folder}/root/.", buildah("mount", container)],
                       check=True)
    buildah("commit", "--quiet", container, BASE)
    buildah("rm", container)


def build(target):
    make_base()
    buildah("build", "--pull-never", "--layers", "--quiet", "--file",
            SOURCE_DIR / "deploy/docker/Dockerfile", "--target", target,
            "--tag", f"stowage-test-{target}", BINARY_DIR / "packages")


def export(target, name, archive):
    """Writes the image as an archive in which it has another name."""
    buildah("push", "--quiet", f"localhost/stowage-test-{target}",
            f"docker-archive:{archive}:{name}")
