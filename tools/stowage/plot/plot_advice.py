#!/usr/bin/env python3
"""Draws how long a step takes with how much fast memory.

    plot_advice.py ADVICE.json PICTURE.svg

`stowage advise --plot` calls this. ADVICE.json is what `stowage advise --format json`
prints; the picture's name ends in .svg or .png.
"""

from picture import draw_file, load_pyplot, save

MIB = 1 << 20
GIB = 1 << 30


def unit_of(most_bytes):
    return (GIB, "GiB") if most_bytes >= 4 * GIB else (MIB, "MiB")


def draw_share_axis(axes, peak):
    """Repeats the axis of memory above the picture, as shares of the peak."""
    shares = axes.secondary_xaxis("top", functions=(lambda x: x / peak, lambda x: x * peak))
    shares.xaxis.set_major_formatter(lambda share, _: f"{100 * share:.3g} %")
    shares.tick_params(labelsize=8)


def draw_marks(axes, advice, seconds, unit):
    """Marks the knee, and the limits of the goals."""
    knee = advice["knee_bytes"]
    if knee in seconds:
        axes.plot([knee / unit], [seconds[knee]], marker="o", markersize=9, color="#c62828",
                  fillstyle="none", linestyle="none", label="knee")
    # Of several goals that one limit reaches, the highest.
    goals = {goal["fast_limit_bytes"]: goal["speed"]
             for goal in sorted(advice["goals"], key=lambda goal: goal["speed"])}
    for limit, speed in goals.items():
        if limit in seconds:
            axes.annotate(f"{100 * speed:.4g} %", (limit / unit, seconds[limit]),
                          textcoords="offset points", xytext=(4, 6), fontsize=8)


def draw(advice, path):
    pyplot = load_pyplot()
    points = advice["points"]
    unit, unit_name = unit_of(points[-1]["fast_limit_bytes"])
    seconds = {point["fast_limit_bytes"]: point["step_time_ns"] / 1e9 for point in points}
    limits = [limit / unit for limit in seconds]
    bounds = [min(point["lower_bound_ns"], point["step_time_ns"]) / 1e9 for point in points]
    figure, axes = pyplot.subplots(figsize=(6.4, 3.8), constrained_layout=True)
    axes.plot(limits, list(seconds.values()), marker="o", markersize=4, linewidth=1.4,
              color="#1565c0", label="predicted step")
    axes.plot(limits, bounds, color="black", linestyle=":", linewidth=1.2,
              label="no plan is faster")
    axes.axhline(advice["all_fast_ns"] / 1e9, color="#9e9e9e", linewidth=0.8,
                 label="everything fast")
    draw_marks(axes, advice, seconds, unit)
    axes.set_xlim(0, 1.03 * limits[-1])
    axes.set_ylim(0, 1.1 * max(seconds.values()))
    if advice["peak_bytes"] > 0:
        draw_share_axis(axes, advice["peak_bytes"] / unit)
    axes.set_xlabel(f"fast memory, {unit_name}", fontsize=9)
    axes.set_ylabel("step, s", fontsize=9)
    axes.set_title(f"{advice['graph']} on {advice['system']}", fontsize=10)
    axes.spines[["right"]].set_visible(False)
    axes.tick_params(labelsize=8)
    axes.legend(fontsize=8, frameon=False)
    save(figure, path)


if __name__ == "__main__":
    draw_file(draw, __doc__)
