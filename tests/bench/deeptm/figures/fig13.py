"""Figure 13: reward and loss of the training, by episode, for three betas."""

import page
import results
from paper import FIGURE_13 as THERE
from fig16 import BETAS, beta_training
from picture import load_pyplot, save
from workload import MODELS

EPISODES = 200  # of a training, table II
COLORS = {0.25: "#2ca02c", 0.5: "#ff7f0e", 0.75: "#1f77b4"}


class Figure:
    number = "13"

    def __init__(self, workload, arguments):
        self._trainings = {(model, beta): beta_training(workload, model, beta)
                           for model in arguments.models for beta in BETAS}
        self._models = arguments.models
        self.steps = list(self._trainings.values())

    def section(self, runner):
        curves = {key: results.episodes(runner.result(step))
                  for key, step in self._trainings.items()}
        curves = {key: episodes for key, episodes in curves.items() if episodes}
        return page.Section("Figure 13: convergence of reward and loss",
                            _body(self._models, curves), _claims(self._models, curves),
                            (lambda path: _draw(self._models, curves, path)) if curves else None,
                            "deeptm-fig13.svg")


def _series(episodes, column):
    """Returns episode numbers and values; a loss of 0 means no learning."""
    points = [(e["episode"], e[column]) for e in episodes if column != "loss" or e["loss"] > 0]
    return [list(values) for values in zip(*points)] or [[], []]


def _converged(curves, model, column):
    return [results.convergence(_series(curves[model, beta], column)[1])
            for beta in BETAS if (model, beta) in curves]


def _episode(found):
    if found is None:
        return "–"
    return "not in time" if found == results.NEVER else str(found)


def _change(values):
    """Returns the means of the first and the last episodes."""
    means = results.smoothed(values)
    return f"{page.number(means[results.WINDOW - 1])} to {page.number(means[-1])}"


def _body(models, curves):
    lines = []
    for model in models:
        for beta in BETAS:
            episodes = curves.get((model, beta), [])
            if len(episodes) <= results.WINDOW:
                lines.append((MODELS[model], f"{beta:g}", len(episodes), "–", "–", "–", "–"))
                continue
            reward, loss = (_series(episodes, column)[1] for column in ("reward", "loss"))
            lines.append((MODELS[model], f"{beta:g}", len(episodes), _change(reward),
                          _episode(results.convergence(reward)),
                          _change(loss) if loss else "–", _episode(results.convergence(loss))))
    return ("Batch 512 on `optane`, at most 1:2, moves beside the kernels. A curve converged at the "
            f"episode from which on the mean of {results.WINDOW} episodes stays within a tenth of "
            "its range of the last one; not in time means only in the last fifth of the episodes. "
            "Epsilon, the probability of the greedy action, rises over the first 150 of 200 "
            "episodes, and the reward with it. A curve that converges before that has nothing more "
            "to learn.\n\n" +
            page.table(("model", "beta", "episodes", "reward, first to last 10", "converged at",
                        "loss, first to last 10", "converged at"), lines))


def _claims(models, curves):
    claims = [_convergence_claim(model, curves) for model in models]
    rising = []
    for model, beta in curves:
        means = results.smoothed(_series(curves[model, beta], "reward")[1])
        rising.append(means[-1] > means[min(results.WINDOW, len(means)) - 1])
    claims.append(page.Claim(
        "reward convergence can be achieved for all models", "all",
        f"the reward rises in {sum(rising)} of {len(rising)} trainings",
        _all_or_some(rising)))
    ordered = [_rewards_in_order(model, curves) for model in models
               if all((model, beta) in curves for beta in BETAS)]
    claims.append(page.Claim(
        "a larger beta makes time count more: other average rewards", "rewards differ",
        f"the last rewards ascend with beta on {sum(ordered)} of {len(ordered)} models",
        _all_or_some(ordered)))
    return claims


def _all_or_some(found):
    if not found:
        return page.UNKNOWN
    return page.REPRODUCED if all(found) else page.CONTRADICTED


def _rewards_in_order(model, curves):
    last = [results.smoothed(_series(curves[model, beta], "reward")[1])[-1] for beta in BETAS]
    return last == sorted(last)


def _convergence_claim(model, curves):
    there = THERE[model]
    text = f"{MODELS[model]}: episodes until it converges"
    found = [max(pair) for pair in zip(_converged(curves, model, "reward"),
                                       _converged(curves, model, "loss")) if None not in pair]
    shown = f"{'over ' if there >= 300 else ''}{there}"
    if not found:
        return page.Claim(text, shown, "–", page.UNKNOWN)
    verdict = (page.REPRODUCED if max(found) <= there else "later" if there <= EPISODES else
               "more than 200 episodes there, too")
    return page.Claim(text, shown, page.span(found, _episode), verdict)


def _draw(models, curves, path):
    pyplot = load_pyplot()
    shown = [model for model in models if any(key[0] == model for key in curves)]
    figure, grid = pyplot.subplots(2, len(shown), figsize=(2.6 * len(shown) + 0.6, 4.4),
                                   sharex=True, squeeze=False, constrained_layout=True)
    for (upper, lower), model in zip(grid.T, shown):
        upper.set_title(MODELS[model], fontsize=9)
        for beta in BETAS:
            for axes, column in ((upper, "reward"), (lower, "loss")):
                numbers, values = _series(curves.get((model, beta), []), column)
                if values:
                    axes.plot(numbers, results.smoothed(values), color=COLORS[beta],
                              linewidth=1.2, label=f"beta {beta:g}")
        lower.set_yscale("log")
        for axes in (upper, lower):
            axes.tick_params(labelsize=7)
            axes.spines[["top", "right"]].set_visible(False)
    grid[0][0].set_ylabel("reward", fontsize=9)
    grid[1][0].set_ylabel("loss", fontsize=9)
    grid[0][0].legend(fontsize=7, frameon=False)
    figure.supxlabel(f"episode (means of {results.WINDOW})", fontsize=9)
    save(figure, path)
