"""Compares all that PyTorch's operators, modules and optimizers compute under a limit and alone.

    STOWAGE_TEST_PYTHON=venv/bin/python3 /usr/bin/python3 tests/bench/operators.py
        [--fast 2MiB] [--samples 4] [--modes demand,plan]

What is called, and with which inputs, is what PyTorch tests itself with: operator_calls.py.
Prints what differs and the cases in which a process ended, and then how many there were.
The exit status is 1 if there are any.
"""

import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e/train"))

import harness  # pylint: disable=wrong-import-position

CALLS = Path(__file__).with_name("operator_calls.py")


class Calls:
    """All cases of one way to run them: their names and results, by number."""

    def __init__(self, prefix, out, samples, env):
        self.names = {}
        self.results = {}
        self.deaths = {}
        first = 0
        while True:
            command = [*prefix, harness.PYTHON, CALLS, out, "--first", first, "--samples", samples]
            done = subprocess.run([str(part) for part in command], env=env, capture_output=True,
                                  text=True, check=False)
            self._read(out)
            if done.returncode == 0:
                return
            if len(self.names) <= first:
                sys.exit(f"no case begins: {done.stderr[-2000:]}")
            first = max(self.names) + 1
            self.deaths[first - 1] = f"status {done.returncode}: {done.stderr[-500:].strip()}"

    def _read(self, out):
        for line in map(json.loads, out.read_text().splitlines()):
            if "begins" in line:
                self.names[line["begins"]] = line["case"]
            else:
                self.results[line["ends"]] = line["results"]


def differences(alone, limited):
    """Yields what is to be said of cases that are not as they are alone."""
    for number, name in alone.names.items():
        if number in limited.deaths:
            if number not in alone.deaths:
                yield f"{name}: {limited.deaths[number]}"
            continue
        pairs = itertools.zip_longest(alone.results.get(number, []),
                                      limited.results.get(number, []))
        ways = {(before or after)[0] for before, after in pairs if before != after}
        if ways:
            yield f"{name}: {', '.join(sorted(ways))}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fast", default="2MiB")
    parser.add_argument("--samples", type=int, default=4, help="inputs of each case")
    parser.add_argument("--modes", default="demand,plan")
    arguments = parser.parse_args()
    # Sums depend on the number of threads, and some inputs on the order of sets.
    fixed = {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0",
             "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    folder = harness.scratch()
    found = 0
    try:
        alone = Calls([], folder / "alone", arguments.samples, harness.environment(**fixed))
        for mode in arguments.modes.split(","):
            prefix = [harness.STOWAGE, "run", "--fast", arguments.fast, "--slow",
                      f"file:{folder}", "--"]
            limited = Calls(prefix, folder / mode, arguments.samples,
                            harness.environment(STOWAGE_MODE=mode, **fixed))
            for line in differences(alone, limited):
                found += 1
                print(f"{mode}: {line}", flush=True)
            calls = sum(len(results) for results in limited.results.values())
            print(f"{mode}: {len(limited.names)} cases, {calls} calls", flush=True)
    finally:
        shutil.rmtree(folder)
    print(f"{found} differ")
    return min(found, 1)


if __name__ == "__main__":
    sys.exit(main())
