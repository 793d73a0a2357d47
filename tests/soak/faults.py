"""The faults of a soak: each strikes the daemons, the jobs or the disk of a Host.

    name = faults.strike(host, random, faults.kill_agent)
"""

import contextlib
import os
import signal
import subprocess
import time

import harness
import processes
import slow_files

PAUSE_S = 3
# Longer than the agent waits for an answer.
PARTITION_S = 12
STALL_S = 15
# A fault of the disk is for an operation after up to so many others, as many as
# a step has.
DISK_AFTER = 400
MEET_S = 30


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


def send(pids, number):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def set_clock(host, random):
    """Somebody sets the wall clock of the daemons forward, or back."""
    host.clock.jump(random.choice([-1, 1]) * random.randrange(10, 100_000))


def suspend(host, random):
    """The host sleeps for some seconds, and its clock is hours later."""
    asleep = [host.daemons.pid("agent"), host.daemons.pid("service")]
    asleep += [job.pid for job in host.training_jobs()]
    send(asleep, signal.SIGSTOP)
    time.sleep(PAUSE_S)
    host.clock.jump(random.randrange(10, 100_000))
    send(asleep, signal.SIGCONT)


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


def partition_service(host, _):
    """The agent does not reach the service for a while."""
    host.link.cut()
    time.sleep(PARTITION_S)
    host.link.mend()


def meet(host, kind, inject):
    """Injects a fault of the disk and waits until a job has met it."""
    met = host.disk.counts()[kind]
    inject()
    end = time.monotonic() + MEET_S
    while host.disk.counts()[kind] == met:
        if time.monotonic() > end:
            host.disk.heal()
            raise NotNow()
        time.sleep(0.1)


def shorten(host, random, operation):
    after, seed = random.randrange(DISK_AFTER), random.random()
    meet(host, "shorten",
         lambda: host.disk.shorten(operation, times=20, after=after, seed=seed))


def shorten_reads(host, random):
    """Reads of the disk transfer less than they are asked for."""
    shorten(host, random, "read")


def shorten_writes(host, random):
    """Writes of the disk transfer less than they are asked for."""
    shorten(host, random, "write")


def stall(host, random, operation):
    after = random.randrange(DISK_AFTER)
    meet(host, "stall", lambda: host.disk.stall(operation, STALL_S, after=after))


def stall_read(host, random):
    """A read of the disk takes very long."""
    stall(host, random, "read")


def stall_write(host, random):
    """A write of the disk takes very long."""
    stall(host, random, "write")


def fail(host, random, operation, error, times):
    after = random.randrange(DISK_AFTER)
    for job in host.jobs:
        job.disk_failed = True
    meet(host, "fail",
         lambda: host.disk.fail(operation, error, after=after, times=times))
    time.sleep(PAUSE_S)
    host.disk.heal()  # Jobs that begin later meet none of it.


def fail_read(host, random):
    """The disk cannot be read for a while."""
    fail(host, random, "read", "EIO", None)


def fail_write(host, random):
    """A write of the disk fails."""
    fail(host, random, "write", "EIO", 1)


def fill_disk(host, random):
    """The disk is full for some writes."""
    fail(host, random, "write", "ENOSPC", 20)


HOST_FAULTS = (kill_agent, kill_service, pause_agent, pause_service,
               partition_service, set_clock, suspend, pause_job, kill_job,
               resize_job, flip_byte, take_memory)
DISK_FAULTS = (shorten_reads, shorten_writes, stall_read, stall_write, fail_read,
               fail_write, fill_disk)


class NotNow(Exception):
    """There is nothing that the fault could strike."""


def strike(host, random, fault):
    """Strikes; returns the name of the fault, or None where it could not."""
    try:
        fault(host, random)
    except (NotNow, ProcessLookupError, FileNotFoundError, IndexError):
        return None  # The job ended meanwhile.
    return fault.__name__
