"""Commands as steps whose results are kept, so that an interrupted run goes on.

    runner = Runner(pathlib.Path("results"), jobs=2, minutes=25)
    runner.run([step, other])
    result = runner.result(step)     # None where it was not run or has failed

A result is kept with the digest of its command and of every file that the
command reads, and found again as long as these are the same.
"""

import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import subprocess
import tempfile
import time

# `stowage`: infeasible, such as a limit below what a kernel needs. A result.
INFEASIBLE = 78


@dataclasses.dataclass(frozen=True)
class Step:
    """One command, which prints JSON. Paths in it are files that it reads."""
    name: str
    command: tuple
    needs: tuple = ()
    produces: pathlib.Path = None  # what it writes, also named in the command
    reads: tuple = ()  # files beside those of the command
    alone: bool = False  # nothing else runs meanwhile, since it measures time


def in_order(steps):
    """Returns the steps and what they need, each once, needed ones first."""
    found = {}

    def add(step):
        for needed in step.needs:
            add(needed)
        found.setdefault(step.name, step)

    for step in steps:
        add(step)
    return list(found.values())


class Runner:
    """Runs steps, `jobs` at a time and those that run alone first.

    Starts none after `minutes`."""

    def __init__(self, folder, jobs, minutes, report=print):
        self._folder = folder
        self._jobs = jobs
        self._end = time.monotonic() + 60 * minutes
        self._report = report
        self._digests = {}
        self._results = {}
        self._unfinished = []
        folder.mkdir(parents=True, exist_ok=True)

    def result(self, step):
        return self._results.get(step.name)

    def unfinished(self):
        """Returns the names of steps that failed or were not reached."""
        return self._unfinished

    def run(self, steps):
        waiting = in_order(steps)
        waiting.sort(key=lambda step: not step.alone)
        waiting = [step for step in waiting if step.name not in self._results]
        total, running = len(waiting), {}
        with concurrent.futures.ThreadPoolExecutor(self._jobs) as pool:
            while True:
                self._start(waiting, running, pool)
                if not running:
                    break
                done, _ = concurrent.futures.wait(
                    running, return_when=concurrent.futures.FIRST_COMPLETED)
                for future in done:
                    step = running.pop(future)
                    self._finish(step, future.result(), total - len(waiting) - len(running), total)
        self._unfinished += [step.name for step in waiting]

    def _start(self, waiting, running, pool):
        """Starts steps that are ready, moving them from `waiting` to `running`."""
        for step in list(waiting):
            full = len(running) >= self._jobs or any(s.alone for s in running.values())
            if full or time.monotonic() > self._end or (step.alone and running):
                return
            if all(self.result(needed) for needed in step.needs):
                waiting.remove(step)
                running[pool.submit(self._run_or_find, step)] = step

    def _finish(self, step, result, count, total):
        label = f"[{count}/{total}] {step.name}"
        if result is None:
            self._unfinished.append(step.name)
            return
        self._results[step.name] = result
        how = "kept" if result.pop("kept") else f"{result['wall_seconds']:.1f} s"
        note = f": {result['error']}" if result["error"] else ""
        self._report(f"{label}: {how}{note}", flush=True)

    def _run_or_find(self, step):
        key = self._key(step)
        path = self._folder / f"{step.name}.json"
        if path.exists() and (step.produces is None or step.produces.exists()):
            result = json.loads(path.read_text(encoding="utf-8"))
            if result["key"] == key:
                return result | {"kept": True}
        result = self._execute(step)
        if result is None:
            return None
        result["key"] = key
        path.write_text(json.dumps(result), encoding="utf-8")
        return result | {"kept": False}

    def _execute(self, step):
        begin = time.monotonic()
        with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
            process = subprocess.Popen([str(word) for word in step.command], stdout=output,
                                       stderr=errors)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            errors.seek(0)
            text, complaint = output.read(), errors.read().strip()
        if process.returncode not in (0, INFEASIBLE):
            self._report(f"{step.name}: exit status {process.returncode}: {complaint[-500:]}",
                         flush=True)
            return None
        failed = process.returncode != 0
        return {"wall_seconds": time.monotonic() - begin,
                "cpu_seconds": usage.ru_utime + usage.ru_stime,
                "peak_rss_bytes": usage.ru_maxrss * 1024,
                "error": complaint.splitlines()[-1] if failed else None,
                "output": None if failed or not text.startswith(("{", "[")) else json.loads(text)}

    def _key(self, step):
        words = [str(word) for word in step.command]
        read = [word for word in (*step.command, *step.reads)
                if isinstance(word, pathlib.Path) and word != step.produces]
        return hashlib.sha256(json.dumps(
            [words, [self._digest(path) for path in read]]).encode()).hexdigest()

    def _digest(self, path):
        about = path.stat()
        key = (path, about.st_mtime_ns, about.st_size)
        if key not in self._digests:
            self._digests[key] = hashlib.sha256(path.read_bytes()).hexdigest()
        return self._digests[key]
