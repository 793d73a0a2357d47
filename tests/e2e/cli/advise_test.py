"""Advice on the command line, and rankings and reservations at a real service.

    python3 advise_test.py            STOWAGE_BINARY_DIR names the build
"""

import json
import subprocess
import unittest

import chain_graph
from command_line import (BINARY_DIR, CAPTURED, INFEASIBLE, STOWAGE, UNAVAILABLE, USAGE, CliTest,
                      stowage)


def advise(*arguments):
    return stowage("advise", CAPTURED, "--system", "file", "--time", 1, *arguments)


class AdviceTest(CliTest):

    def test_the_least_limit_has_a_plan_and_one_percent_less_has_none(self):
        advice = json.loads(advise("--format", "json").stdout)
        least = advice["least_limit_bytes"]
        plan = ("plan", CAPTURED, "--system", "file", "--time-limit", 0.1, "--fast-bytes")
        self.assertEqual(stowage(*plan, least).returncode, 0)
        self.assertEqual(stowage(*plan, least * 99 // 100).returncode, INFEASIBLE)

    def test_a_goal_is_reached_under_its_limit(self):
        advice = json.loads(advise("--format", "json").stdout)
        for goal in advice["goals"]:
            steps = [point["step_time_ns"] for point in advice["points"]
                     if point["fast_limit_bytes"] == goal["fast_limit_bytes"]]
            self.assertLessEqual(steps[0] * goal["speed"], advice["all_fast_ns"] * 1.000001)

    def test_the_table_names_the_limits_and_the_picture_shows_them(self):
        picture = self.folder / "advice.svg"
        result = advise("--plot", picture)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("to reach", result.stdout)
        self.assertIn("at 99 % of full speed", result.stdout)
        self.assertIn("<svg", picture.read_text())

    def test_what_makes_no_sense_is_refused_in_clear_words(self):
        for arguments, words in (
                ((), "give a graph, or a command"),
                ((CAPTURED,), "--system is missing"),
                ((CAPTURED, "--system", "file", "--", "true"), "not both"),
                ((CAPTURED, "--system", "file", "--points", 1), "--points"),
                ((CAPTURED, "--system", "file", "--plot", "a.txt"), ".svg")):
            result = stowage("advise", *arguments)
            self.assertEqual(result.returncode, USAGE, arguments)
            self.assertIn(words, result.stderr)

    def test_a_command_that_does_not_train_says_so(self):
        result = stowage("advise", "--slow", f"file:{self.folder}", "--", "true")
        self.assertEqual(result.returncode, INFEASIBLE, result.stderr)
        self.assertIn("no step was profiled", result.stderr)
        failed = stowage("advise", "--slow", f"file:{self.folder}", "--", "false")
        self.assertIn("ended with status 1", failed.stderr)


class SchedulingTest(CliTest):
    """Runs a service and an agent of its own."""

    def setUp(self):
        super().setUp()
        ports = self.start("stowaged", "--port-file", "--listen=127.0.0.1:0",
                           "--metrics-address=", "--db=:memory:")
        self.service = ports.splitlines()[0]
        self.start("stowage-agent", "--ready-file", f"--socket={self.folder}/agent.sock",
                   f"--service={self.service}", f"--slow=file:{self.folder}",
                   "--fast-total=1GiB", "--node=n1", "--keep-huge-pages")
        while not self.ask("rank", "--fast", "1MiB", "--format", "json").returncode == 0:
            pass  # until the agent has registered

    def start(self, program, ready_flag, *flags):
        """Starts a daemon, and returns what it writes when it is ready."""
        ready = self.folder / f"{program}.ready"
        process = subprocess.Popen([BINARY_DIR / "bin" / program, f"{ready_flag}={ready}", *flags],
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        while not ready.exists():
            self.assertIsNone(process.poll(), f"{program} ended")
        return ready.read_text()

    def ask(self, *arguments):
        return stowage(*arguments, "--service", self.service)

    def test_ranks_nodes_for_a_graph(self):
        graph = self.write("chain.json", chain_graph.CHAIN)
        result = self.ask("rank", graph, "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        node, = json.loads(result.stdout)["nodes"]
        self.assertEqual((node["node"], node["total_fast_bytes"]), ("n1", 1 << 30))
        self.assertGreater(node["predicted_step_time_ns"], 0)

    def test_a_reservation_takes_room_until_it_is_released(self):
        added = self.ask("reservation", "add", "job-1", "--node", "n1", "--fast", "1GiB",
                         "--purpose", "a test")
        self.assertEqual(added.returncode, 0, added.stderr)
        reservation = added.stdout.strip()
        again = self.ask("reservation", "add", "job-1", "--node", "n1", "--fast", "1GiB")
        self.assertEqual(again.stdout.strip(), reservation)
        full = self.ask("reservation", "add", "job-2", "--node", "n1", "--fast", "1MiB")
        self.assertNotEqual(full.returncode, 0)
        self.assertIn("of fast memory left", full.stderr)
        listed = self.ask("reservation", "list")
        self.assertIn("a test", listed.stdout)
        self.assertEqual(self.ask("reservation", "renew", reservation).returncode, 0)
        self.assertEqual(self.ask("reservation", "release", reservation).returncode, 0)
        late = self.ask("reservation", "renew", reservation)
        self.assertIn("reserve again", late.stderr)

    def test_a_job_larger_than_any_node_finds_none(self):
        result = self.ask("rank", "--fast", "2GiB")
        self.assertEqual(result.returncode, INFEASIBLE)
        self.assertIn("1 do not suit", result.stdout)
        reserved = self.ask("reservation", "add", "a", "--node", "n1", "--fast", "2GiB")
        self.assertIn("choose a larger node", reserved.stderr)

    def test_bad_input_is_refused_in_clear_words(self):
        for arguments, words in (
                (("rank",), "give the job's graph"),
                (("rank", "--fast", "much"), "not a size"),
                (("reservation", "add", "a", "--node", "n9", "--fast", "1MiB"), "n9"),
                (("reservation", "add", "a", "--node", "n1", "--fast", "0"), "not a size"),
                (("reservation", "renew", "nonsense"), "no reservation")):
            result = self.ask(*arguments)
            self.assertNotEqual(result.returncode, 0, arguments)
            self.assertIn(words, result.stderr)


class NoServiceTest(unittest.TestCase):

    def test_a_service_that_is_away_is_named(self):
        result = subprocess.run(
            [STOWAGE, "rank", "--fast", "1MiB", "--service", "127.0.0.1:1"],
            capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(result.returncode, UNAVAILABLE)
        self.assertIn("127.0.0.1:1", result.stderr)


if __name__ == "__main__":
    unittest.main()
