"""`stowage run` and `stowage serve` as users call them.

    python3 run_command_test.py       STOWAGE_BINARY_DIR names the build
"""

import json
import os
import pathlib
import signal
import subprocess
import time
import unittest
import urllib.request

from command_line import STOWAGE, UNAVAILABLE, USAGE, CliTest, stowage


class RunTest(CliTest):

    def run_job(self, *command, options=()):
        return stowage("run", *options, "--", *command)

    def test_ends_with_the_commands_own_status(self):
        self.assertEqual(self.run_job("sh", "-c", "exit 7").returncode, 7)

    def test_ends_as_a_shell_does_when_a_signal_killed_the_command(self):
        result = self.run_job("sh", "-c", "kill -TERM $$")
        self.assertEqual(result.returncode, 128 + signal.SIGTERM)

    def test_ends_as_a_shell_does_when_the_command_cannot_be_run(self):
        self.assert_fails(self.run_job("/nonexistent/command"), 127, "/nonexistent/command")
        self.assert_fails(self.run_job("/etc/passwd"), 126, "/etc/passwd")

    def test_leaves_the_commands_output_and_options_alone(self):
        result = self.run_job("sh", "-c", 'echo "$@"; cat', "sh", "--fast", "1", "--",
                              options=["--fast", "40%"])
        self.assertEqual(result.stdout, "--fast 1 --\n")

    def test_status_finds_the_private_service_of_a_run(self):
        own = {**os.environ, "XDG_RUNTIME_DIR": str(self.folder)}
        with subprocess.Popen([STOWAGE, "run", "--", "sleep", "300"], env=own) as process:
            nodes = []
            while not nodes and process.poll() is None:
                status = stowage("status", "--format", "json", env=own)
                nodes = status.returncode == 0 and json.loads(status.stdout)["nodes"]
            process.terminate()
        self.assertTrue(nodes[0]["service"].startswith(f"unix:{self.folder}/"), nodes)
        self.assertTrue(nodes[0]["alive"], nodes)

    def test_writes_a_report_without_a_job_and_says_so(self):
        report = self.folder / "r.json"
        result = self.run_job("true", options=["--report", report])
        self.assertIn("no process of the command trained", result.stderr)
        content = json.loads(report.read_text())
        self.assertEqual(content["steps"], [])
        self.assertEqual(content["events"], [])

    def test_forwards_signals_and_leaves_nothing_behind(self):
        with subprocess.Popen([STOWAGE, "run", "--", "sh", "-c",
                               'echo "$STOWAGE_AGENT"; exec sleep 300'],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True) as process:
            agent_folder = pathlib.Path(process.stdout.readline().strip()).parent
            self.assertTrue(agent_folder.is_dir())
            process.terminate()
            self.assertEqual(process.wait(60), 128 + signal.SIGTERM)
        self.assertFalse(agent_folder.exists())

    def test_stops_its_agent_and_service_when_it_is_killed(self):
        with subprocess.Popen([STOWAGE, "run", "--", "sh", "-c",
                               'echo "$STOWAGE_AGENT $$"; exec sleep 300'],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True) as process:
            socket, command_pid = process.stdout.readline().split()
            self.addCleanup(os.kill, int(command_pid), signal.SIGKILL)
            process.kill()
            process.wait()
            deadline = time.monotonic() + 30
            while users_of(socket) and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertEqual(users_of(socket), [])

    def test_refuses_before_it_starts_what_could_not_be_written(self):
        marker = self.folder / "ran"
        result = self.run_job("touch", marker,
                              options=["--report", self.folder / "none/r.json"])
        self.assert_fails(result, 73, "none/r.json")
        self.assertFalse(marker.exists())

    def test_refuses_a_limit_that_is_none(self):
        result = self.run_job("true", options=["--fast", "lots"])
        self.assert_fails(result, USAGE, "lots", "900MiB")

    def test_says_why_the_agent_refuses_a_slow_tier(self):
        result = self.run_job("true", options=["--slow", "file:/nonexistent/folder"])
        self.assert_fails(result, UNAVAILABLE, "/nonexistent/folder")


class ServeTest(CliTest):

    def serve(self, *options):
        process = subprocess.Popen([STOWAGE, "serve", "--format", "json", *map(str, options)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process, json.loads(process.stdout.readline())

    def assert_ended(self, process, addresses, status):
        self.assertEqual(process.wait(60), status, process.stderr.read())
        self.assertFalse(pathlib.Path(addresses["agent"]).parent.exists())
        self.assertEqual(users_of(addresses["agent"]), [])

    def test_serves_runs_until_it_is_told_to_stop(self):
        process, addresses = self.serve()
        status = stowage("status", "--service", addresses["service"])
        self.assertIn("alive", status.stdout, status.stderr)
        run = stowage("run", "--agent", addresses["agent"], "--", "sh", "-c",
                      'echo "$STOWAGE_AGENT"')
        self.assertEqual(run.stdout.strip(), addresses["agent"])
        process.terminate()
        self.assert_ended(process, addresses, 0)

    def test_serves_metrics_where_it_is_asked_to(self):
        _, addresses = self.serve("--metrics-address", "127.0.0.1:0")
        with urllib.request.urlopen(f"http://{addresses['metrics']}/metrics") as page:
            self.assertIn("stowaged_", page.read().decode())

    def test_ends_with_the_process_it_is_tied_to(self):
        with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as owner:
            process, addresses = self.serve("--until-exit", owner.pid)
        self.assert_ended(process, addresses, 0)

    def test_says_so_when_its_agent_dies(self):
        process, addresses = self.serve()
        for pid in users_of(addresses["agent"]):
            if "stowage-agent" in pathlib.Path(f"/proc/{pid}/cmdline").read_text():
                os.kill(int(pid), signal.SIGKILL)
        self.assertEqual(process.wait(60), UNAVAILABLE)
        self.assertIn("stowage-agent' ended with status 137", process.stderr.read())

    def test_refuses_a_process_that_is_not_there(self):
        self.assert_fails(stowage("serve", "--until-exit", 1 << 22), USAGE, str(1 << 22))


def users_of(socket):
    """Programs of Stowage, other than the command line, that name `socket`'s folder."""
    folder = str(pathlib.Path(socket).parent)
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().decode().split("\0")
        except (OSError, UnicodeDecodeError):
            continue
        if pathlib.Path(words[0]).name in ("stowaged", "stowage-agent"):
            found += [entry.name for word in words[1:] if folder in word][:1]
    return found


if __name__ == "__main__":
    unittest.main()
