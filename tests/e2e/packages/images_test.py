"""Images of deploy/docker, built and run by buildah without a registry.

    tools/test-images.sh      # as root; packs, and then runs this
"""

import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

import roots

FOLDER = pathlib.Path(__file__).resolve().parent
SOURCE_DIR = FOLDER.parents[2]
BINARY_DIR = pathlib.Path(os.environ.get("STOWAGE_BINARY_DIR", SOURCE_DIR / "build"))
STORAGE = BINARY_DIR / "images"
BASE = "docker.io/library/debian:12"
SERVICE = "127.0.0.1:17420"
METRICS = "127.0.0.1:19464"


def buildah(*arguments, check=True, **options):
    command = ["buildah", "--root", STORAGE, "--runroot", STORAGE / "run", *arguments]
    return subprocess.run([str(part) for part in command], check=check, text=True,
                          env={**os.environ, "BUILDAH_ISOLATION": "chroot"},
                          stdout=subprocess.PIPE, **options).stdout.strip()


def make_base(folder):
    """Makes the base image of a root that has nothing but apt."""
    roots.make(folder / "root", ["ca-certificates"])
    container = buildah("from", "scratch")
    # With its device nodes, as Python does not copy them.
    subprocess.run(["cp", "--archive", f"{folder}/root/.", buildah("mount", container)],
                   check=True)
    buildah("commit", "--quiet", container, BASE)
    buildah("rm", container)


class ImagesTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        STORAGE.mkdir(exist_ok=True)
        if BASE not in buildah("images", "--format", "{{.Name}}:{{.Tag}}"):
            with tempfile.TemporaryDirectory(dir=BINARY_DIR) as folder:
                make_base(pathlib.Path(folder))
        for target in ("service", "trainer", "agent", "job"):
            buildah("build", "--pull-never", "--layers", "--quiet", "--file",
                    SOURCE_DIR / "deploy/docker/Dockerfile", "--target", target,
                    "--tag", f"stowage-test-{target}", BINARY_DIR / "packages")

    def container(self, target):
        container = buildah("from", "--pull-never", f"localhost/stowage-test-{target}")
        self.addCleanup(buildah, "rm", container)
        return container

    def test_images_of_daemons_have_no_shell(self):
        for target, program in (("service", "stowaged"), ("trainer", "stowaged"),
                                ("agent", "stowage-agent")):
            container = self.container(target)
            self.assertIn(program, buildah("run", container, "--", program, "--version"))
            files = {path.name for path in pathlib.Path(
                buildah("mount", container)).rglob("*") if path.is_file()}
            self.assertFalse({"sh", "bash", "apt-get", "python3"} & files)

    def test_images_run_as_ordinary_users(self):
        for target in ("service", "trainer", "agent", "job"):
            user = buildah("inspect", "--type", "image", "--format",
                           "{{.OCIv1.Config.User}}", f"localhost/stowage-test-{target}")
            self.assertRegex(user, "^(65532:65532|1000:1000)$")

    def test_the_trainers_image_serves_and_trains(self):
        process = subprocess.Popen(
            ["buildah", "--root", STORAGE, "--runroot", STORAGE / "run", "run",
             self.container("trainer"), "--", "stowaged", f"--listen={SERVICE}",
             f"--metrics-address={METRICS}"],
            env={**os.environ, "BUILDAH_ISOLATION": "chroot"}, start_new_session=True)
        self.addCleanup(process.wait)
        self.addCleanup(os.killpg, process.pid, signal.SIGTERM)
        self.wait_for(f"http://{METRICS}/readyz")
        with tempfile.TemporaryDirectory() as folder:
            graph = SOURCE_DIR / "tools/stowage/suites/graphs/alexnet-b6.pb.gz"
            subprocess.run([BINARY_DIR / "bin/stowage", "train", graph, "--system",
                            "optane", "--fast", "40%", "--episodes", "2", "--service",
                            SERVICE, "-o", f"{folder}/policy.pb"], check=True,
                           timeout=300, capture_output=True)

    def test_a_job_computes_the_same_in_its_image(self):
        container = self.container("job")
        buildah("copy", "--quiet", container, FOLDER / "train_small.py", "/home/job/")
        alone = buildah("run", container, "--", "python3", "train_small.py")
        stowed = buildah("run", container, "--", "stowage", "run", "--fast", "40%",
                         "--slow", "file:/var/tmp", "--", "python3", "train_small.py")
        self.assertEqual(alone, stowed)

    def wait_for(self, page):
        deadline = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(page, timeout=5):
                    return
            except (urllib.error.URLError, ConnectionError):
                self.assertLess(time.monotonic(), deadline, f"{page} does not answer")
                time.sleep(0.1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
