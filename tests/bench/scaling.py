"""Measures how planning time grows with the graph, and draws it.

    python3 tests/bench/scaling.py --policies annealed-search,belady --plot scaling.svg
        [--kernels 100,1000,10000,100000] [--system optane] [--ratio 0.2]
        [--give-up-after 300] [--json scaling.json] [--from scaling.json]

Training steps of the tests' generator (8 kernels a layer), one process
a plan; seconds are those of the processor. A policy that took longer than --give-up-after is not tried on larger
graphs. The gray lines have the slopes of n log n, n being the kernels (dotted)
and kernels x tensors (dashed; a step has about as many tensors as kernels),
through the first policy's first point. Needs the target `planners`
(STOWAGE_BINARY_DIR, default build).
"""

import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys

SOURCE_DIR = pathlib.Path(__file__).resolve().parents[2]
BINARY_DIR = pathlib.Path(os.environ.get("STOWAGE_BINARY_DIR", SOURCE_DIR / "build"))
KERNELS_A_LAYER = 8

sys.path.insert(0, str(SOURCE_DIR / "tools/stowage/plot"))
from picture import load_pyplot, save  # pylint: disable=wrong-import-position

PLANNED = re.compile(r"plan\s+([0-9.]+) s(?: \(([0-9.]+) s of CPU\))?\s+rss\s+(\d+) MB")


def measure(policy, kernels, arguments):
    """Returns seconds and megabytes of one plan; None if there is none."""
    layers = max(1, round(kernels / KERNELS_A_LAYER))
    command = [BINARY_DIR / "bin/planners", "--system", arguments.system, "--ratios",
               str(arguments.ratio), "--policies", policy, "--nobound", f"training:{layers}"]
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False,
                                timeout=arguments.give_up_after)
    except subprocess.TimeoutExpired:
        return None
    found = PLANNED.search(result.stdout)
    if not found:
        print(f"{policy}, {kernels} kernels: {result.stdout}{result.stderr}", file=sys.stderr)
        return None
    return {"policy": policy, "kernels": layers * KERNELS_A_LAYER,
            "seconds": float(found[2] or found[1]), "rss_mb": int(found[3])}


def measure_all(arguments):
    points = []
    for policy in arguments.policies.split(","):
        for kernels in map(int, arguments.kernels.split(",")):
            point = measure(policy, kernels, arguments)
            if point is None:
                print(f"{policy}: given up at {kernels} kernels", flush=True)
                break
            print(f"{policy:20} {point['kernels']:7} kernels {point['seconds']:9.3f} s "
                  f"{point['rss_mb']:6} MB", flush=True)
            points.append(point)
    return points


def growth(points):
    """Returns the exponent of time in kernels between the two largest graphs."""
    if len(points) < 2 or points[-2]["seconds"] <= 0:
        return float("nan")
    return (math.log(points[-1]["seconds"] / points[-2]["seconds"]) /
            math.log(points[-1]["kernels"] / points[-2]["kernels"]))


def n_log_n(size):
    return size * math.log(size)


def draw_slopes(axes, points):
    kernels = sorted({point["kernels"] for point in points})
    first_s = max(points[0]["seconds"], 1e-3)
    for power, style, name in ((1, ":", "kernels"), (2, "--", "kernels x tensors")):
        scale = first_s / n_log_n(points[0]["kernels"]**power)
        axes.loglog(kernels, [scale * n_log_n(k**power) for k in kernels], style, linewidth=1,
                    color="#9e9e9e", label=f"n log n, n = {name}")


def draw(points, path):
    pyplot = load_pyplot()
    figure, axes = pyplot.subplots(figsize=(8, 5.5), constrained_layout=True)
    for policy in dict.fromkeys(point["policy"] for point in points):
        mine = [point for point in points if point["policy"] == policy]
        kernels = [point["kernels"] for point in mine]
        axes.loglog(kernels, [max(point["seconds"], 1e-3) for point in mine], marker="o",
                    label=f"{policy}, exponent {growth(mine):.2f} at the end")
    draw_slopes(axes, points)
    axes.set_xlabel("kernels")
    axes.set_ylabel("planning time, s")
    axes.legend(fontsize=8, frameon=False)
    axes.grid(True, which="both", linewidth=0.3)
    save(figure, path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--policies", default="annealed-search,belady")
    parser.add_argument("--kernels", default="100,1000,10000,100000")
    parser.add_argument("--system", default="optane")
    parser.add_argument("--ratio", type=float, default=0.2)
    parser.add_argument("--give-up-after", type=float, default=300)
    parser.add_argument("--json", help="keep the points in this file")
    parser.add_argument("--from", dest="points", help="draw these points instead of measuring")
    parser.add_argument("--plot", help=".svg or .png")
    arguments = parser.parse_args()

    if arguments.points:
        points = json.loads(pathlib.Path(arguments.points).read_text(encoding="utf-8"))
    else:
        points = measure_all(arguments)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(points, indent=1), encoding="utf-8")
    if arguments.plot and points:
        draw(points, arguments.plot)


if __name__ == "__main__":
    main()
