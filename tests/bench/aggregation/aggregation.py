"""Measures what the aggregator is worth to the real migrator (DeepTM, figure 18).

    python3 tests/bench/aggregation/aggregation.py [GRAPH] [--below 65536]
        [--tiers emulated:optane,file:/tmp,dram] [--rounds 7]
        [--json aggregation.json] [--plot aggregation.svg] [--from aggregation.json]
        [--markdown docs/measurements.md]

A plan in which every small tensor of the graph leaves the fast tier while it is
idle longest is carried out by the migrator on this machine's tiers: as it was
built, one copy a move, and as the aggregator made it, in turn. Either way the
moves of a boundary wait in the lane together. Bandwidth counts the tensors' own bytes; utilisation is its share of what
the best of ten copies of 16 MiB reaches on the same tier. Needs the target
`migrate_small_tensors` (STOWAGE_BINARY_DIR, default build).
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

SOURCE_DIR = pathlib.Path(__file__).resolve().parents[3]
BINARY_DIR = pathlib.Path(os.environ.get("STOWAGE_BINARY_DIR", SOURCE_DIR / "build"))
GRAPH = SOURCE_DIR / "tests/data/resnet152-bs256-a100.pb.gz"
PLANS = ("one by one", "aggregated")
COLORS = ("#9e9e9e", "#1f77b4")
DIRECTIONS = (("out", "fast to slow"), ("in", "slow to fast"))

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(SOURCE_DIR / "tools/stowage/plot"))
import measurements  # pylint: disable=wrong-import-position
from picture import load_pyplot, save  # pylint: disable=wrong-import-position


def measure(arguments):
    command = [BINARY_DIR / "bin/migrate_small_tensors", "--tiers", arguments.tiers,
               "--below_bytes", str(arguments.below), "--rounds", str(arguments.rounds),
               arguments.graph]
    return json.loads(subprocess.run(command, capture_output=True, text=True,
                                     check=True).stdout)


def spread(values, unit=""):
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f}){unit}"


def lines(result):
    """(tier, direction, plain, aggregated, ratios, utilisations) of each lane."""
    for tier in result["tiers"]:
        for direction, words in DIRECTIONS:
            lane = tier[direction]
            plain, together = (lane[plan] for plan in PLANS)
            yield {"tier": tier["tier"], "direction": words,
                   "gb_per_second": [[v / 1e9 for v in values] for values in (plain, together)],
                   "ratios": [b / a for a, b in zip(plain, together)],
                   "utilisation": [[v / lane["peak_bytes_per_second"] for v in values]
                                   for values in (plain, together)]}


def rows(result):
    yield "tensors smaller than", f"{result['below_bytes'] >> 10} KiB"
    yield ("moves out and in, bytes each way",
           f"{result['moves']}, {result['tensor_bytes'] / 1e6:.1f} MB")
    yield "copies when aggregated", f"{result['copies']}"
    for line in lines(result):
        name = f"{line['tier']}, {line['direction']}"
        for plan, values, shares in zip(PLANS, line["gb_per_second"], line["utilisation"]):
            yield (f"{name}, {plan}", f"{spread(values)} GB/s, "
                   f"{100 * statistics.median(shares):.0f} % of the peak")
        yield f"{name}, ratio", spread(line["ratios"])


def draw(result, picture):
    pyplot = load_pyplot()
    lanes = list(lines(result))
    figure, axes = pyplot.subplots(figsize=(1.6 + 1.5 * len(lanes), 4))
    for i, (plan, color) in enumerate(zip(PLANS, COLORS)):
        shares = [[100 * v for v in lane["utilisation"][i]] for lane in lanes]
        middle = [statistics.median(s) for s in shares]
        below = [m - min(s) for m, s in zip(middle, shares)]
        above = [max(s) - m for m, s in zip(middle, shares)]
        bars = axes.bar([x + (i - 0.5) * 0.38 for x in range(len(lanes))], middle, 0.38,
                        yerr=[below, above], capsize=3, color=color, label=plan)
        axes.bar_label(bars, fmt="%.0f", padding=3, fontsize=8)
    axes.set_xticks(range(len(lanes)),
                    [f"{lane['tier']}\n{lane['direction']}" for lane in lanes], fontsize=8)
    axes.set_ylabel("share of the peak bandwidth, %")
    axes.set_ylim(0, 1.2 * max(100, axes.get_ylim()[1]))
    axes.set_title(f"{result['graph']}: {result['moves']} moves of tensors below "
                   f"{result['below_bytes'] >> 10} KiB", fontsize=10)
    axes.legend(loc="upper right", frameon=False, ncol=2, fontsize=8)
    figure.tight_layout()
    save(figure, picture)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("graph", nargs="?", default=GRAPH)
    parser.add_argument("--tiers", default="emulated:optane,file:/tmp,dram")
    parser.add_argument("--below", type=int, default=64 << 10)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--from", dest="source", type=pathlib.Path)
    parser.add_argument("--plot", type=pathlib.Path)
    parser.add_argument("--markdown", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.source:
        result = json.loads(arguments.source.read_text(encoding="utf-8"))
    else:
        result = measure(arguments)
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1), encoding="utf-8")
    table = list(rows(result))
    for name, value in table:
        print(f"{name:<45} {value}")
    if arguments.plot:
        draw(result, arguments.plot)
    if arguments.markdown:
        measurements.write_section(
            arguments.markdown, f"Aggregated migration, {result['graph']}",
            "tests/bench/aggregation/aggregation.py " + " ".join(sys.argv[1:]),
            measurements.pairs(table))


if __name__ == "__main__":
    main()
