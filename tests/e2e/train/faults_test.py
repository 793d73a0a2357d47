"""Losing the agent or the service costs no bit and does not stop training."""

import os
import shutil
import signal
import threading
import time
import unittest

import cut_link
import daemons
import harness
import jumping_clock
import processes

STEPS = 16
# Of a job whose agent has been lost.
STEPS_UNTIL_PLANNED = 5
# Longer than a job waits without a word.
STANDSTILL_S = 13
TRAIN = ("train_model.py", "resnet50", "--batch", "4", "--image", "96",
         "--steps", str(STEPS))


class FaultsTest(unittest.TestCase):

    def setUp(self):
        self.folder = harness.scratch()
        self.addCleanup(shutil.rmtree, self.folder)

    def start(self, **options):
        command = [
            harness.PYTHON, harness.SCRIPTS / TRAIN[0], *TRAIN[1:], "--out",
            self.folder / "digest.json"
        ]
        return harness.start(command, self.folder, **options)

    def finish(self, process, after_step):
        """Calls the functions of {step: function} after their steps."""
        run = harness.finish(process, self.folder, after_step)
        self.assertEqual(0, run.status, run.output)
        self.assertEqual(harness.plain(*TRAIN), run.digest, run.summary())
        self.assertEqual(STEPS, len(run.report["steps"]), run.summary())
        run.check_limit(self)
        return run

    def train_and_kill(self, program, after_step):
        process = self.start()
        return self.finish(
            process, {
                after_step:
                    lambda: os.kill(
                        processes.child_named(process.pid, program),
                        signal.SIGKILL)
            })

    def check_planned_again(self, run, after_step):
        self.assertIn("agent-lost", run.event_reasons, run.summary())
        self.assertIn("agent-found", run.event_reasons, run.summary())
        after = run.modes[after_step + 1:]
        self.assertIn("plan", after[:STEPS_UNTIL_PLANNED], run.summary())
        self.assertEqual("plan", run.modes[-1], run.summary())

    def test_a_private_agent_that_dies_is_started_again(self):
        run = self.train_and_kill("stowage-agent", after_step=5)
        self.assertIn("has been started again", run.output)
        self.check_planned_again(run, after_step=5)

    def test_the_agent_dies_before_there_is_a_plan(self):
        run = self.train_and_kill("stowage-agent", after_step=0)
        self.check_planned_again(run, after_step=0)

    def test_a_private_service_that_dies_is_started_again_with_nothing(self):
        run = self.train_and_kill("stowaged", after_step=5)
        self.assertIn("has been started again", run.output)
        self.assertEqual("plan", run.modes[-1], run.summary())

    def test_the_service_dies_before_there_is_a_plan(self):
        run = self.train_and_kill("stowaged", after_step=0)
        self.assertEqual("plan", run.modes[-1], run.summary())

    def test_an_agent_that_dies_for_good_leaves_the_job_in_demand_mode(self):
        with daemons.Daemons(self.folder) as host:
            run = self.finish(self.start(agent=host),
                              {5: lambda: host.kill("agent")})
        self.assertIn("agent-lost", run.event_reasons, run.summary())
        self.assertNotIn("agent-found", run.event_reasons, run.summary())
        self.assertIn("plan", run.modes[:6], run.summary())
        self.assertEqual("demand", run.modes[-1], run.summary())

    def test_an_agent_that_is_started_again_takes_its_job_over(self):
        with daemons.Daemons(self.folder) as host:

            def restart():
                host.kill("agent")
                host.start("agent")

            run = self.finish(self.start(agent=host), {5: restart})
        self.check_planned_again(run, after_step=5)

    def test_a_service_that_is_started_again_makes_plans(self):
        with daemons.Daemons(self.folder) as host:

            def restart():
                host.kill("service")
                host.start("service")

            run = self.finish(self.start(agent=host), {0: restart})
        self.assertEqual("plan", run.modes[-1], run.summary())

    def test_an_agent_that_stands_still_is_waited_for_and_the_job_says_so(self):
        with daemons.Daemons(self.folder) as host:

            def stop():
                host.signal("agent", signal.SIGSTOP)
                threading.Timer(STANDSTILL_S, host.signal,
                                ("agent", signal.SIGCONT)).start()

            run = self.finish(self.start(agent=host), {5: stop})
        self.assertIn("stowage: waiting for the agent", run.output)
        self.assertEqual("plan", run.modes[-1], run.summary())

    def test_a_service_that_stands_still_holds_nothing_up(self):
        with daemons.Daemons(self.folder) as host:

            def stop():
                host.signal("service", signal.SIGSTOP)
                threading.Timer(STANDSTILL_S, host.signal,
                                ("service", signal.SIGCONT)).start()

            run = self.finish(self.start(agent=host), {0: stop})
        waits = [step["times"]["plan_wait_ns"] for step in run.report["steps"]]
        self.assertLess(max(waits), 6e9, run.summary())

    def test_a_service_that_cannot_be_reached_holds_nothing_up(self):
        host = daemons.Daemons(self.folder)
        with cut_link.Link(host.service_socket) as link:
            host.lead_agent_to(link.path)
            with host:
                # The first plan is asked for; later there is one.
                for cut, mended in ((0, 8), (9, STEPS - 2)):
                    with self.subTest(after_step=cut):
                        run = self.finish(self.start(agent=host),
                                          {cut: link.cut, mended: link.mend})
                        waits = [step["times"]["plan_wait_ns"]
                                 for step in run.report["steps"]]
                        self.assertLess(max(waits), 6e9, run.summary())
        # The first may end before it has asked again.
        self.assertEqual("plan", run.modes[-1], run.summary())

    def test_a_clock_that_is_set_holds_nothing_up(self):
        clock = jumping_clock.JumpingClock(self.folder)
        with daemons.Daemons(self.folder, clock=clock) as host:
            run = self.finish(self.start(agent=host), {
                # The first plan is asked for; later there is one.
                0: lambda: clock.jump(-3600),
                3: lambda: clock.jump(7200),
                8: lambda: clock.jump(-3600)
            })
        self.assertIn("plan", run.modes[:STEPS_UNTIL_PLANNED], run.summary())
        self.assertEqual("plan", run.modes[-1], run.summary())

    def test_a_host_that_sleeps_goes_on_where_it_was(self):
        clock = jumping_clock.JumpingClock(self.folder)
        with daemons.Daemons(self.folder, clock=clock) as host:

            def sleep(job):
                asleep = [host.pid("agent"), host.pid("service"),
                          processes.child_named(job.pid, "python3")]
                for pid in asleep:
                    os.kill(pid, signal.SIGSTOP)
                time.sleep(STANDSTILL_S)
                clock.jump(8 * 3600)
                for pid in asleep:
                    os.kill(pid, signal.SIGCONT)

            job = self.start(agent=host)
            run = self.finish(job, {0: lambda: sleep(job), 8: lambda: sleep(job)})
        self.assertEqual("plan", run.modes[-1], run.summary())

    def test_memory_that_others_take_costs_no_bit(self):
        with daemons.Daemons(self.folder) as host:
            run = self.finish(self.start(agent=host),
                              {after: processes.take_memory for after in (1, 8)})
        self.assertEqual("plan", run.modes[-1], run.summary())

    def test_a_job_that_stands_still_goes_on(self):
        with daemons.Daemons(self.folder) as host:
            process = self.start(agent=host)

            def stop():
                job = processes.child_named(process.pid, "python3")
                os.kill(job, signal.SIGSTOP)
                threading.Timer(3, os.kill, (job, signal.SIGCONT)).start()

            run = self.finish(process, {5: stop})
        self.assertEqual("plan", run.modes[-1], run.summary())

    def test_a_service_that_dies_for_good_leaves_the_job_its_plan(self):
        with daemons.Daemons(self.folder) as host:
            run = self.finish(self.start(agent=host),
                              {5: lambda: host.kill("service")})
        self.assertIn("service-lost", run.event_reasons, run.summary())
        self.assertEqual("plan", run.modes[-1], run.summary())


if __name__ == "__main__":
    unittest.main(verbosity=2)
