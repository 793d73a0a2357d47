"""Jobs that end in the middle of a step, and libraries of others in front of libc."""

import glob
import shutil
import subprocess
import unittest

import harness

TRAIN = ("train_model.py", "mobilenet_v2", "--batch", "4", "--image", "64", "--steps", "4")
# Ends in the third backward pass.
ENDS_IN_HOOK = """
import os, signal, sys, torch
net = torch.nn.Sequential(*[torch.nn.Linear(512, 512) for _ in range(6)])
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
passes = []
def hook(gradient):
    passes.append(1)
    if len(passes) == 3:
        {ending}
net[3].weight.register_hook(hook)
while True:
    optimizer.zero_grad()
    net(torch.randn(64, 512)).square().mean().backward()
    optimizer.step()
"""
# Rank 1 is killed in the third step, as if memory had run out.
KILLED_RANK = """
import os, signal, torch, torch.distributed as dist
dist.init_process_group("gloo")
net = torch.nn.parallel.DistributedDataParallel(
    torch.nn.Sequential(*[torch.nn.Linear(512, 512) for _ in range(6)]))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(100):
    if step == 3 and dist.get_rank() == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    optimizer.zero_grad()
    net(torch.randn(64, 512)).square().mean().backward()
    optimizer.step()
"""


def processes_of(folder):
    """Returns the command lines of all processes that name the folder."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                line = file.read().replace("\0", " ")
        except OSError:
            continue
        if str(folder) in line:
            found.append(line)
    return found


class EndingsTest(unittest.TestCase):

    def setUp(self):
        self.folder = harness.scratch()
        self.addCleanup(shutil.rmtree, self.folder)

    def run_script(self, code, launcher=()):
        script = self.folder / "script.py"
        script.write_text(code)
        run = harness.stowed_command([harness.PYTHON, *launcher, str(script)], self.folder)
        self.assertEqual([], processes_of(self.folder), run.output)
        self.assertEqual([], list((self.folder / "slow").iterdir()), run.output)
        return run

    def test_a_script_that_exits_in_a_hook_ends_with_its_status(self):
        run = self.run_script(ENDS_IN_HOOK.format(ending="sys.exit(5)"))
        self.assertEqual(5, run.status, run.output)
        self.assertGreaterEqual(len(run.report["steps"]), 2, run.summary())

    def test_a_script_that_is_killed_in_a_step_still_gets_its_report(self):
        run = self.run_script(ENDS_IN_HOOK.format(
            ending="os.kill(os.getpid(), signal.SIGKILL)"))
        self.assertEqual(128 + 9, run.status, run.output)
        self.assertGreaterEqual(len(run.report["steps"]), 2, run.summary())

    def test_a_rank_that_is_killed_takes_the_others_with_it(self):
        run = self.run_script(KILLED_RANK, harness.TWO_RANKS)
        self.assertNotEqual(0, run.status, run.output)
        self.assertIn("SIGKILL", run.output)
        self.assertEqual(2, len([job for job in run.report["jobs"] if job["steps"]]))

    def test_other_allocators_of_memory_may_be_preloaded(self):
        found = [path for name in ("libjemalloc.so.2", "libtcmalloc_minimal.so.4")
                 for path in glob.glob(f"/usr/lib/*/{name}")]
        if not found:
            self.skipTest("needs libjemalloc2 or libtcmalloc-minimal4")
        for library in found:
            with self.subTest(library):
                run = harness.stowed(*TRAIN, env={"LD_PRELOAD": library})
                self.assertEqual(harness.plain(*TRAIN), run.digest, run.summary())
                run.check_planned(self)

    def test_the_address_sanitizer_may_be_preloaded(self):
        library = subprocess.run(["gcc", "-print-file-name=libasan.so"], check=False,
                                 capture_output=True, text=True).stdout.strip()
        if "/" not in library:
            self.skipTest("needs a compiler with its libasan")
        run = harness.stowed(*TRAIN, env={"LD_PRELOAD": library,
                                          "ASAN_OPTIONS": "detect_leaks=0"})
        self.assertEqual(harness.plain(*TRAIN), run.digest, run.summary())
        run.check_limit(self)


if __name__ == "__main__":
    unittest.main(verbosity=2)
