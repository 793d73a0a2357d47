"""Images of deploy/docker, built and run by an engine without a registry.

    tools/test-images.sh      # as root; packs, and then runs this
"""

import contextlib
import os
import pathlib
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

import engines
from images import BINARY_DIR, SOURCE_DIR

FOLDER = pathlib.Path(__file__).resolve().parent
ENGINE = os.environ.get("STOWAGE_IMAGE_ENGINE", "buildah")
SERVICE = "127.0.0.1:17420"
METRICS = "127.0.0.1:19464"
TARGETS = ("service", "trainer", "agent", "chart", "job")
SCRIPT = f"{FOLDER}/train_small.py:/home/job/train_small.py:ro"
OWNER = 65532


class ImagesTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.engine = cls.enterClassContext(engines.ENGINES[ENGINE]())
        for target in TARGETS:
            began = time.monotonic()
            cls.engine.build(target)
            print(f"{target} took {time.monotonic() - began:.0f} s", flush=True)

    def test_images_of_daemons_have_no_shell(self):
        for target, program in (("service", "stowaged"), ("trainer", "stowaged"),
                                ("agent", "stowage-agent")):
            self.assertIn(program, self.engine.run(target, program, "--version"))
            self.assertFalse({"sh", "bash", "apt-get", "python3"} &
                             self.engine.files(target))

    def test_images_run_as_ordinary_users(self):
        for target in TARGETS:
            self.assertRegex(self.engine.user(target), "^(65532:65532|1000:1000)$")

    def test_the_trainers_image_serves_and_trains(self):
        with self.serving("trainer"), tempfile.TemporaryDirectory() as folder:
            graph = SOURCE_DIR / "tools/stowage/suites/graphs/alexnet-b6.pb.gz"
            subprocess.run([BINARY_DIR / "bin/stowage", "train", graph, "--system",
                            "optane", "--fast", "40%", "--episodes", "2", "--service",
                            SERVICE, "-o", f"{folder}/policy.pb"], check=True,
                           timeout=300, capture_output=True)

    def test_a_job_computes_the_same_in_its_image(self):
        alone = self.engine.run("job", "python3", "train_small.py", volumes=[SCRIPT])
        stowed = self.engine.run("job", "stowage", "run", "--fast", "40%",
                                 "--slow", "file:/var/tmp", "--", "python3",
                                 "train_small.py", volumes=[SCRIPT])
        self.assertEqual(alone, stowed)

    @unittest.skipUnless(ENGINE == "docker", "users run Docker")
    def test_a_job_trains_by_a_plan_through_containers_of_the_daemons(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        for name in ("run", "slow"):
            (folder / name).mkdir()
            os.chown(folder / name, OWNER, OWNER)
        socket = f"{folder}/run:/run/stowage"
        agent = ("stowage-agent", "--socket-mode=0666", f"--service={SERVICE}",
                 "--slow=file:/mnt/nvme", "--report-dir=/run/stowage")
        with self.serving("service"), self.engine.running(
                "agent", *agent, volumes=[socket, f"{folder}/slow:/mnt/nvme"],
                options=["--pid=host", "--cap-drop=ALL"]):
            alone = self.engine.run("job", "python3", "train_small.py", volumes=[SCRIPT])
            stowed = self.engine.run(
                "job", "env", "STOWAGE_AGENT=/run/stowage/agent.sock", "stowage", "run",
                "--fast", "40%", "--", "python3", "train_small.py",
                volumes=[SCRIPT, socket])
            self.assertEqual(alone, stowed)
            with urllib.request.urlopen(f"http://{METRICS}/metrics", timeout=5) as page:
                self.assertRegex(page.read().decode(),
                                 r"stowaged_plans_made_total\{.*\} [1-9]")

    @contextlib.contextmanager
    def serving(self, target):
        """Blocks until the service of an image is ready, and ends it afterwards."""
        with self.engine.running(target, "stowaged", f"--listen={SERVICE}",
                                 f"--metrics-address={METRICS}"):
            self.wait_for(f"http://{METRICS}/readyz")
            yield

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
