"""A job survives in a cgroup that holds what the limit promises.

ResNet-50, batch 16, trains in base RSS + 45 % of its tensor peak, no swap.
"""

import json
import shutil
import subprocess
import unittest

import harness
import memory_cgroup

TRAIN = ("train_model.py", "resnet50", "--batch", "16", "--image", "224")
SHARE = 0.45

# What the process holds before it has a model: Python and the libraries.
BASE = ("import resource, torch, torchvision\n"
        "torch.set_num_threads(2)\n"
        "x = torch.ones(1, 3, 8, 8, requires_grad=True)\n"
        "torch.nn.Conv2d(3, 4, 3)(x).sum().backward()\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)\n")


def base_rss_bytes():
    return int(
        subprocess.run([harness.PYTHON, "-c", BASE],
                       check=True,
                       capture_output=True,
                       text=True,
                       env=harness.environment()).stdout)


class CgroupTest(unittest.TestCase):

    def setUp(self):
        self.folder = harness.scratch()
        self.addCleanup(shutil.rmtree, self.folder)

    def peak_bytes(self):
        first = harness.stowed(*TRAIN, "--steps", "2", fast="100%")
        peak_bytes = first.report["tensor_peak_bytes"]
        self.assertGreater(peak_bytes, 0, first.summary())
        return peak_bytes

    def train_within(self, cgroup_bytes, limit_bytes):
        """Trains in a memory cgroup of this size; checks the bits."""
        digest = self.folder / "digest.json"
        command = [
            harness.PYTHON, harness.SCRIPTS / TRAIN[0], *TRAIN[1:], "--out",
            digest
        ]
        try:
            with memory_cgroup.limited(cgroup_bytes) as cgroup:
                run = harness.stowed_command(cgroup.command(command),
                                             self.folder,
                                             fast=str(limit_bytes))
                print(f"cgroup limit {cgroup_bytes} bytes, "
                      f"peak {cgroup.peak_bytes()} bytes")
        except memory_cgroup.Unavailable as reason:
            self.skipTest(str(reason))
        self.assertEqual(0, run.status, run.output)
        self.assertEqual(harness.plain(*TRAIN), json.loads(digest.read_text()),
                         run.summary())
        run.check_limit(self)
        return run

    def test_survives_without_swap(self):
        peak_bytes = self.peak_bytes()
        self.train_within(base_rss_bytes() + int(SHARE * peak_bytes),
                          int(0.4 * peak_bytes))

    def test_a_limit_above_what_the_cgroup_has_left_is_lowered_to_that(self):
        peak_bytes = self.peak_bytes()
        cgroup_bytes = base_rss_bytes() + int(SHARE * peak_bytes)
        run = self.train_within(cgroup_bytes, 2 * peak_bytes)
        self.assertIn("limit-above-cgroup", run.event_reasons, run.summary())
        self.assertIn("more than the memory cgroup", run.output)
        self.assertLess(run.report["limit_bytes"], cgroup_bytes,
                        run.summary())


if __name__ == "__main__":
    unittest.main(verbosity=2)
