"""Draws what tests/bench/deeptm/run.sh writes to --curve, and says what converges.

    python3 tests/bench/deeptm/curves.py build/deeptm_curve.csv docs/pictures/deeptm-learning.svg

Reward and loss by episode, one line per seed. Prints, per training, the mean
reward of the first and the last ten episodes, from when on it stays there (as
figure 13's page defines it), the range of the last twenty, and how many of the
episodes that are all greedy ended early.
"""

import collections
import csv
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[1:1] = [str(FOLDER / "figures"), str(FOLDER.parents[2] / "tools/stowage/plot")]

import results  # pylint: disable=wrong-import-position
from picture import load_pyplot, save  # pylint: disable=wrong-import-position


def read(path):
    """Returns episodes by graph and seed, in order."""
    curves = collections.defaultdict(lambda: collections.defaultdict(list))
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            curves[row["graph"]][row["seed"]].append(row)
    return curves


def column(episodes, name):
    return [float(episode[name]) for episode in episodes]


def describe(graph, seed, episodes):
    reward = column(episodes, "reward")
    means = results.smoothed(reward)
    greedy = [e for e in episodes if float(e["greedy_probability"]) == 1]
    early = sum(e["out_of_memory"] == "1" for e in greedy)
    last = reward[-20:]
    print(f"{graph}, seed {seed}: {means[results.WINDOW - 1]:.0f} to {means[-1]:.0f}, "
          f"at {results.convergence(reward)}; last 20 {min(last):.0f} to {max(last):.0f}; "
          f"{early} of {len(greedy)} greedy episodes ended early")


def draw(curves, path):
    figure, grid = load_pyplot().subplots(
        2, len(curves), figsize=(2.6 * len(curves) + 0.6, 4.4), sharex=True, squeeze=False,
        constrained_layout=True)
    for axes, (graph, trainings) in zip(grid.T, curves.items()):
        axes[0].set_title(graph, fontsize=9)
        for seed, episodes in trainings.items():
            for part, name in zip(axes, ("reward", "loss")):
                part.plot(column(episodes, "episode"), column(episodes, name), linewidth=0.9,
                          label=f"seed {seed}")
        for part in axes:
            part.tick_params(labelsize=7)
            part.spines[["top", "right"]].set_visible(False)
    for part, name in zip(grid[:, 0], ("reward", "loss")):
        part.set_ylabel(name, fontsize=9)
    grid[0][0].legend(fontsize=7, frameon=False)
    figure.supxlabel("episode", fontsize=9)
    save(figure, path)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    curves = read(sys.argv[1])
    for graph, trainings in curves.items():
        for seed, episodes in trainings.items():
            describe(graph, seed, episodes)
    draw(curves, sys.argv[2])


if __name__ == "__main__":
    main()
