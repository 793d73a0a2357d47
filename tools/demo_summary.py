"""Compares the runs of tools/demo.sh and prints what they show.

    python3 tools/demo_summary.py demo-output

Exits with status 1 if a run under Stowage computed other bits, or used more fast
memory than the limit allows.
"""

import json
import re
import statistics
import sys
from pathlib import Path


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def times_alone_s(log):
    """Returns the seconds of PyTorch's own steps, without the first."""
    return [float(t) for t in re.findall(r"step \d+ ([\d.]+) s", log)][1:]


def median_s(steps, field):
    return statistics.median(step[field] for step in steps) / 1e9


def compare_digests(folder):
    alone = read_json(folder / "alone.digest.json")
    for name in ("captured", "limited"):
        other = read_json(folder / f"{name}.digest.json")
        different = [what for what in alone if alone[what] != other.get(what)]
        if different:
            print(f"DIFFERENT BITS in the run '{name}': {', '.join(different)}")
            return False
    print(f"{', '.join(alone)}: bit-identical in all three runs "
          f"(weights {alone['weights'][:16]}…)")
    return True


def compare_memory(report):
    """Prints the peaks. Returns whether the limit was kept."""
    limit_bytes = report["limit_bytes"]
    # The first step may use a few MiB more while little is known of the peak.
    later = report["steps"][1:]
    fast_bytes = max(s["fast_peak_bytes"] for s in later)
    print(f"tensor peak       {report['tensor_peak_bytes'] / 1e6:8.0f} MB")
    print(f"limit             {limit_bytes / 1e6:8.0f} MB")
    print(f"fast memory, peak {fast_bytes / 1e6:8.0f} MB")
    return all(s["fast_peak_bytes"] <= s["limit_bytes"] for s in later)


def compare_times(report, log):
    alone_s = statistics.median(times_alone_s(log))
    planned = [s for s in report["steps"] if s["mode"] == "plan"]
    print(f"step alone        {alone_s:8.3f} s")
    if not planned:
        print("no step was planned; the report says why")
        return False
    measured_s = median_s(planned, "duration_ns")
    print(f"step planned      {measured_s:8.3f} s   "
          f"({measured_s / alone_s:.2f} of alone)")
    print(f"step predicted    "
          f"{median_s(planned, 'predicted_duration_ns'):8.3f} s")
    return True


def main():
    folder = Path(sys.argv[1])
    report = read_json(folder / "limited.json")
    if len(report["steps"]) < 2:
        sys.exit("the run under the limit has fewer than two steps: nothing to "
                 f"compare; {folder}/limited.json has its events")
    log = (folder / "alone.log").read_text(encoding="utf-8")
    good = compare_digests(folder)
    good = compare_memory(report) and good
    good = compare_times(report, log) and good
    for event in report["events"]:
        print(f"event in step {event['step']}: {event['reason']} "
              f"{event['detail']}")
    print(f"report {folder}/limited.json, picture {folder}/step.svg, "
          f"graph {folder}/resnet50.json.gz")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
