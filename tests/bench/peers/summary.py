"""What several rounds of each method came to.

    for row in summary.rows(results, base_bytes):
        print(summary.line(row))
"""

import statistics


def key_of(result):
    return result["job"], result["method"], result["setting"]


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
        return "losses differ"
    if not result["digest"]:
        return f"{count} losses equal"
    other = [name for name, value in alone["digest"].items()
             if result["digest"].get(name) != value]
    return ", ".join(other) + " differ" if other else "equal"


def spread(values):
    """Returns [median, least, most]; None of no values."""
    return [statistics.median(values), min(values), max(values)] if values else None


def row(runs, alone, base_bytes):
    """`alone` maps a round to its run alone."""
    ratios = [ratio(run, alone[run["round"]]) for run in runs]
    shares = [run["planned_share"] for run in runs if run["planned_share"] is not None]
    return {
        "job": runs[0]["job"], "method": runs[0]["method"], "setting": runs[0]["setting"],
        "base_bytes": base_bytes,
        "peak_bytes": spread([run["peak_bytes"] for run in runs]),
        "step_s": spread(sum((run["steps_s"] for run in runs), [])),
        "ratio": spread([value for value in ratios if value is not None]),
        "planned_share": spread(shares),
        "status": ", ".join(dict.fromkeys(run["status"] for run in runs)),
        "bits": ", ".join(dict.fromkeys(bits(run, alone[run["round"]]) for run in runs)),
    }


def rows(results, base_bytes):
    """Returns a row for each job, method and setting, in the order of the results."""
    alone = {(run["job"], run["round"]): run for run in results if run["method"] == "alone"}
    groups = {}
    for run in results:
        groups.setdefault(key_of(run), []).append(run)
    return [row(runs, {r: run for (name, r), run in alone.items() if name == key[0]}, base_bytes)
            for key, runs in groups.items()]


def show(values, digits, scale=1):
    if values is None:
        return "-"
    middle, least, most = (f"{value / scale:.{digits}f}" for value in values)
    return middle if least == most else f"{middle} ({least} to {most})"


HEADER = ("| job | method | cgroup's peak, MB | s a step | over alone | bits | |\n"
          "|---|---|---|---|---|---|---|")


def line(item):
    """Returns the row as one of a Markdown table."""
    notes = "" if item["status"] == "ok" else item["status"]
    if item["planned_share"]:
        notes += f"{100 * item['planned_share'][0]:.0f} % of steps planned"
    cells = (item["job"], f"{item['method']} {item['setting']}".strip(),
             show(item["peak_bytes"], 0, 1e6), show(item["step_s"], 3),
             show(item["ratio"], 2), item["bits"], notes)
    return "| " + " | ".join(cells) + " |"
