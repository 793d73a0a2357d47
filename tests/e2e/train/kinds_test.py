"""Each kind of step gets its plan, and is planned from its fifth step on."""

import collections
import unittest

import harness

SCRIPT = "hazards_kinds.py"
FIRST_PLANNED = 5  # of its kind
LEAST_SHARE = 0.9


def planned_by_kind(run):
    """For each kind, whether its steps followed a plan to the end, in order."""
    left = {event["step"] for event in run.report["events"]}
    kinds = collections.defaultdict(list)
    for step in run.report["steps"]:
        followed = step["mode"] == "plan" and step["index"] not in left
        kinds[step["kind"]].append(followed)
    return kinds


class KindsTest(unittest.TestCase):

    def run_job(self, name, fast):
        run = harness.stowed(SCRIPT, name, fast=fast)
        self.assertEqual(harness.plain(SCRIPT, name), run.digest,
                         run.summary())
        run.check_limit(self)
        return run

    def check(self, name, fast, kinds):
        """`kinds`: how many have more than five steps."""
        run = self.run_job(name, fast)
        late = [
            followed[FIRST_PLANNED - 1:]
            for followed in planned_by_kind(run).values()
            if len(followed) >= FIRST_PLANNED
        ]
        self.assertEqual(kinds, len(late), run.summary())
        for followed in late:
            self.assertGreaterEqual(sum(followed),
                                    LEAST_SHARE * len(followed),
                                    run.summary())

    def test_batches_of_an_evaluation_are_steps(self):
        self.check("evaluation", "16MiB", kinds=6)

    def test_both_steps_of_a_gan(self):
        self.check("gan", "24MiB", kinds=2)

    def test_steps_that_numpy_looks_into(self):
        self.check("numpy_gradients", "24MiB", kinds=1)

    def test_a_teacher_divides_no_step(self):
        self.check("teacher", "16MiB", kinds=1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
