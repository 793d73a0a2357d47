"""What the runs of each method came to, beside the job alone.

    result.update(summary.beside(result, alone))
    for row in summary.rows(results):
        print(summary.line(row))
"""

import statistics

CLOSE = 1e-3  # of a loss


def ratio(result, alone):
    """Returns the median of step over the same step alone; None without any.

    Steps are compared one by one, since those of a job may differ.
    """
    pairs = list(zip(result["steps_s"], alone["steps_s"]))
    return statistics.median(mine / its for mine, its in pairs) if pairs else None


def bits(result, alone):
    """Says whether a run computed what it computes alone."""
    count = len(result["losses"])
    if result["losses"] != alone["losses"][:count]:
        return distance(result["losses"], alone["losses"])
    if not result["digest"]:
        return f"{count} losses equal"
    other = [name for name, value in alone["digest"].items()
             if result["digest"].get(name) != value]
    return ", ".join(other) + " differ" if other else "equal"


def distance(losses, others):
    """Says how far losses that differ are from those of the job alone."""
    most = max((abs(float(mine) / float(its) - 1) for mine, its in zip(losses, others)),
               default=float("inf"))
    return f"close, within {most:.0e}" if most < CLOSE else "losses differ"


def beside(result, alone):
    return {"ratio": ratio(result, alone), "bits": bits(result, alone)}


def spread(values):
    """Returns [median, least, most] of those that are known; None of none."""
    known = [value for value in values if value is not None]
    return [statistics.median(known), min(known), max(known)] if known else None


def row(runs):
    return {
        **{name: runs[0][name] for name in ("job", "method", "setting")},
        "base_bytes": runs[0]["base_bytes"],
        "peak_bytes": spread([run["peak_bytes"] for run in runs]),
        "step_s": spread(sum((run["steps_s"] for run in runs), [])),
        "ratio": spread([run["ratio"] for run in runs]),
        "planned_share": spread([run["planned_share"] for run in runs]),
        "compile_s": spread([run.get("compile_s") for run in runs]),
        "compile_peak_bytes": spread([run.get("compile_peak_bytes") for run in runs]),
        "status": ", ".join(dict.fromkeys(run["status"] for run in runs)),
        "bits": ", ".join(dict.fromkeys(run["bits"] for run in runs)),
    }


def rows(results):
    """Returns a row for each job, method and setting, in the order of the results."""
    groups = {}
    for run in results:
        groups.setdefault((run["job"], run["method"], run["setting"]), []).append(run)
    return [row(runs) for runs in groups.values()]


def show(values, digits, scale=1):
    if values is None:
        return "-"
    middle, least, most = (f"{value / scale:.{digits}f}" for value in values)
    return middle if least == most else f"{middle} ({least} to {most})"


HEADER = ("| job | method | cgroup's peak, MB | s a step | over alone | bits | |\n"
          "|---|---|---|---|---|---|---|")


def line(item):
    """Returns the row as one of a Markdown table."""
    notes = [] if item["status"] == "ok" else [item["status"]]
    if item["planned_share"]:
        notes.append(f"{100 * item['planned_share'][0]:.0f} % of steps planned")
    if item["compile_s"]:
        notes.append(f"compiled before in {show(item['compile_s'], 0)} s with "
                     f"{show(item['compile_peak_bytes'], 0, 1e6)} MB")
    cells = (item["job"], f"{item['method']} {item['setting']}".strip(),
             show(item["peak_bytes"], 0, 1e6), show(item["step_s"], 3),
             show(item["ratio"], 2), item["bits"], ", ".join(notes))
    return "| " + " | ".join(cells) + " |"
