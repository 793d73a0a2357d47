"""The runner of tests/bench/deeptm/figures: what is kept, and what is judged."""

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(
    os.environ.get("STOWAGE_SOURCE_DIR",
                   Path(__file__).resolve().parents[3]))
sys.path.insert(0, str(ROOT / "tests/bench/deeptm/figures"))

import page  # pylint: disable=wrong-import-position
import results  # pylint: disable=wrong-import-position
from steps import Runner, Step  # pylint: disable=wrong-import-position


class RunnerTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.input = self.folder / "input.json"
        self.input.write_text("[1]")

    def run_steps(self, *steps, minutes=1):
        lines = []
        runner = Runner(self.folder / "results", jobs=2, minutes=minutes,
                        report=lambda line, **_: lines.append(line))
        runner.run(steps)
        return runner, lines

    def cat(self, name="cat", **options):
        return Step(name, ("cat", self.input), **options)

    def test_keeps_a_result_until_what_was_read_changes(self):
        runner, _ = self.run_steps(self.cat())
        self.assertEqual([1], runner.result(self.cat())["output"])
        _, lines = self.run_steps(self.cat())
        self.assertIn("kept", lines[0])
        self.input.write_text("[2, 3]")
        runner, lines = self.run_steps(self.cat())
        self.assertNotIn("kept", lines[0])
        self.assertEqual([2, 3], runner.result(self.cat())["output"])

    def test_runs_again_when_a_file_that_only_reads_names_changes(self):
        step = Step("echo", ("echo", "{}"), reads=(self.input,))
        self.run_steps(step)
        self.input.write_text("[2]")
        _, lines = self.run_steps(step)
        self.assertNotIn("kept", lines[0])

    def test_runs_what_is_needed_first_and_nothing_after_a_failure(self):
        made = self.folder / "made.json"
        first = Step("make", ("cp", self.input, made), produces=made)
        second = Step("read", ("cat", made), (first,))
        runner, _ = self.run_steps(second)
        self.assertEqual([1], runner.result(second)["output"])
        failing = Step("fail", ("false",))
        runner, _ = self.run_steps(self.cat("after", needs=(failing,)))
        self.assertEqual({"fail", "after"}, set(runner.unfinished()))

    def test_keeps_an_infeasible_step_as_a_result(self):
        step = Step("tight", ("sh", "-c", "echo limit too small >&2; exit 78"))
        runner, _ = self.run_steps(step)
        self.assertEqual("limit too small", runner.result(step)["error"])
        self.assertEqual([], runner.unfinished())

    def test_starts_nothing_when_time_is_up_and_goes_on_later(self):
        runner, _ = self.run_steps(self.cat(), minutes=0)
        self.assertEqual(["cat"], runner.unfinished())
        runner, _ = self.run_steps(self.cat())
        self.assertEqual([], runner.unfinished())

    def test_a_step_that_measures_time_runs_alone(self):
        log = self.folder / "log"
        write = f"echo begin >> {log}; sleep 0.05; echo end >> {log}; echo {{}}"
        steps = [Step(f"step{i}", ("sh", "-c", write), alone=True) for i in range(3)]
        self.run_steps(*steps)
        self.assertEqual(["begin", "end"] * 3, log.read_text().split())

    def test_measures_the_peak_of_the_command(self):
        runner, _ = self.run_steps(self.cat())
        kept = json.loads((self.folder / "results/cat.json").read_text())
        self.assertGreater(kept["peak_rss_bytes"], 100 << 10)
        self.assertEqual(runner.result(self.cat())["key"], kept["key"])


class JudgementTest(unittest.TestCase):

    def test_a_range_is_reproduced_where_all_gain_and_enough_on_average(self):
        def verdict(*gains):
            return page.gain_claim("x", gains, 0.2, 0.4).verdict
        self.assertEqual(page.REPRODUCED, verdict(0.1, 0.3, None))
        self.assertEqual(page.SMALLER, verdict(-0.1, 0.6))
        self.assertEqual(page.SMALLER, verdict(0.05, 0.05))
        self.assertEqual(page.CONTRADICTED, verdict(0.1, -0.3))
        self.assertEqual(page.UNKNOWN, verdict(None))

    def test_a_curve_converges_where_it_stays_near_its_end(self):
        rising = [float(i) for i in range(50)] + [50.0] * 100
        self.assertAlmostEqual(50, results.convergence(rising), delta=5)
        self.assertIsNone(results.convergence([1.0, 2.0]))

    def test_a_curve_that_still_rises_at_its_end_does_not_converge(self):
        rising = [float(i) for i in range(100)]
        self.assertEqual(results.NEVER, results.convergence(rising))

    def test_a_row_without_a_plan_has_no_value(self):
        rows = [{"policy": "lru", "error": "too small", "fast_ratio": 0.2},
                {"policy": "annealed-search", "error": None, "fast_ratio": 0.2,
                 "relative_performance": 0.9}]
        self.assertIsNone(results.value({"output": rows}, "lru"))
        self.assertEqual(0.9, results.value({"output": rows}, "annealed-search", ratio=0.2))
        self.assertIsNone(results.value({"output": rows}, "annealed-search", ratio=0.3))

    def test_long_paragraphs_are_wrapped_and_tables_are_not(self):
        line = "| " + "word " * 40 + "|"
        self.assertEqual(line, page.wrapped(line))
        self.assertGreater(len(page.wrapped("word " * 40).splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
