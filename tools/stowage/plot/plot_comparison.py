#!/usr/bin/env python3
"""Draws relative performance over the share of fast memory.

    plot_comparison.py ROWS.json PICTURE.svg

`stowage compare --plot` calls this. ROWS.json is what `stowage compare
--format json` prints; the picture's name ends in .svg or .png.
"""

from picture import draw_file, load_pyplot, save

COLUMNS = 3
MOST_TICKS = 6  # at the limits themselves; more would overlap
MARKERS = "osDv^<>pPX*hd"


def panels_of(rows):
    """Returns {(graph, system): rows}, in the order of the rows."""
    panels = {}
    for row in rows:
        panels.setdefault((row["graph"], row["system"]), []).append(row)
    return panels


def draw_panel(axes, title, rows, styles):
    for policy, style in styles.items():
        points = sorted((row["fast_ratio"], row["relative_performance"]) for row in rows
                        if row["policy"] == policy and row["error"] is None)
        if points:
            axes.plot(*zip(*points), label=policy, linewidth=1.2, markersize=4, **style)
    bounds = sorted({(row["fast_ratio"], row["relative_performance"] * (1 + row["gap"]))
                     for row in rows if row["error"] is None and row["gap"] is not None})
    if bounds:
        axes.plot(*zip(*bounds), color="black", linestyle=":", linewidth=1.2,
                  label="what no plan exceeds")
    axes.axhline(1, color="#9e9e9e", linewidth=0.8)
    axes.set_title(" on ".join(title), fontsize=9)
    axes.set_ylim(0, 1.05)
    shares = sorted({row["fast_ratio"] for row in rows})
    if len(shares) <= MOST_TICKS:
        axes.set_xticks(shares)
    axes.xaxis.set_major_formatter(lambda share, _: f"{100 * share:.3g} %")
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)


def draw(rows, path):
    pyplot = load_pyplot()
    panels = panels_of(rows)
    policies = list(dict.fromkeys(row["policy"] for row in rows))
    colors = pyplot.get_cmap("tab20").colors
    styles = {policy: {"color": colors[2 * i % 20 + i // 10 % 2],
                       "linestyle": "-" if i < 20 else "--",
                       "marker": MARKERS[i % len(MARKERS)]}
              for i, policy in enumerate(policies)}
    columns = min(COLUMNS, len(panels))
    lines = -(-len(panels) // columns)
    figure, grid = pyplot.subplots(lines, columns, figsize=(4.2 * columns, 3.2 * lines + 0.8),
                                   squeeze=False, constrained_layout=True)
    for axes in grid.flat[len(panels):]:
        axes.set_visible(False)
    labels = {}
    for axes, (title, panel) in zip(grid.flat, panels.items()):
        draw_panel(axes, title, panel, styles)
        for line, label in zip(*axes.get_legend_handles_labels()):
            labels.setdefault(label, line)
    figure.supxlabel("fast memory, share of the graph's tensor peak", fontsize=9)
    figure.supylabel("performance relative to everything fast", fontsize=9)
    if labels:
        figure.legend(labels.values(), labels.keys(), fontsize=8, ncols=min(6, len(labels)),
                      loc="upper center", bbox_to_anchor=(0.5, 0), frameon=False)
    save(figure, path, bbox_inches="tight")


if __name__ == "__main__":
    draw_file(draw, __doc__)
