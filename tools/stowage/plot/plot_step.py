#!/usr/bin/env python3
"""Draws a step's fast-memory use and moves. `stowage --plot` calls this.

    plot_step.py STEP.json PICTURE.svg

STEP.json is what tools/stowage/plot/step_plot.cc writes; the picture's name ends in
.svg or .png.
"""

from picture import draw_file, load_pyplot, save

MIB = 1 << 20
MS = 1_000_000
FAST = "#1f77b4"
LANES = (("in", "#2ca02c"), ("out", "#d62728"))
MODES = {"demand": "#9e9e9e", "profile": "#f2b134", "plan": "#1f77b4"}


def draw_fast_memory(axes, step):
    times_ms = [t / MS for t in step["times_ns"]]
    used_mib = [b / MIB for b in step["fast_bytes"]]
    axes.fill_between(times_ms, used_mib, step="post", color=FAST, alpha=0.25)
    axes.plot(times_ms, used_mib, drawstyle="steps-post", color=FAST, linewidth=1,
              label="fast memory in use (predicted)")
    limit_mib = step["limit_bytes"] / MIB
    axes.axhline(limit_mib, color="black", linestyle="--", linewidth=1,
                 label=f"limit, {limit_mib:,.0f} MiB")
    peak_mib = step["tensor_peak_bytes"] / MIB
    axes.axhline(peak_mib, color="#9e9e9e", linestyle=":", linewidth=1,
                 label=f"tensor peak without a limit, {peak_mib:,.0f} MiB")
    # The first step may use more under a limit in percent.
    planned = [s["fast_peak_bytes"] for s in step["measured"] if s["mode"] == "plan"]
    measured_mib = max(planned, default=0) / MIB
    if measured_mib > 0:
        axes.axhline(measured_mib, color="#d62728", linestyle="-.", linewidth=1,
                     label=f"fast peak of planned steps (measured), {measured_mib:,.0f} MiB")
    axes.set_ylim(0, 1.25 * max(limit_mib, peak_mib, measured_mib))
    axes.set_ylabel("MiB")
    axes.legend(loc="upper center", ncol=2, fontsize=8, frameon=False)


def draw_moves(axes, step):
    for row, (direction, color) in enumerate(LANES):
        moves = [m for m in step["moves"] if m["direction"] == direction]
        bars = [(m["start_ns"] / MS, max(m["end_ns"] - m["start_ns"], 1) / MS) for m in moves]
        axes.broken_barh(bars, (row - 0.35, 0.7), facecolors=color, edgecolors=color,
                         linewidth=0.4)
        moved_mib = sum(m["bytes"] for m in moves) / MIB
        axes.text(1.01, row, f"{len(moves)} moves\n{moved_mib:,.0f} MiB", va="center",
                  fontsize=8, transform=axes.get_yaxis_transform())
    axes.set_yticks(range(len(LANES)), [f"moves {direction}" for direction, _ in LANES])
    axes.set_ylim(-0.6, len(LANES) - 0.4)
    axes.invert_yaxis()
    axes.set_xlabel("time in the step, ms")


def draw_measured(axes, step):
    for mode, color in MODES.items():
        steps = [s for s in step["measured"] if s["mode"] == mode]
        if steps:
            axes.bar([s["index"] for s in steps], [s["duration_ns"] / MS for s in steps],
                     color=color, label=f"measured, {mode} mode")
    predicted_ms = step["predicted_ns"] / MS
    axes.axhline(predicted_ms, color="black", linestyle="--", linewidth=1,
                 label=f"predicted, {predicted_ms:,.0f} ms")
    longest_ms = max(s["duration_ns"] for s in step["measured"]) / MS
    axes.set_ylim(0, 1.35 * max(longest_ms, predicted_ms))
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("step")
    axes.set_ylabel("ms")
    axes.legend(loc="upper right", ncol=4, fontsize=8, frameon=False)


def draw(step, path):
    pyplot = load_pyplot()
    with_measured = bool(step["measured"])
    heights = [3, 1, 2] if with_measured else [3, 1]
    figure, axes = pyplot.subplots(
        len(heights), 1, figsize=(11, 1.6 + 1.1 * sum(heights)), constrained_layout=True,
        gridspec_kw={"height_ratios": heights})
    figure.suptitle(step["title"], fontsize=11)
    draw_fast_memory(axes[0], step)
    draw_moves(axes[1], step)
    axes[1].sharex(axes[0])
    axes[0].set_xlim(0, step["times_ns"][-1] / MS)
    axes[0].tick_params(labelbottom=False)
    if with_measured:
        draw_measured(axes[2], step)
    for one in axes:
        one.spines[["top", "right"]].set_visible(False)
    save(figure, path)


if __name__ == "__main__":
    draw_file(draw, __doc__)
