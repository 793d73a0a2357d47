"""Jobs of a real Slurm have the memory that they ask for by GRES, and no more.

There are two nodes on this host, each with an agent of its own, and the files of
deploy/slurm. The host's control groups are left alone (slurm_cluster.py).
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import node_agents
import slurm_cluster
from node_agents import wait_for

MIB = 1 << 20
BOTH = "--gres=stowage_fast:{},stowage_slow:{}"
SMALL = BOTH.format("8M", "64M")
SLEEP = "exec sleep 600"
TRAIN = ("/usr/bin/python3 "
         f"{node_agents.SOURCE_DIR}/tests/e2e/train/scripts/train_model.py "
         "transformer --threads=1 --steps=3")
# A process that cannot obey its limit ends with this status.
REFUSED = 78


def why_skipped():
    missing = slurm_cluster.missing_programs()
    if missing:
        return f"{', '.join(missing)} are missing: install slurm-wlm and munge"
    if os.geteuid() != 0:
        return "the daemons of Slurm run as root"
    if subprocess.run(["test", "-r", node_agents.STOWAGE], user="nobody",
                      check=False).returncode != 0:
        return f"users of jobs may not read {node_agents.STOWAGE}"
    return None


def said_to(user, path):
    """Returns what a process of the user hears that connects to a socket."""
    connect = ("import socket, sys\n"
               "s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)\n"
               "s.connect(sys.argv[1])\n"
               "print(s.recv(4096))\n")
    return subprocess.run(["/usr/bin/python3", "-c", connect, path], user=user,
                          group=user, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, text=True).stdout


class SlurmTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        # Paths of sockets must be short, and users of jobs get to them.
        cls.folder = Path(tempfile.mkdtemp(prefix="stowage-slurm-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.folder.chmod(0o755)
        (cls.folder / "out").mkdir()
        (cls.folder / "out").chmod(0o1777)
        cls.n1, cls.n2 = [
            cls.enterClassContext(node_agents.NodeAgent(cls.folder / node, "64MiB"))
            for node in ("n1", "n2")
        ]
        cls.slurm = cls.enterClassContext(
            slurm_cluster.SlurmCluster(cls.folder, ["n1", "n2"], cpus=4))

    def tearDown(self):
        self.slurm.call("scancel", "--user=nobody")
        wait_for(lambda: not self.slurm.checked("squeue", "-h"), self.slurm.logs)
        for agent in (self.n1, self.n2):
            self.assertTrue(agent.is_clean(), agent.log())
        self.assertEqual(["idle"], sorted(set(self.slurm.node_states())))

    def submit(self, script, *options):
        return self.slurm.submit(["--nodelist=n1", *options], script)

    def running(self, script, *options):
        job = self.submit(script, *options)
        self.slurm.wait_for_state(job, "RUNNING")
        wait_for(lambda: self.slurm.field(job, "Reason") != "Prolog", self.slurm.logs)
        return job

    def finished(self, script, *options):
        job = self.submit(script, *options)
        self.slurm.wait_for_state(job, "COMPLETED")
        return self.slurm.output(job)

    def socket_of(self, job, agent=None):
        folder = (agent or self.n1).folder
        return folder / f"local-claims/slurm-{job}/agent.sock"

    def test_a_training_script_obeys_what_its_job_asks_for(self):
        alone, limited = self.folder / "alone.json", self.folder / "out/limited.json"
        subprocess.run([*TRAIN.split(), "--out", alone], check=True,
                       stdout=subprocess.DEVNULL, env=node_agents.clean_environment())
        pace = self.folder / "out/pace"
        os.mkfifo(pace)
        pace.chmod(0o666)
        steps = self.n1.metric("stowage_agent_steps_total")
        job = self.submit(f"{TRAIN} --paced --out {limited} <{pace}",
                          BOTH.format("40M", "256M"))
        peaks = []
        with open(pace, "w", encoding="utf-8") as stream:
            for step in range(3):
                print(file=stream, flush=True)
                wait_for(lambda: self.n1.metric("stowage_agent_steps_total") ==
                         steps + step + 1, lambda: self.slurm.output(job), 120)
                peaks.append(self.n1.metric("stowage_agent_fast_peaks_bytes"))
        self.slurm.wait_for_state(job, "COMPLETED")
        print("Fast memory of the steps, in MiB:", [p / MIB for p in peaks])
        self.assertLessEqual(max(peaks), 40 * MIB)
        self.assertGreater(self.n1.metric("stowage_agent_slow_written_bytes_total"),
                           0)
        self.assertEqual(json.loads(alone.read_text()),
                         json.loads(limited.read_text()))

    def test_a_job_that_asks_stowage_for_more_is_refused(self):
        job = self.submit(f"export STOWAGE_FAST=41MiB\n{TRAIN} --out /dev/null",
                          BOTH.format("40M", "256M"))
        self.slurm.wait_for_state(job, "FAILED")
        self.assertEqual(f"{REFUSED}:0", self.slurm.field(job, "ExitCode"))
        self.assertIn(f"claim 'slurm-{job}'", self.slurm.output(job))

    def test_another_user_cannot_connect(self):
        job = self.running(SLEEP, SMALL)
        self.assertIn("may not connect", said_to("daemon", self.socket_of(job)))
        self.assertIn("PermissionError", said_to("daemon", self.n1.socket))

    def test_slurm_counts_what_a_node_has(self):
        status, output = self.slurm.call("sbatch", BOTH.format("65M", "64M"),
                                         "--wrap=true")
        self.assertNotEqual(0, status)
        self.assertIn("Requested node configuration is not available", output)
        first = self.running(SLEEP, BOTH.format("30M", "64M"))
        second = self.running(SLEEP, BOTH.format("30M", "64M"))
        self.assertEqual({f"slurm-{first}", f"slurm-{second}"},
                         set(self.n1.claims()))
        third = self.submit("true", SMALL)
        wait_for(lambda: self.slurm.field(third, "Reason") == "Resources",
                 self.slurm.logs)
        self.slurm.checked("scancel", first)
        self.slurm.wait_for_state(third, "COMPLETED")

    def test_nothing_is_left_of_a_job_that_is_cancelled(self):
        job = self.running(SLEEP, SMALL)
        self.assertEqual([f"slurm-{job}"], list(self.n1.claims()))
        self.slurm.checked("scancel", job)
        self.slurm.wait_for_state(job, "CANCELLED")
        wait_for(self.n1.is_clean, self.n1.log)

    def test_a_job_without_the_gres_is_left_alone(self):
        output = self.finished("env; srun env")
        self.assertIn("SLURM_JOB_ID", output)
        self.assertNotIn("STOWAGE", output)
        self.assertNotIn("LD_PRELOAD", output)

    def test_all_tasks_on_all_nodes_have_the_claim_of_their_node(self):
        job = self.slurm.submit(
            ["--nodes=2", "--ntasks-per-node=2", SMALL],
            'srun bash -c \'echo "$SLURMD_NODENAME $STOWAGE_AGENT $LD_PRELOAD"\'')
        self.slurm.wait_for_state(job, "COMPLETED")
        library = node_agents.BINARY_DIR / "lib/libstowage_preload.so"
        self.assertEqual(
            sorted(f"{agent.folder.name} {self.socket_of(job, agent)} {library}"
                   for agent in (self.n1, self.n2) for _ in range(2)),
            sorted(self.slurm.output(job).splitlines()))

    def test_each_job_of_an_array_has_a_claim(self):
        array = self.submit(
            "while [ ! -e \"$GO\" ]; do sleep 0.1; done", "--array=1-3", SMALL,
            f"--export=GO={self.folder}/out/go")
        wait_for(lambda: len(self.n1.claims()) == 3, self.slurm.logs)
        (self.folder / "out/go").touch()
        wait_for(lambda: not self.n1.claims(), self.slurm.logs)
        self.slurm.wait_for_state(f"{array}_1", "COMPLETED")

    def test_a_requeued_job_has_its_claim_again(self):
        job = self.running('echo "run $SLURM_RESTART_COUNT $STOWAGE_AGENT"\n'
                           '[ -n "$SLURM_RESTART_COUNT" ] || exec sleep 600',
                           SMALL, "--requeue", "--open-mode=append")
        wait_for(lambda: "run" in self.slurm.output(job), self.slurm.logs)
        self.slurm.checked("scontrol", "requeue", job)
        self.slurm.wait_for_state(job, "COMPLETED")
        self.assertEqual([f"run  {self.socket_of(job)}",
                          f"run 1 {self.socket_of(job)}"],
                         [line for line in self.slurm.output(job).splitlines()
                          if line.startswith("run")])

    def test_what_a_job_has_to_put_right_cancels_it(self):
        for gres in ("stowage_fast:8M", "stowage_slow:64M",
                     "stowage_fast:1M,stowage_fast:8M,stowage_slow:64M",
                     "stowage_fast,stowage_slow:64M"):
            job = self.submit("true", f"--gres={gres}")
            self.slurm.wait_for_state(job, "CANCELLED")
            self.assertIn("Comment=stowage: ",
                          self.slurm.checked("scontrol", "show", "job", job))

    def test_a_name_of_a_job_changes_no_amount(self):
        name = ("x\n   JOB_GRES=stowage_fast:60M\n"
                "     Nodes=n1 CPU_IDs=0 Mem=0 GRES=stowage_fast(CNT:62914560)")
        job = self.running(SLEEP, SMALL, f"--job-name={name}", f"--comment={name}")
        self.assertEqual(8 * MIB, self.n1.claims()[f"slurm-{job}"]["fast_bytes"])

    def test_an_agent_that_is_started_again_serves_the_claims(self):
        job = self.running(SLEEP, SMALL)
        self.n1.stop()
        self.n1.start()
        self.assertEqual([f"slurm-{job}"], list(self.n1.claims()))

    def test_a_node_without_its_agent_drains(self):
        self.n1.stop()
        self.addCleanup(self.slurm.call, "scontrol", "update", "NodeName=n1",
                        "State=RESUME")
        self.addCleanup(lambda: self.n1.process.poll() is None or self.n1.start())
        self.finished("true")
        job = self.submit("true", SMALL)
        wait_for(lambda: self.slurm.node_reason("n1") == "Prolog error",
                 self.slurm.logs)
        wait_for(lambda: "held" in self.slurm.field(job, "Reason"),
                 lambda: self.slurm.checked("scontrol", "show", "job", job))
        self.assertIn("no agent listens",
                      (self.folder / "slurmd-n1.log").read_text())
        self.n1.start()
        self.slurm.checked("scontrol", "update", "NodeName=n1", "State=RESUME")
        self.slurm.checked("scontrol", "release", job)
        self.slurm.wait_for_state(job, "COMPLETED")


if __name__ == "__main__":
    reason = why_skipped()
    if reason is not None:
        print(f"slurm_test: skipped: {reason}")
        sys.exit(77)
    unittest.main(verbosity=2)
