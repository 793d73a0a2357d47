"""A training process that makes steps only when told to.

    job = PacedJob("planned", command, environment)
    times_s = job.steps(4)
    job.finish()

Jobs that take turns see the same machine: drift hits all of them alike.

    times_s = take_turns(jobs, rounds=3, warm_up=6, steps=4)
"""

import subprocess


class PacedJob:
    """Owns the process; finish() must be called. One thread."""

    def __init__(self, name, command, environment):
        self.name = name
        self._process = subprocess.Popen([str(part) for part in command],
                                         env=environment,
                                         stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE,
                                         text=True)

    def steps(self, count):
        """Makes `count` steps and returns the seconds each took."""
        return [self._step() for _ in range(count)]

    def finish(self):
        """Ends the training early; raises if the process failed."""
        self._process.stdin.close()
        for _ in self._process.stdout:
            pass
        status = self._process.wait()
        if status != 0:
            raise RuntimeError(f"{self.name} ended with status {status}")

    def _step(self):
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            words = line.split()
            if words[:1] == ["step"]:
                return float(words[2])
        raise RuntimeError(f"{self.name} ended in the middle")


def take_turns(jobs, rounds, warm_up, steps):
    """Returns the seconds of counted steps by job: a list for each round.

    The first step of a turn is not counted: it pays for caches that the others
    filled.
    """
    for job in jobs:
        job.steps(warm_up)
    times_s = {job.name: [] for job in jobs}
    for _ in range(rounds):
        for job in jobs:
            times_s[job.name].append(job.steps(steps)[1:])
    for job in jobs:
        job.finish()
    return times_s
