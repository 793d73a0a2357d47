"""`stowage train` as users call it.

    python3 train_command_test.py     STOWAGE_BINARY_DIR names the build
"""

import json
import pathlib
import tempfile
import unittest

import chain_graph
from command_line import BAD_DATA, INFEASIBLE, SMALL, USAGE, CliTest, stowage


class TrainTest(CliTest):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.shared = pathlib.Path(folder.name)
        cls.graph = cls.shared / "graph.json"
        cls.graph.write_text(json.dumps(chain_graph.CHAIN))
        cls.policy = cls.shared / "chain.dqn"
        cls.picture = cls.shared / "training.svg"
        cls.trained = cls.train(cls.policy, "--plot", cls.picture, "--format", "json")

    @classmethod
    def train(cls, output, *options, fast="2MiB"):
        return stowage("train", cls.graph, "--system", "optane", "--fast-bytes", fast,
                       "--episodes", 4, "--seed", 1, "-o", output, *options)

    def plan_with(self, policy, *options):
        return stowage("plan", self.graph, "--system", "optane", "--fast-bytes", "2MiB",
                       "--policy", "deeptm", "--dqn", policy, *options)

    def test_trains_a_policy_that_plan_and_compare_use(self):
        self.assertEqual(self.trained.returncode, 0, self.trained.stderr)
        summary = json.loads(self.trained.stdout)
        self.assertEqual(summary["episodes_done"], 4)
        self.assertEqual([plan["policy"] for plan in summary["plans"]],
                         ["deeptm", "first-touch", "lru", "belady"])
        self.assertIn("4/4", self.trained.stderr)
        self.assertIn("<svg", self.picture.read_text())

        plan = self.folder / "plan.pb"
        made = self.plan_with(self.policy, "-o", plan)
        self.assertEqual(made.returncode, 0, made.stderr)
        verified = stowage("verify", self.graph, plan, "--system", "optane")
        self.assertEqual(verified.returncode, 0, verified.stderr)
        compared = stowage("compare", self.graph, "--system", "optane", "--fast-bytes", "2MiB",
                           "--dqn", self.policy, "--policies", "lru,deeptm", "--format", "json")
        self.assertEqual(compared.returncode, 0, compared.stderr)
        rows = {row["policy"]: row for row in json.loads(compared.stdout)}
        self.assertEqual(rows["deeptm"]["step_time_ns"], summary["plans"][0]["step_time_ns"])

    def test_is_deterministic_and_goes_on_from_a_policy(self):
        again = self.folder / "again.dqn"
        self.assertEqual(self.train(again).returncode, 0)
        self.assertEqual(again.read_bytes(), self.policy.read_bytes())
        resumed = self.train(again, "--resume", again)
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertNotEqual(again.read_bytes(), self.policy.read_bytes())

    def test_says_that_a_graph_which_fits_has_nothing_to_learn(self):
        policy = self.folder / "fits.dqn"
        result = self.train(policy, fast="1GiB")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("fits", result.stdout)
        self.assert_fails(self.plan_with(policy), INFEASIBLE, "nothing to learn")

    def test_refuses_what_is_out_of_range(self):
        policy = self.folder / "none.dqn"
        self.assert_fails(self.train(policy, "--beta", 1.5), USAGE, "1.5")
        self.assert_fails(self.train(policy, "--slow-price", -1), USAGE, "-1")
        self.assert_fails(self.train(policy, "--plot", "a.txt"), USAGE, ".svg")
        self.assertFalse(policy.exists())

    def test_refuses_policies_that_are_torn_or_of_another_graph(self):
        content = self.policy.read_bytes()
        torn = self.write("torn.dqn", content[:-9])
        tampered = self.write("tampered.dqn", content[:-1] + bytes([content[-1] ^ 1]))
        for path in (torn, tampered):
            self.assert_fails(self.train(self.folder / "x.dqn", "--resume", path),
                              BAD_DATA, str(path))
            self.assert_fails(self.plan_with(path), BAD_DATA, str(path))
        other = self.write("other.json", SMALL)
        self.assert_fails(
            stowage("train", other, "--system", "optane", "--fast-bytes", "4096",
                    "--resume", self.policy, "-o", self.folder / "x.dqn"),
            INFEASIBLE, "trained for graph")

    def test_says_how_to_make_the_policy_that_is_missing(self):
        self.assert_fails(
            stowage("plan", self.graph, "--system", "optane", "--fast-bytes", "2MiB",
                    "--policy", "deeptm"), USAGE, "stowage train")


if __name__ == "__main__":
    unittest.main()
