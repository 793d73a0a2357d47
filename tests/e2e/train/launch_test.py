"""Stowage runs what users run: scripts, launchers, C++ programs, imports."""

import collections
import json
import os
import re
import resource
import shutil
import socket
import subprocess
import sys
import unittest

import daemons
import harness

TRAIN = ("train_model.py", "mobilenet_v2", "--batch", "4", "--image", "64")


def may_serve_faults():
    version = tuple(int(n) for n in os.uname().release.split(".")[:2])
    return os.geteuid() == 0 and version >= (6, 8)


class LaunchTest(unittest.TestCase):

    def setUp(self):
        self.folder = harness.scratch()
        self.addCleanup(shutil.rmtree, self.folder)

    def launch(self, *command, **options):
        return harness.stowed_command(command, self.folder, **options)

    def assert_trained(self, run):
        self.assertEqual(0, run.status, run.output)
        digest = json.loads((self.folder / "digest.json").read_text())
        self.assertEqual(harness.plain(*TRAIN), digest, run.summary())
        self.assertIn("plan", run.modes, run.summary())
        self.assertIn("planned by annealed-search", run.output)

    def train_command(self):
        return [
            harness.PYTHON,
            str(harness.SCRIPTS / TRAIN[0]), *TRAIN[1:], "--out",
            str(self.folder / "digest.json")
        ]

    def test_a_shell_script_in_front(self):
        script = self.folder / "train.sh"
        script.write_text("#!/bin/sh\nset -e\necho before | cat\n" +
                          " ".join(self.train_command()) +
                          "\nls / >/dev/null\n")
        script.chmod(0o755)
        run = self.launch(str(script))
        self.assert_trained(run)
        self.assertEqual(1, len(run.report["jobs"]), run.summary())

    def test_a_limit_on_addresses(self):
        _, hard = before = resource.getrlimit(resource.RLIMIT_AS)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_AS, before)
        # Of Stowage's processes, too, as a batch system has it.
        resource.setrlimit(resource.RLIMIT_AS, (10 << 30, hard))
        self.assert_trained(self.launch(*self.train_command()))

    def test_processes_that_never_train_do_not_load_libtorch(self):
        run = self.launch("/bin/sh", "-c", "cat /proc/self/maps")
        self.assertEqual(0, run.status)
        self.assertNotIn("libtorch", run.output)
        self.assertNotIn("libc10", run.output)

    def test_the_status_of_the_command_is_ours(self):
        self.assertEqual(7, self.launch("/bin/sh", "-c", "exit 7").status)

    def test_a_script_that_fails_still_gets_its_report(self):
        run = self.launch(harness.PYTHON, "-c",
                          "import torch\nraise SystemExit(3)")
        self.assertEqual(3, run.status)
        self.assertTrue((self.folder / "report.json").exists())

    def test_a_script_that_cannot_be_watched_may_not_train(self):
        run = self.launch(
            harness.PYTHON, "-c", "import sys, types\n"
            "sys.modules['stowage'] = types.ModuleType('stowage')\n"
            "import torch\ntorch.ones(1)\nprint('trains')")
        self.assertEqual(harness.REFUSED, run.status, run.output)
        self.assertIn("cannot be watched", run.output)
        self.assertNotIn("trains", run.output)

    def ranks(self, script, out):
        return [harness.PYTHON, *harness.TWO_RANKS, str(harness.SCRIPTS / script),
                "--out", str(self.folder / out)]

    def train_alone(self, script):
        subprocess.run(self.ranks(script, "alone"), check=True, capture_output=True,
                       env=harness.environment(), timeout=harness.TIMEOUT_S)

    def check_digests(self):
        for rank in (0, 1):
            self.assertEqual((self.folder / f"alone.{rank}").read_text(),
                             (self.folder / f"stowed.{rank}").read_text())

    def check_ranks(self, script, **options):
        """Trains two ranks alone and under a limit, and returns the run."""
        self.train_alone(script)
        run = self.launch(*self.ranks(script, "stowed"), **options)
        self.assertEqual(0, run.status, run.output)
        self.check_digests()
        return run

    def trained_jobs(self, run):
        trained = [job for job in run.report["jobs"] if job["steps"]]
        self.assertEqual(2, len(trained), run.summary())
        return trained

    def check_plans_of_ranks(self, run):
        for job in self.trained_jobs(run):
            modes = [step["mode"] for step in job["steps"]]
            self.assertEqual(["plan"] * 2, modes[-2:], run.summary())
            reasons = [event["reason"] for event in job["events"]]
            self.assertNotIn("move-impossible", reasons, run.summary())
            self.assertNotIn("address-taken", reasons, run.summary())

    def test_ranks_whose_script_calls_collectives(self):
        self.check_plans_of_ranks(self.check_ranks("train_collectives.py"))

    def test_a_launcher_with_two_ranks(self):
        self.check_plans_of_ranks(self.check_ranks("train_distributed.py"))

    def test_operators_that_threads_of_the_backend_run_are_seen(self):
        self.check_ranks("train_hooked.py")

    def test_a_collective_that_the_script_waited_for_runs_beside_no_kernel(self):
        graph = self.folder / "graph.json"
        subprocess.run([harness.STOWAGE, "graph", "capture", "-o", graph, "--",
                        harness.PYTHON, harness.SCRIPTS / "train_awaited.py"],
                       check=True, capture_output=True, env=harness.environment(),
                       timeout=harness.TIMEOUT_S)
        captured = json.loads(graph.read_text())
        sizes = [int(tensor["sizeBytes"]) for tensor in captured["tensors"]]
        total = sizes.index(5 << 20)  # BYTES of the script
        users = [kernel["name"] for kernel in captured["kernels"]
                 if any(int(operand.get("tensor", 0)) == total
                        for operand in kernel.get("operands", []))]
        self.assertEqual(["c10d::allreduce_"], users)

    def test_ranks_share_a_limit_of_the_host(self):
        run = self.check_ranks("train_distributed.py", fast="20MiB/host")
        for job in self.trained_jobs(run):
            self.assertEqual(10 << 20, job["limit_bytes"], run.summary())
            for step in job["steps"]:
                self.assertLessEqual(step["fast_peak_bytes"], 10 << 20, run.summary())

    def test_processes_that_no_launcher_counts_share_it_too(self):
        code = ("import subprocess, sys\n"
                "jobs = [subprocess.Popen(sys.argv[1:-1] + [f'{sys.argv[-1]}.{i}'])\n"
                "        for i in range(2)]\n"
                "sys.exit(max(job.wait() for job in jobs))\n")
        run = self.launch(sys.executable, "-c", code, *self.train_command(),
                          fast="40MiB/host", floor="10MiB")
        self.assertEqual(0, run.status, run.output)
        for i in (0, 1):
            self.assertEqual(harness.plain(*TRAIN), json.loads(
                (self.folder / f"digest.json.{i}").read_text()))
        for job in self.trained_jobs(run):
            for step in job["steps"]:
                self.assertLessEqual(step["fast_peak_bytes"], 40 << 20, run.summary())

    def test_ranks_that_do_the_same_have_one_graph_and_one_plan(self):
        with daemons.Daemons(self.folder) as host:
            self.check_ranks("train_distributed.py", agent=host)
        plans = re.findall("PlacementService/MakePlan code=OK .*plan_id=([0-9a-f]+)",
                           (self.folder / "service.log").read_text())
        _, requests = collections.Counter(plans).most_common(1)[0]
        self.assertGreaterEqual(requests, 2, plans)

    def test_ranks_on_two_hosts_each_with_an_agent(self):
        self.train_alone("train_distributed.py")
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        runs = []
        for host in range(2):
            folder = self.folder / f"host{host}"
            folder.mkdir()
            command = [harness.PYTHON, *harness.LAUNCHER, "--nnodes", "2",
                       "--nproc_per_node", "1", "--node_rank", str(host),
                       "--master_addr", "127.0.0.1", "--master_port", str(port),
                       str(harness.SCRIPTS / "train_distributed.py"), "--out",
                       str(self.folder / "stowed")]
            runs.append(harness.start(command, folder))
        for process in runs:
            output, _ = process.communicate(timeout=harness.TIMEOUT_S)
            self.assertEqual(0, process.returncode, output)
            self.assertIn("planned by annealed-search", output)
        self.check_digests()

    def test_a_libtorch_program(self):
        program = harness.BINARY_DIR / "tests/train_mlp"
        subprocess.run([program, self.folder / "alone"],
                       check=True,
                       env=harness.environment(OMP_NUM_THREADS="2"))
        run = self.launch(str(program),
                          str(self.folder / "stowed"),
                          env={"OMP_NUM_THREADS": "2"})
        self.assertEqual(0, run.status, run.output)
        self.assertEqual((self.folder / "alone").read_text(),
                         (self.folder / "stowed").read_text())
        self.assertIn("plan", run.modes, run.summary())

    def test_a_training_child_of_a_training_process_is_a_job_of_its_own(self):
        code = ("import subprocess, sys, torch\n"
                "x = torch.ones(1 << 20, requires_grad=True)\n"
                "(x * 2).sum().backward()\n"
                "sys.exit(subprocess.call(sys.argv[1:]))\n")
        run = self.launch(harness.PYTHON, "-c", code, *self.train_command())
        self.assert_trained(run)

    def run_python(self, code, *arguments):
        path = f"{harness.BINARY_DIR}/share/stowage/python:{harness.SCRIPTS}"
        return subprocess.run([harness.PYTHON, "-c", code, *arguments],
                              capture_output=True,
                              text=True,
                              env=harness.environment(PYTHONPATH=path),
                              timeout=harness.TIMEOUT_S)

    def check_importing(self, fast, script, *arguments):
        """Runs a script that attaches itself; returns what it said."""
        slow = self.folder / "slow"
        slow.mkdir()
        code = ("import runpy, sys, stowage\n"
                f"stowage.init(fast='{fast}', slow='file:{slow}')\n"
                "assert stowage.attached()\n"
                "sys.argv = sys.argv[1:]\n"
                "runpy.run_path(sys.argv[0], run_name='__main__')\n")
        result = self.run_python(code, harness.SCRIPTS / script, *arguments,
                                 "--out", self.folder / "digest.json")
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertEqual(harness.plain(script, *arguments),
                         json.loads((self.folder / "digest.json").read_text()))
        return result.stderr

    def test_a_script_that_imports_stowage(self):
        self.check_importing("40%", *TRAIN)

    def test_kernels_of_a_script_that_imports_stowage_stream(self):
        said = self.check_importing("30%", "train_superresolution.py")
        self.assertIn("kernels that stream", said)

    @unittest.skipUnless(may_serve_faults(), "needs userfaultfd")
    def test_files_of_a_script_that_imports_stowage(self):
        self.check_importing("35%", "hazards_files.py", "best_weights")

    def test_a_job_that_no_agent_takes_is_told_of_no_report(self):
        command = [harness.STOWAGE, "run", "--agent", "/nowhere/agent.sock", "--"]
        result = subprocess.run(command + self.train_command(),
                                capture_output=True,
                                text=True,
                                env=harness.environment(),
                                timeout=harness.TIMEOUT_S)
        self.assertEqual(harness.REFUSED, result.returncode, result.stderr)
        self.assertIn("cannot reach the agent", result.stderr)
        self.assertNotIn("no report", result.stderr)

    def test_a_script_that_could_not_attach_may_not_train_as_if_it_had(self):
        code = ("import stowage\n"
                "for _ in range(2):\n"
                "    try:\n"
                "        stowage.init(agent='/nowhere/agent.sock')\n"
                "    except RuntimeError as error:\n"
                "        print(error)\n")
        result = self.run_python(code)
        self.assertEqual(2, result.stdout.count("cannot reach the agent"),
                         result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv, verbosity=2)
