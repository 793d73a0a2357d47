#!/usr/bin/env python3
"""Draws how a DQN policy learnt: reward, loss and step time by episode.

    plot_training.py TRAINING.json PICTURE.svg

`stowage train --plot` calls this. TRAINING.json is what
tools/stowage/train/training_summary.cc writes; the picture's name ends in .svg or
.png.
"""

from picture import draw_file, load_pyplot, save

MS = 1_000_000
WINDOW = 10
RAW = "#b0c4de"
SMOOTH = "#1f77b4"
LINES = {"deeptm": ("#d62728", "-"), "first-touch": ("#9e9e9e", ":"),
         "lru": ("#2ca02c", "-."), "belady": ("black", "--")}


def smoothed(values):
    """Returns the mean of each value and up to WINDOW - 1 values before it."""
    return [sum(values[max(0, i + 1 - WINDOW):i + 1]) / min(i + 1, WINDOW)
            for i in range(len(values))]


def draw_curve(axes, points, label):
    if not points:
        return
    numbers, values = zip(*points)
    axes.plot(numbers, values, color=RAW, linewidth=0.8)
    axes.plot(numbers, smoothed(values), color=SMOOTH, linewidth=1.5,
              label=f"mean of {WINDOW} episodes")
    axes.set_ylabel(label)
    axes.legend(loc="best", fontsize=8, frameon=False)


def draw_plans(axes, plans):
    for plan in plans:
        color, style = LINES[plan["policy"]]
        axes.axhline(plan["step_time_ns"] / MS, color=color, linestyle=style, linewidth=1.2,
                     label=f"plan of {plan['policy']}, {plan['step_time_ns'] / MS:,.1f} ms")
    axes.legend(loc="best", ncol=2, fontsize=8, frameon=False)


def draw(training, path):
    pyplot = load_pyplot()
    figure, (reward, loss, step) = pyplot.subplots(
        3, 1, figsize=(9, 9), sharex=True, constrained_layout=True)
    figure.suptitle(training["title"], fontsize=11)
    episodes = training["episodes"]
    draw_curve(reward, [(e["episode"], e["reward"]) for e in episodes], "reward")
    draw_curve(loss, [(e["episode"], e["loss"]) for e in episodes if e["loss"] > 0], "loss")
    draw_curve(step, [(e["episode"], e["step_time_ns"] / MS) for e in episodes
                      if e["step_time_ns"] > 0], "step, ms")
    draw_plans(step, training["plans"])
    step.set_xlabel("episode")
    for axes in (reward, loss, step):
        axes.spines[["top", "right"]].set_visible(False)
    save(figure, path)


if __name__ == "__main__":
    draw_file(draw, __doc__)
