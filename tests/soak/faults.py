"""The faults of a soak: each strikes the daemons or the jobs of a Host.

    name = faults.strike(host, random, faults.kill_agent)
"""

import os
import signal
import subprocess
import time

import harness
import processes
import slow_files

PAUSE_S = 3


def kill_agent(host, _):
    """The agent is killed and started again."""
    host.daemons.kill("agent")
    host.daemons.start("agent", wait=False)


def kill_service(host, _):
    """The service is killed and started again with nothing."""
    host.daemons.kill("service")
    host.daemons.start("service", wait=False)


def pause(host, name):
    host.daemons.signal(name, signal.SIGSTOP)
    time.sleep(PAUSE_S)
    host.daemons.signal(name, signal.SIGCONT)


def pause_agent(host, _):
    """The agent stands still for some seconds."""
    pause(host, "agent")


def pause_service(host, _):
    """The service stands still for some seconds."""
    pause(host, "service")


def pause_job(host, random):
    """A job stands still for some seconds."""
    job = host.any_job(random)
    os.kill(job.pid, signal.SIGSTOP)
    time.sleep(PAUSE_S)
    os.kill(job.pid, signal.SIGCONT)


def kill_job(host, random):
    """A job is killed; another takes its place."""
    job = host.any_job(random)
    job.killed = True
    os.kill(job.pid, signal.SIGKILL)


def resize_job(host, random):
    """A job's limit is changed."""
    job = host.any_job(random)
    limit = f"{random.choice([25, 40, 60, 80])}%"
    subprocess.run([harness.STOWAGE, "resize", str(job.pid), limit, "--agent",
                    host.daemons.socket],
                   env=harness.environment(),
                   stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL,
                   timeout=harness.TIMEOUT_S,
                   check=False)


def flip_byte(host, random):
    """A byte changes in the slow file of a job that checks its pages."""
    job = host.any_job(random, lambda job: job.checksums)
    slow_files.flip_bytes(slow_files.of_process(job.pid), 1, random)
    job.flipped = True


def take_memory(host, _):
    """Another process takes most of the memory that the machine has left."""
    processes.take_memory()


FAULTS = (kill_agent, kill_service, pause_agent, pause_service, pause_job, kill_job,
          resize_job, flip_byte, take_memory)


class NotNow(Exception):
    """There is no job that the fault could strike."""


def strike(host, random, fault):
    """Strikes; returns the name of the fault, or None where it could not."""
    try:
        fault(host, random)
    except (NotNow, ProcessLookupError, FileNotFoundError, IndexError):
        return None  # The job ended meanwhile.
    return fault.__name__
