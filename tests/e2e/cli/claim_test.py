"""`stowage claim` at a real agent, as operators and prologs call it."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from command_line import BAD_DATA, BINARY_DIR, INFEASIBLE, NO_INPUT, STOWAGE, UNAVAILABLE

FAILURE = 1
AMOUNTS = ("--fast", "8MiB", "--slow", "64MiB")
READY_S = 60


class ClaimTest(unittest.TestCase):

    def setUp(self):
        # Paths of sockets must be short.
        folder = tempfile.TemporaryDirectory(prefix="stowage-claim-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.socket = self.folder / "agent.sock"

    def start(self, *flags):
        ready = self.folder / "ready"
        ready.unlink(missing_ok=True)
        agent = subprocess.Popen(
            [BINARY_DIR / "bin/stowage-agent", f"--socket={self.socket}",
             f"--ready-file={ready}", "--slow=emulated:cxl,size=1GiB", *flags],
            stderr=subprocess.DEVNULL)
        self.addCleanup(agent.wait)
        self.addCleanup(agent.kill)
        end = time.monotonic() + READY_S
        while not ready.exists() and time.monotonic() < end:
            self.assertIsNone(agent.poll())
            time.sleep(0.01)
        return agent

    def claim(self, action, *arguments, status=0, env=None):
        """Returns what the command prints; with another status, its errors."""
        result = subprocess.run(
            [STOWAGE, "claim", action, *arguments, "--agent", self.socket],
            capture_output=True, text=True, timeout=60, check=False,
            env={**os.environ, "LD_PRELOAD": "", **(env or {})})
        self.assertEqual(status, result.returncode, result.stderr)
        return result.stdout if status == 0 else result.stderr

    def listed(self):
        return json.loads(self.claim("list", "--format=json"))

    def test_opens_lists_and_closes(self):
        self.start("--fast-total=64MiB")
        self.assertEqual("no claims\n", self.claim("list"))
        socket = self.folder / "local-claims/slurm-17/agent.sock"
        for _ in range(2):
            self.assertEqual(f"{socket}\n",
                             self.claim("open", "slurm-17", *AMOUNTS, "--user=4711"))
        self.assertEqual([{
            "claim": "slurm-17", "user": 4711, "fast_bytes": 8 << 20,
            "slow_bytes": 64 << 20, "jobs": 0, "socket": str(socket)
        }], self.listed())
        self.assertRegex(self.claim("list"), r"slurm-17 +4711 +8\S* MiB +64\S* MiB +0")
        self.assertEqual("", self.claim("close", "slurm-17"))
        self.assertEqual("", self.claim("close", "slurm-17"))
        self.assertEqual([], self.listed())

    def test_users_have_names(self):
        self.start("--fast-total=64MiB")
        self.claim("open", "mine", *AMOUNTS)
        self.claim("open", "roots", *AMOUNTS, "--user=root")
        self.assertEqual([os.getuid(), 0], [c["user"] for c in self.listed()])
        self.assertIn("no such user", self.claim("open", "x", *AMOUNTS,
                                                 "--user=nobody-has-this",
                                                 status=NO_INPUT))

    def test_says_why_a_claim_is_not_opened(self):
        agent = self.start("--fast-total=64MiB")
        self.claim("open", "a", *AMOUNTS)
        for arguments, status, why in (
            (("a", "--fast=9MiB", "--slow=64MiB"), FAILURE, "is open with 8388608"),
            (("b", "--fast=60MiB", "--slow=64MiB"), BAD_DATA, "claim 'b' has 62914560"),
            (("b", "--fast=65MiB", "--slow=64MiB"), BAD_DATA, "--fast-total is"),
            (("b", "--fast=8MiB", "--slow=2GiB"), BAD_DATA, "--slow has"),
            (("b/c", *AMOUNTS), BAD_DATA, "is no name of a claim"),
            (("b" * 200, *AMOUNTS), BAD_DATA, "too long"),
            (("b", "--fast=lots", "--slow=64MiB"), BAD_DATA, "--fast lots"),
        ):
            self.assertIn(why, self.claim("open", *arguments, status=status))
        agent.terminate()
        agent.wait()
        self.assertIn("no agent listens", self.claim("list", status=UNAVAILABLE))
        self.start()
        self.assertIn("start it with --fast-total",
                      self.claim("open", "b", *AMOUNTS, status=INFEASIBLE))

    def test_prints_the_variables_of_a_job(self):
        self.start("--fast-total=64MiB")
        socket = self.claim("open", "slurm-17", *AMOUNTS).strip()
        library = BINARY_DIR / "lib/libstowage_preload.so"
        for before, preload in (("", library), ("/lib/x.so", f"{library}:/lib/x.so"),
                                (library, library)):
            lines = self.claim("env", "slurm-17",
                               env={"LD_PRELOAD": str(before)}).splitlines()
            self.assertEqual([
                f"export LD_PRELOAD={preload}",
                f"export STOWAGE_PLUGIN={BINARY_DIR}/lib/libstowage_torch.so",
                f"export STOWAGE_PYTHON={BINARY_DIR}/share/stowage/python",
                f"export STOWAGE_AGENT={socket}",
                "export STOWAGE_RUN_ID=slurm-17",
            ], lines)
        self.assertIn("is not open", self.claim("env", "other", status=NO_INPUT))

    def test_claims_and_commands_wait_for_the_next_agent(self):
        agent = self.start("--fast-total=64MiB")
        self.claim("open", "slurm-17", *AMOUNTS)
        agent.send_signal(signal.SIGKILL)
        agent.wait()
        waiting = subprocess.Popen(
            [STOWAGE, "claim", "list", "--agent", self.socket],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertIn("waiting up to 10 s", waiting.stderr.readline())
        self.start("--fast-total=64MiB")
        output, _ = waiting.communicate(timeout=60)
        self.assertIn("slurm-17", output)


if __name__ == "__main__":
    unittest.main()
