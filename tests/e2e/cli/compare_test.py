"""`stowage compare` and `stowage graph scale` as users call them.

    python3 compare_test.py           STOWAGE_BINARY_DIR names the build
"""

import json
import re
import unittest

from command_line import BAD_DATA, NO_INPUT, SMALL, SOURCE_DIR, USAGE, CliTest, stowage

GRAPHS = SOURCE_DIR / "tools/stowage/suites/graphs"
CAPTURED = GRAPHS / "alexnet-b8.pb.gz"
COLUMNS = ["graph", "policy", "system", "fast_ratio", "step_time_ns", "relative_performance",
           "lower_bound_ns", "fast_peak_bytes", "moved_bytes", "stall_ns", "locality",
           "memory_price", "planning_seconds", "planning_peak_rss_bytes", "gap"]


class CompareTest(CliTest):

    def compare(self, *options, graph=CAPTURED):
        return stowage("compare", graph, *options)

    def rows(self, *options, graph=CAPTURED):
        result = self.compare(*options, "--format", "json", graph=graph)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_has_a_row_for_each_system_limit_and_policy(self):
        rows = self.rows("--system", "optane,redl", "--fast-ratio", "0.5,1",
                         "--policies", "first-touch,belady")
        self.assertEqual(
            [(r["system"], round(r["fast_ratio"], 3), r["policy"]) for r in rows],
            [(s, f, p) for s in ("optane", "redl") for f in (0.5, 1)
             for p in ("first-touch", "belady")])
        for row in rows:
            self.assertEqual(list(row)[:len(COLUMNS)], COLUMNS)
            self.assertGreaterEqual(row["gap"], 0)
            self.assertLessEqual(row["fast_peak_bytes"], row["fast_limit_bytes"])
            self.assertGreater(row["planning_peak_rss_bytes"], 1 << 20)
            self.assertEqual(row["durations"], "rehosted")
            self.assertEqual(row["memory_price"] is None, row["system"] == "redl")

    def test_says_why_a_policy_cannot_plan(self):
        rows = self.rows("--system", "optane", "--policies", "all-fast,belady",
                         "--fast-ratio", "0.5", graph=self.write("graph.json", SMALL))
        self.assertIn("all-fast", [row["policy"] for row in rows if row["error"]])
        for row in rows:
            if row["error"]:
                self.assertIn("least", row["error"])
                self.assertIsNone(row["step_time_ns"])

    def test_prints_a_table_with_the_same_columns(self):
        result = self.compare("--system", "optane", "--fast-ratio", "0.5",
                              "--policies", "belady")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.splitlines()[0].split()[:len(COLUMNS)], COLUMNS)
        self.assertIn("1/1", result.stderr)

    def test_keeps_durations_when_it_is_told_to(self):
        row, = self.rows("--system", "optane", "--fast-ratio", "0.5", "--policies", "belady",
                         "--keep-durations")
        self.assertEqual(row["durations"], "measured")

    def test_draws_relative_performance(self):
        picture = self.folder / "c.svg"
        self.rows("--system", "optane", "--fast-ratio", "0.3,0.6", "--policies", "belady",
                  "--plot", picture)
        self.assertIn("<svg", picture.read_text())

    def test_labels_each_limit_of_a_picture_once(self):
        picture = self.folder / "c.svg"
        self.rows("--system", "optane", "--fast", "50%", "--policies", "belady,lru",
                  "--plot", picture)
        # matplotlib notes each text beside the outlines that it draws.
        self.assertEqual(re.findall("<!-- (.*) % -->", picture.read_text()), ["50"])

    def test_takes_percent_and_numbers_as_shares(self):
        for limits in (["--fast-ratio", "50%,0.6"], ["--fast", "0.5,60%"],
                       ["--fast", "50%", "--fast-ratio", "0.6"]):
            rows = self.rows("--system", "optane", *limits, "--policies", "belady")
            self.assertEqual([round(row["fast_ratio"], 3) for row in rows],
                             [0.5, 0.6], limits)

    def test_asks_whether_percent_were_meant(self):
        for limits in (["--fast-ratio", "40"], ["--fast", "40"]):
            self.assert_fails(self.compare("--system", "optane", *limits), USAGE,
                              "did you mean 40%?")
        self.assert_fails(self.compare("--system", "optane", "--fast", "unlimited"), USAGE,
                          "leaves nothing to plan")

    def test_refuses_what_is_not_there_before_it_plans(self):
        ratio = ("--fast-ratio", "0.5")
        optane = ("--system", "optane")
        self.assert_fails(self.compare(*optane, *ratio, "--policies", "belady,magic"),
                          USAGE, "magic", "belady")
        self.assert_fails(self.compare(*optane, *ratio, "--policies", "sentinel:x"),
                          USAGE, "sentinel:8")
        self.assert_fails(self.compare("--system", "optane,none", *ratio), NO_INPUT,
                          "none", "optane")
        self.assert_fails(self.compare(*optane, *ratio, graph="none.pb"), NO_INPUT, "none.pb")
        self.assert_fails(self.compare(*optane, *ratio, "--plot", "picture.gif"), USAGE, ".svg")
        for bad in ("0", "-1", "1.5", "nan"):
            self.assert_fails(self.compare(*optane, f"--fast-ratio={bad}"), USAGE,
                              "--fast-ratio", "above 0 and at most 1")
        self.assert_fails(self.compare(*optane), USAGE, "--fast-ratio")
        self.assert_fails(stowage("compare", *optane, *ratio), USAGE, "--suite papers")
        self.assert_fails(self.compare(*optane, *ratio, "-o", self.folder / "none/x.json"),
                          73, "none")


    def test_takes_all_beside_other_policies(self):
        rows = self.rows("--system", "optane", "--fast-ratio", "0.5", "--no-lower-bound",
                         "--time-limit", "0.1", "--policies", "sentinel:8,all")
        self.assertEqual([row["policy"] for row in rows[:3]],
                         ["sentinel:8", "all-fast", "all-slow"])

    def test_refuses_a_dqn_policy_that_none_of_the_policies_uses(self):
        self.assert_fails(self.compare("--system", "optane", "--fast-ratio", "0.5",
                                       "--policies", "lru,belady", "--dqn", "a.dqn"),
                          USAGE, "--dqn a.dqn", "lru, belady")


