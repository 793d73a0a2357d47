"""An agent needs few privileges to serve the jobs of other users.

It runs as one user and the jobs as another, which takes root to arrange.
"""

import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile
import time
import unittest

import harness

AGENT_USER = "nobody"
JOB_USER = "games"
READY_S = 30
TRAIN = """
import torch
torch.manual_seed(0)
model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(8)])
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(6):
    loss = model(torch.randn(512, 1024)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("loss", loss.item())
"""


def all_may_enter(path):
    return all(folder.stat().st_mode & 0o005 == 0o005
               for folder in (path, *path.parents))


def as_user(user, *command, capabilities=()):
    """Returns a command that runs another as `user`, with these capabilities
    alone."""
    kept = "-all" + "".join(f",+{name}" for name in capabilities)
    return [
        "setpriv", f"--reuid={user}", f"--regid={pwd.getpwnam(user).pw_gid}",
        "--clear-groups", f"--bounding-set={kept}", f"--inh-caps={kept}",
        f"--ambient-caps={kept}", "--no-new-privs", *map(str, command)
    ]


@unittest.skipIf(os.geteuid() != 0, "only root may run things as other users")
@unittest.skipUnless(all_may_enter(pathlib.Path(harness.BINARY_DIR) / "bin"),
                     "other users may not enter the build directory")
@unittest.skipUnless(all_may_enter(pathlib.Path(harness.PYTHON).parent),
                     "other users may not enter the folder of this Python")
class PrivilegesTest(unittest.TestCase):

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="stowage-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.folder.chmod(0o755)
        self.run_directory = self.own_folder("run", AGENT_USER, 0o755)
        self.agent_slow = self.own_folder("slow", AGENT_USER)
        self.job_slow = self.own_folder("job-slow", JOB_USER)
        self.home = self.own_folder("home", JOB_USER)

    def own_folder(self, name, user, mode=0o700):
        folder = self.folder / name
        folder.mkdir(mode=mode)
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
        return folder

    def start_agent(self, *capabilities):
        ready = self.run_directory / "ready"
        self.socket = self.run_directory / "agent.sock"
        agent = subprocess.Popen(
            as_user(AGENT_USER, pathlib.Path(harness.BINARY_DIR) / "bin/stowage-agent",
                    f"--socket={self.socket}", "--socket-mode=0666",
                    f"--slow=file:{self.agent_slow}",
                    f"--slow-dir={self.job_slow}", "--fast=40%",
                    f"--ready-file={ready}", capabilities=capabilities),
            stderr=subprocess.DEVNULL)
        self.addCleanup(agent.wait)
        self.addCleanup(agent.terminate)
        deadline = time.monotonic() + READY_S
        while not ready.exists():
            self.assertLess(time.monotonic(), deadline, "the agent is not ready")
            self.assertIsNone(agent.poll(), "the agent has ended")
            time.sleep(0.02)

    def train(self, slow):
        return subprocess.run(
            as_user(JOB_USER, pathlib.Path(harness.BINARY_DIR) / "bin/stowage",
                    "run", f"--agent={self.socket}", f"--slow=file:{slow}",
                    "--", harness.PYTHON, "-c", TRAIN),
            env={"HOME": str(self.home), "OMP_NUM_THREADS": "1",
                 "PATH": "/usr/bin:/bin"},
            cwd=self.home, capture_output=True, text=True)

    def assert_trains(self, slow):
        run = self.train(slow)
        self.assertEqual(0, run.returncode, run.stderr)
        self.assertIn("loss 0.", run.stdout)

    def test_without_any_it_serves_jobs_of_all_users_from_its_own_directory(self):
        self.start_agent()
        self.assert_trains(self.agent_slow)
        refused = self.train(self.job_slow)
        self.assertNotEqual(0, refused.returncode)
        self.assertIn("let the agent's user write there", refused.stderr)

    def test_with_dac_override_it_makes_files_in_the_directories_of_jobs(self):
        self.start_agent("dac_override")
        self.assert_trains(self.job_slow)

    def test_with_chown_the_job_owns_its_arenas(self):
        self.start_agent("dac_override", "chown")
        self.assert_trains(self.job_slow)


if __name__ == "__main__":
    unittest.main()
