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

import images
from images import BINARY_DIR, SOURCE_DIR, buildah

FOLDER = pathlib.Path(__file__).resolve().parent
SERVICE = "127.0.0.1:17420"
METRICS = "127.0.0.1:19464"
TARGETS = ("service", "trainer", "agent", "chart", "job")


class ImagesTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        for target in TARGETS:
            images.build(target)

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
        for target in TARGETS:
            user = buildah("inspect", "--type", "image", "--format",
                           "{{.OCIv1.Config.User}}", f"localhost/stowage-test-{target}")
            self.assertRegex(user, "^(65532:65532|1000:1000)$")

    def test_the_trainers_image_serves_and_trains(self):
        process = subprocess.Popen(
            images.command("run", self.container("trainer"), "--", "stowaged",
                           f"--listen={SERVICE}", f"--metrics-address={METRICS}"),
            env=images.ENVIRONMENT, start_new_session=True)
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
