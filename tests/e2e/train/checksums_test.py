"""A byte that changes on the disk is found, and never becomes a wrong number."""

import json
import os
import random
import shutil
import unittest
from pathlib import Path

import harness
import processes

STEPS = 14
TRAIN = ("train_model.py", "resnet50", "--batch", "4", "--image", "96",
         "--steps", str(STEPS))
FLIPS = 200


def slow_file(process):
    """Returns a path of the file, which has no name, that a job moves tensors to."""
    for entry in Path(f"/proc/{process}/fd").iterdir():
        target = os.readlink(entry)
        if "/slow/" in target and "(deleted)" in target:
            return entry
    raise AssertionError("the job has no slow file")


def written_parts(fd):
    """Returns the parts of a sparse file that have been written."""
    parts, at = [], 0
    while True:
        try:
            begin = os.lseek(fd, at, os.SEEK_DATA)
        except OSError:
            return parts
        at = os.lseek(fd, begin, os.SEEK_HOLE)
        parts.append((begin, at))


def flip_bytes(path, count, seed):
    """Changes so many bytes of what the file holds, one in a page."""
    chosen = random.Random(seed)
    with open(path, "r+b", buffering=0) as file:
        pages = [
            at for begin, end in written_parts(file.fileno())
            for at in range(begin, end, 4096)
        ]
        for page in chosen.sample(pages, min(count, len(pages))):
            at = page + chosen.randrange(4096)
            old = os.pread(file.fileno(), 1, at)[0]
            os.pwrite(file.fileno(), bytes([old ^ chosen.randint(1, 255)]), at)
        os.fsync(file.fileno())


class ChecksumsTest(unittest.TestCase):

    def setUp(self):
        self.folder = harness.scratch()
        self.addCleanup(shutil.rmtree, self.folder)

    def train(self, flips, **options):
        """Trains, and changes `flips` bytes of the slow file after some steps."""
        digest = self.folder / "digest.json"
        command = [
            harness.PYTHON, harness.SCRIPTS / TRAIN[0], *TRAIN[1:], "--out",
            digest
        ]
        process = harness.start(command, self.folder, checksums=True, **options)
        output = []
        for line in process.stdout:
            output.append(line)
            if flips and line.startswith("step 6 "):
                job = processes.child_named(process.pid, "python3")
                flip_bytes(slow_file(job), flips, seed=3)
        status = process.wait(timeout=harness.TIMEOUT_S)
        process.stdout.close()
        return harness.Run(
            status,
            json.loads(digest.read_text()) if digest.exists() else {},
            json.loads((self.folder / "report.json").read_text()),
            "".join(output))

    def test_cost_no_bit(self):
        run = self.train(flips=0)
        self.assertEqual(0, run.status, run.output)
        self.assertEqual(harness.plain(*TRAIN), run.digest, run.summary())
        run.check_planned(self)

    def check_found(self, run):
        self.assertNotEqual(0, run.status, run.summary())
        self.assertRegex(run.output,
                         r"the (tensor|parameter) of .* made in step \d+")
        self.assertIn("checksum", run.output)

    def test_a_changed_byte_ends_a_planned_job_with_the_tensor_and_the_cause(self):
        self.check_found(self.train(FLIPS))

    def test_a_changed_byte_ends_a_job_in_demand_mode_too(self):
        self.check_found(self.train(FLIPS, mode="demand"))

    def test_a_changed_byte_that_streams_ends_the_job(self):
        self.check_found(self.train(FLIPS, fast="8%"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
