"""Runs munged, slurmctld and a slurmd for each node, with the files of deploy/slurm.

    with slurm_cluster.SlurmCluster(folder, ["n1", "n2"], cpus=4) as slurm:
        job = slurm.submit("--gres=stowage_fast:8M,stowage_slow:64M", "true")
        slurm.wait_for_state(job, "COMPLETED")

Only paths, ports, names and amounts of the files are changed, and what needs control
groups: those of a test machine may be anybody's. Nodes have more processors than the
host, so that several jobs run at a time. The agent of a node listens at
FOLDER/NODE/agent.sock.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

from node_agents import BINARY_DIR, SOURCE_DIR, clean_environment, wait_for

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol")
EXAMPLE = SOURCE_DIR / "deploy/slurm"
GRES = {"stowage_fast": "64M", "stowage_slow": "1G"}

TEST_CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort={ports[0]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
SlurmdParameters=config_overrides
MpiDefault=none
DefMemPerCPU=100
SchedulerParameters=batch_sched_delay=0,sched_interval=1
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def missing_programs():
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    return [name for name in PROGRAMS if shutil.which(name, path=path) is None]


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class SlurmCluster:

    def __init__(self, folder, nodes, cpus):
        self.folder = Path(folder)
        self.nodes = nodes
        self.cpus = cpus
        self.ports = free_ports(1 + len(nodes))
        self.processes = []
        self.environment = {
            **clean_environment(),
            "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin",
            "SLURM_CONF": str(self.folder / "slurm.conf"),
        }

    def __enter__(self):
        self.write_files()
        try:
            self.start("munged", "--foreground",
                       f"--socket={self.folder}/munge.sock",
                       f"--key-file={self.folder}/munge.key",
                       f"--log-file={self.folder}/munge.log",
                       f"--pid-file={self.folder}/munge.pid",
                       f"--seed-file={self.folder}/munge.seed")
            wait_for((self.folder / "munge.sock").exists, self.logs)
            self.start("slurmctld", "-D")
            for node in self.nodes:
                self.start("slurmd", "-D", "-N", node)
            wait_for(lambda: set(self.node_states()) == {"idle"}, self.logs)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, kind, *_):
        self.stop()
        if kind is not None:
            print(self.logs(), file=sys.stderr)

    def start(self, *command):
        log = open(self.folder / f"{command[0]}.out", "a", encoding="utf-8")
        with log:
            self.processes.append(
                subprocess.Popen(command, stdout=log, stderr=log,
                                 env=self.environment))

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait(timeout=60)

    def logs(self):
        return "\n".join(f"--- {path}\n{path.read_text(errors='replace')[-4000:]}"
                         for path in sorted(self.folder.glob("*.log")))

    def write_files(self):
        (self.folder / "state").mkdir()
        for node in self.nodes:
            (self.folder / f"spool-{node}").mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        for name in ("prolog.sh", "epilog.sh", "task-prolog.sh"):
            script = self.folder / name
            script.write_text(self.script(name))
            script.chmod(0o755)
        for name in ("gres.conf", "slurm.conf", "cgroup.conf"):
            (self.folder / name).write_text(self.configuration(name))

    def script(self, name):
        text = (EXAMPLE / name).read_text()
        text, agents = re.subn("^readonly agent=.*$",
                               f"readonly agent={self.folder}/$SLURMD_NODENAME/agent.sock",
                               text, flags=re.M)
        text, paths = re.subn("^export PATH=", f"export PATH={BINARY_DIR}/bin:",
                              text, flags=re.M)
        assert agents == paths == 1, f"{name} is not as the test knows it"
        return text

    def configuration(self, name):
        text = (EXAMPLE / name).read_text()
        nodes = f"n[1-{len(self.nodes)}]"
        if name == "gres.conf":
            for resource, count in GRES.items():
                text = re.sub(rf"^NodeName=\S+ Name={resource} Count=\S+",
                              f"NodeName={nodes} Name={resource} Count={count}",
                              text, flags=re.M)
        if name != "slurm.conf":
            return text
        gres = ",".join(f"{resource}:{count}" for resource, count in GRES.items())
        text = re.sub(
            "^NodeName=.*$", "\n".join(
                f"NodeName={node} NodeHostname={socket.gethostname()} "
                f"NodeAddr=127.0.0.1 Port={port} CPUs={self.cpus} "
                f"RealMemory=2000 Gres={gres} State=UNKNOWN"
                for node, port in zip(self.nodes, self.ports[1:])),
            text, flags=re.M)
        text = text.replace("/etc/slurm/stowage/", f"{self.folder}/")
        text = text.replace("proctrack/cgroup", "proctrack/linuxproc")
        text = text.replace("task/cgroup", "task/none")
        return text + TEST_CONFIGURATION.format(
            folder=self.folder, host=socket.gethostname(), ports=self.ports)

    def call(self, *command):
        """Runs a command of Slurm. Returns its exit status and what it prints."""
        result = subprocess.run([str(word) for word in command],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, timeout=60, check=False,
                                cwd=self.folder, env=self.environment)
        return result.returncode, result.stdout.strip()

    def checked(self, *command):
        status, output = self.call(*command)
        if status != 0:
            raise AssertionError(f"{command}: {output}")
        return output

    def submit(self, options, script, user="nobody"):
        """Submits a batch script of a user. Returns its job id."""
        path = self.folder / "job.sh"
        path.write_text(f"#!/bin/bash\n{script}\n")
        return self.checked("sbatch", "--parsable", f"--uid={user}", "--chdir=/",
                            f"--output={self.folder}/out/%j.%N", *options, path)

    def field(self, job, name):
        """Returns a field of what `scontrol show job` says."""
        shown = self.checked("scontrol", "-o", "show", "job", job)
        return re.search(rf" {name}=(\S*)", shown).group(1)

    def wait_for_state(self, job, state):
        wait_for(lambda: self.field(job, "JobState") == state,
                 lambda: f"{self.checked('scontrol', 'show', 'job', job)}\n"
                         f"{self.output(job)}\n{self.logs()}")

    def output(self, job):
        return "".join(path.read_text()
                       for path in sorted((self.folder / "out").glob(f"{job}.*")))

    def node_states(self):
        return self.checked("sinfo", "-h", "-N", "-o", "%t").split()

    def node_reason(self, node):
        return self.checked("sinfo", "-h", "-n", node, "-o", "%E")
