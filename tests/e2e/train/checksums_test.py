"""A byte that changes on the disk is found, and never becomes a wrong number."""

import random
import shutil
import unittest

import harness
import processes
import slow_files

STEPS = 14
TRAIN = ("train_model.py", "resnet50", "--batch", "4", "--image", "96",
         "--steps", str(STEPS))
FLIPS = 200


class ChecksumsTest(unittest.TestCase):

    def setUp(self):
        self.folder = harness.scratch()
        self.addCleanup(shutil.rmtree, self.folder)

    def train(self, flips, **options):
        """Trains, and changes `flips` bytes of the slow file after some steps."""
        command = [
            harness.PYTHON, harness.SCRIPTS / TRAIN[0], *TRAIN[1:], "--out",
            self.folder / "digest.json"
        ]
        process = harness.start(command, self.folder, checksums=True, **options)

        def flip():
            job = processes.child_named(process.pid, "python3")
            slow_files.flip_bytes(slow_files.of_process(job), flips,
                                  random.Random(3))

        return harness.finish(process, self.folder, {6: flip} if flips else {})

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
