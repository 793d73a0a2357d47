#!/usr/bin/env python3
"""Draws where the time of each step went. `stowage explain --plot` calls this.

    plot_explanation.py STEPS.json PICTURE.svg

STEPS.json is what tools/stowage/commands/explain_command.cc writes; the picture's
name ends in .svg or .png.
"""

from picture import draw_file, load_pyplot, save

MS = 1_000_000
COLORS = {"kernels": "#1f77b4", "between kernels": "#aec7e8",
          "waiting for moves": "#d62728", "faults while streaming": "#ff7f0e",
          "emulated medium": "#9467bd", "waiting for a plan": "#f2b134",
          "Stowage itself": "#2ca02c"}
MODES = {"demand": "d", "profile": "p", "plan": ""}


def draw_parts(axes, steps):
    numbers = [step["step"] for step in steps]
    below = [0] * len(steps)
    for name, color in COLORS.items():
        part_ms = [sum(p["measured_ns"] for p in step["parts"] if p["name"] == name) / MS
                   for step in steps]
        if any(part_ms):
            axes.bar(numbers, part_ms, 0.85, bottom=below, color=color, label=name)
        below = [a + b for a, b in zip(below, part_ms)]
    return below


def draw_predictions(axes, steps):
    label = "predicted"
    for step in steps:
        if step["predicted_duration_ns"] > 0:
            axes.hlines(step["predicted_duration_ns"] / MS, step["step"] - 0.45,
                        step["step"] + 0.45, color="black", linewidth=1.5, label=label)
            label = None


def draw(explanation, path):
    pyplot = load_pyplot()
    steps = explanation["steps"]
    figure, axes = pyplot.subplots(
        figsize=(max(7, min(16, 3 + 0.25 * len(steps))), 5), constrained_layout=True)
    axes.set_title(explanation["title"], fontsize=11)
    tops_ms = draw_parts(axes, steps)
    draw_predictions(axes, steps)
    if len(steps) <= 60:
        for step, top_ms in zip(steps, tops_ms):
            axes.annotate(MODES[step["mode"]], (step["step"], top_ms), ha="center",
                          xytext=(0, 2), textcoords="offset points", fontsize=8)
    axes.set_ylim(0, 1.25 * max(tops_ms))
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("step (d: demand mode, p: profiled)")
    axes.set_ylabel("ms")
    axes.legend(loc="upper right", ncol=4, fontsize=8, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    save(figure, path)


if __name__ == "__main__":
    draw_file(draw, __doc__)