class SuiteTest(CliTest):

    def test_refuses_what_a_suite_states_itself(self):
        for options in ([CAPTURED], ["--policies", "lru"], ["--seed", "3"],
                        ["--time-limit", "1"], ["--fast-ratio", "0.5"]):
            self.assert_fails(stowage("compare", "--suite", "papers", *options),
                              USAGE, "excludes")
        self.assert_fails(stowage("compare", CAPTURED, "--suite-dir", self.folder), USAGE,
                          "--suite")

    def test_runs_a_suite_and_leaves_its_report(self):
        (self.folder / "graphs").symlink_to(GRAPHS)
        suite = self.write("suite.json", {
            "graphs": {"alexnet-b64": {"batch": 64, "captures": [
                {"file": "alexnet-b6.pb.gz", "batch": 6},
                {"file": "alexnet-b8.pb.gz", "batch": 8}]}},
            "figures": [{
                "id": "f", "title": "A figure", "source": "A paper", "system": "optane",
                "graphs": ["alexnet-b64"], "policies": ["all-slow", "belady"],
                "limits": [{"label": "half", "fast_ratio": 0.5},
                           {"label": "most", "fast_ratio": 0.9}],
                "metrics": ["relative_performance"],
                "claims": [{"claim": "slow memory is slower", "where": "1", "paper": "3",
                            "here": {"metric": "slowdown", "policy": "all-slow"}}]}]})
        results = self.folder / "results"
        result = stowage("compare", "--suite", suite, "--suite-dir", results)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("| slow memory is slower | 1 | 3 | ", result.stdout)
        figure, = json.loads((results / "report.json").read_text())["figures"]
        self.assertEqual(len(figure["rows"]), 4)
        self.assertGreater(figure["claims"][0]["here"], 1)
        self.assertIn("<svg", (results / "f.svg").read_text())

    def test_names_what_is_wrong_with_a_suite(self):
        path = self.write("suite.json", {"graphs": {}, "figures": [{"id": "f"}]})
        self.assert_fails(stowage("compare", "--suite", path), BAD_DATA, str(path), "title")
        self.assert_fails(stowage("compare", "--suite", "none.json"), NO_INPUT, "none.json")


class ScaleTest(CliTest):

    def test_predicts_a_larger_batch(self):
        output = self.folder / "alexnet-b512.pb.gz"
        captures = [GRAPHS / f"alexnet-b{batch}.pb.gz" for batch in (6, 8)]
        result = stowage("graph", "scale", *captures, "--batches", "6,8", "--to", "512",
                         "-o", output)
        self.assertEqual(result.returncode, 0, result.stderr)
        peaks = [json.loads(stowage("graph", "show", path, "--format", "json").stdout)["peak_bytes"]
                 for path in (*captures, output)]
        # Weights do not grow, activations do.
        self.assertGreater(peaks[2], 1.5 * peaks[1])
        self.assertLess(peaks[2], 64 * peaks[1])

    def test_refuses_batches_that_no_graph_can_have(self):
        output = self.folder / "g.pb"
        captures = [GRAPHS / f"alexnet-b{batch}.pb.gz" for batch in (6, 8)]
        for batch, code in ((2**63, USAGE), (0, USAGE), (2**63 - 1, BAD_DATA)):
            result = stowage("graph", "scale", *captures, "--batches", "6,8", "--to", batch,
                             "-o", output)
            self.assert_fails(result, code, str(batch))
        self.assertFalse(output.exists())

    def test_refuses_captures_of_two_models(self):
        output = self.folder / "g.pb"
        graphs = [GRAPHS / f"{name}.pb.gz" for name in ("alexnet-b6", "vgg19-b8")]
        result = stowage("graph", "scale", *graphs, "--batches", "6,8", "--to", "16",
                         "-o", output)
        self.assert_fails(result, BAD_DATA, "not the same step")
        self.assertFalse(output.exists())


if __name__ == "__main__":
    unittest.main()
