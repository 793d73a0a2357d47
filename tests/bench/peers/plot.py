"""Draws memory against step time: a panel for each job, a curve for each method.

    /usr/bin/python3 tests/bench/peers/plot.py peers.json peers.svg

peers.json is what run.py -o wrote.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools/stowage/plot"))

from picture import draw_file, load_pyplot, save  # pylint: disable=wrong-import-position

STYLES = {"alone": ("#000000", "*"), "stowage": ("#1f77b4", "o"), "swap": ("#d62728", "s"),
          "files": ("#ff7f0e", "D"), "checkpoint": ("#2ca02c", "^"),
          "alone-2": ("#7f7f7f", "*"), "compiled": ("#8c564b", "*"),
          "budget": ("#8c564b", "v"), "deepspeed": ("#9467bd", "P")}
LABELS = {"alone-2": "alone, PyTorch 2", "compiled": "compiled, PyTorch 2"}
BASES = (("alone", "Python and its libraries", ":"),
         ("alone-2", "Python and PyTorch 2", "--"))
COLUMNS = 2


def draw_panel(axes, job, rows):
    for method, (color, marker) in STYLES.items():
        points = sorted((row["peak_bytes"][0] / 1e6, row["ratio"][0]) for row in rows
                        if row["method"] == method and row["ratio"])
        if points:
            axes.plot(*zip(*points), color=color, marker=marker, label=LABELS.get(method, method),
                      linewidth=1.2, markersize=8 if marker == "*" else 4)
    for method, label, style in BASES:
        bases = [row["base_bytes"] for row in rows if row["method"] == method]
        if bases:
            axes.axvline(bases[0] / 1e6, color="#9e9e9e", linestyle=style, linewidth=1.2,
                         label=label)
    axes.axhline(1, color="#9e9e9e", linewidth=0.8)
    axes.set_title(job, fontsize=9)
    axes.set_xlim(left=0)
    axes.set_yscale("log", base=2)
    axes.yaxis.set_major_formatter(lambda ratio, _: f"{ratio:.3g}")
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)


def draw(measured, path):
    pyplot = load_pyplot()
    names = list(dict.fromkeys(row["job"] for row in measured["rows"]))
    columns = min(COLUMNS, len(names))
    lines = -(-len(names) // columns)
    figure, grid = pyplot.subplots(lines, columns, figsize=(4.6 * columns, 3.4 * lines + 0.8),
                                   squeeze=False, constrained_layout=True)
    for axes in grid.flat[len(names):]:
        axes.set_visible(False)
    for axes, name in zip(grid.flat, names):
        draw_panel(axes, name, [row for row in measured["rows"] if row["job"] == name])
    figure.supxlabel("most that the cgroup was charged, MB", fontsize=9)
    figure.supylabel("step time over alone", fontsize=9)
    labels = {}
    for axes in grid.flat[:len(names)]:
        labels.update(zip(*reversed(axes.get_legend_handles_labels())))
    figure.legend(labels.values(), labels.keys(), fontsize=8, ncols=3, loc="upper center",
                  bbox_to_anchor=(0.5, 0), frameon=False)
    save(figure, path, bbox_inches="tight")


if __name__ == "__main__":
    draw_file(draw, __doc__)
