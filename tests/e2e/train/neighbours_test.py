"""Jobs on one host share its fast memory, and nobody has more than there is."""

import json
import os
import shutil
import signal
import threading
import unittest
from pathlib import Path

import daemons
import harness
import processes

MIB = 1 << 20
TOTAL = 100 * MIB
WANTED = 60 * MIB
# Curves, by which jobs share, are made in the background: late, where processors are busy.
STEPS = 40
SAMPLE_S = 0.02
# How long a test waits for what comes within two steps.
PATIENCE_S = 60


def train(steps):
    return ("train_model.py", "resnet50", "--batch", "4", "--image", "96",
            "--steps", str(steps))


def fast_bytes(agent):
    """Returns how much memory the fast arenas of the agent's jobs occupy."""
    total = 0
    for entry in Path(f"/proc/{agent}/fd").iterdir():
        try:
            if "stowage-dram" in os.readlink(entry):
                total += os.stat(entry).st_blocks * 512
        except OSError:
            continue  # It was closed while we looked.
    return total


class Sampler(threading.Thread):
    """Notes the most that the arenas occupied, sampled all the time."""

    def __init__(self, agent):
        super().__init__(daemon=True)
        self.agent, self.most, self.samples = agent, 0, 0
        self.over = threading.Event()

    def run(self):
        while not self.over.wait(SAMPLE_S):
            self.most = max(self.most, fast_bytes(self.agent))
            self.samples += 1

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()


class NeighboursTest(unittest.TestCase):

    def setUp(self):
        self.folder = harness.scratch()
        self.addCleanup(shutil.rmtree, self.folder)
        self.host = self.enterContext(
            daemons.Daemons(self.folder, [f"--fast-total={TOTAL}"]))

    def start(self, name, steps=STEPS, fast=WANTED, **options):
        folder = self.folder / name
        folder.mkdir()
        command = [
            harness.PYTHON, harness.SCRIPTS / train(steps)[0],
            *train(steps)[1:], "--out", folder / "digest.json"
        ]
        return harness.start(command,
                             folder,
                             fast=str(fast),
                             agent=self.host,
                             **options)

    def finish(self, process, name, steps=STEPS):
        output, _ = process.communicate(timeout=harness.TIMEOUT_S)
        folder = self.folder / name
        self.assertEqual(0, process.returncode, output)
        run = harness.Run(process.returncode,
                          json.loads((folder / "digest.json").read_text()),
                          json.loads((folder / "report.json").read_text()),
                          output)
        self.assertEqual(harness.plain(*train(steps)), run.digest,
                         run.summary())
        run.check_limit(self)
        return run

    def test_two_that_want_more_than_there_is_share_it(self):
        with Sampler(self.host.pid("agent")) as sampler:
            first, second = self.start("first"), self.start("second")
            runs = [self.finish(first, "first"), self.finish(second, "second")]
        self.assertGreater(sampler.samples, 100)
        self.assertLessEqual(sampler.most, TOTAL)
        for run in runs:
            limits = [step["limit_bytes"] for step in run.report["steps"]]
            self.assertLessEqual(max(limits), WANTED, run.summary())
            self.assertGreaterEqual(min(limits), WANTED // 2, run.summary())
            # The first to come had all that it wanted, the other what was left.
            # They gain alike as far as their steps tell, and those vary.
            shared = [limit for limit in limits if TOTAL - WANTED < limit < WANTED]
            self.assertTrue(shared, run.summary())
            self.assertEqual("plan", run.modes[-1], run.summary())

    def test_what_a_dead_job_had_goes_to_its_neighbour(self):
        first = self.start("first")
        second = self.start("second", steps=1000)
        for line in second.stdout:
            if line.startswith("step 5 "):
                break
        os.kill(processes.child_named(second.pid, "python3"), signal.SIGKILL)
        second.stdout.close()
        second.wait(timeout=PATIENCE_S)
        run = self.finish(first, "first")
        limits = [step["limit_bytes"] for step in run.report["steps"]]
        self.assertLess(min(limits), WANTED, run.summary())
        self.assertEqual(WANTED, limits[-1], run.summary())

    def test_both_go_over_to_the_next_agent_and_keep_their_floors(self):
        jobs = {name: self.start(name) for name in ("first", "second")}
        for job in jobs.values():
            for line in job.stdout:
                if line.startswith("step 5 "):
                    break
        self.host.kill("agent")
        self.host.start("agent")
        for name, job in jobs.items():
            run = self.finish(job, name)
            self.assertIn("agent-found", run.event_reasons, run.summary())
            limits = [step["limit_bytes"] for step in run.report["steps"]]
            self.assertGreaterEqual(min(limits), WANTED // 2, run.summary())
            self.assertEqual("plan", run.modes[-1], run.summary())

    def test_floors_that_are_more_than_the_host_has_are_refused(self):
        first = self.start("first", steps=1000)
        for line in first.stdout:
            if line.startswith("step 0 "):
                break
        second = self.start("second", floor="71MiB")
        output, _ = second.communicate(timeout=harness.TIMEOUT_S)
        self.assertEqual(harness.REFUSED, second.returncode, output)
        self.assertIn("--floor", output)
        first.terminate()
        first.stdout.close()
        first.wait(timeout=PATIENCE_S)


if __name__ == "__main__":
    unittest.main(verbosity=2)
