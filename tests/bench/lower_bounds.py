"""Computes lower bounds of graphs, and compares them with those of another build.

    python3 tests/bench/lower_bounds.py --systems g10-a100,file --ratios 0.2,0.4
        [--norehost] [--json bounds.json] [--baseline earlier.json] GRAPH...

Prints for each graph, system and share of the peak the bound, its seconds (those of
the processor) and, given the JSON of an earlier run, by how many percent the bound
rose and how many times the seconds fell. GRAPH is what `planners` reads. Needs the
target `planners` (STOWAGE_BINARY_DIR, default build).
"""

import argparse
import json
import os
import pathlib
import re
import resource
import subprocess
import sys

SOURCE_DIR = pathlib.Path(__file__).resolve().parents[2]
BINARY_DIR = pathlib.Path(os.environ.get("STOWAGE_BINARY_DIR", SOURCE_DIR / "build"))

BOUND = re.compile(r"bound ([0-9.]+) s, found")


def children_cpu_s():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(graph, system, ratio, rehost):
    """Returns the bound and the processor's seconds; None if there is no bound."""
    command = [BINARY_DIR / "bin/planners", "--system", system, "--ratios", ratio,
               "--policies=", "--rehost" if rehost else "--norehost", graph]
    begin_s = children_cpu_s()
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    cpu_s = children_cpu_s() - begin_s
    found = BOUND.search(result.stdout)
    if not found:
        print(f"{graph} on {system}: {result.stdout}{result.stderr}", file=sys.stderr)
        return None
    return {"bound_s": float(found[1]), "cpu_s": cpu_s}


def difference(new, old):
    """Returns what became of the bound and of its cost, as text."""
    if not old:
        return ""
    percent = 100 * (new["bound_s"] / old["bound_s"] - 1)
    return f"  {percent:+9.4f} %  {old['cpu_s'] / new['cpu_s']:5.1f} x as fast"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graphs", nargs="+")
    parser.add_argument("--systems", default="g10-a100")
    parser.add_argument("--ratios", default="0.2")
    parser.add_argument("--norehost", action="store_true",
                        help="take durations as they were measured")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--baseline", type=pathlib.Path)
    arguments = parser.parse_args()
    earlier = json.loads(arguments.baseline.read_text()) if arguments.baseline else {}
    bounds = {}
    for system in arguments.systems.split(","):
        for ratio in arguments.ratios.split(","):
            for graph in arguments.graphs:
                found = measure(graph, system, ratio, not arguments.norehost)
                if found is None:
                    continue
                name = f"{pathlib.Path(graph).name} {system} {ratio}"
                bounds[name] = found
                print(f"{name:50} {found['bound_s']:14.6f} s {found['cpu_s']:8.2f} s of CPU"
                      f"{difference(found, earlier.get(name))}", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(bounds, indent=1) + "\n")


if __name__ == "__main__":
    main()
