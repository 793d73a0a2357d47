"""Figure 4: tensors kept in fast memory by one characteristic alone (VGG-19)."""

import math
import statistics

import page
from paper import FIGURE_4 as THERE
from picture import load_pyplot, save
from steps import Step
from workload import Case, RATIOS

CASE = Case("vgg19", 512, "optane", RATIOS["1:4"])
SINGLE = ("lifetime", "size", "frequency", "recency")


class Figure:
    number = "4"

    def __init__(self, workload, arguments):
        training = workload.train(CASE, arguments.beta, 1, synchronous=True)
        self._study = Step(
            "characteristics",
            (workload.characteristics, "--system", CASE.system, "--ratio", f"{CASE.ratio:.6f}",
             "--dqn", training.produces, workload.graph_path(CASE.model, CASE.batch)), (training,))
        self.steps = [self._study] if CASE.model in arguments.models else []

    def section(self, runner):
        result = runner.result(self._study)
        strategies = result["output"]["strategies"] if result else []
        means = {s["name"]: statistics.fmean(_known(s)) for s in strategies}
        return page.Section(
            "Figure 4: one characteristic of tensors alone", _body(strategies, means),
            _claims(strategies, means), (lambda path: _draw(strategies, path)) if strategies else
            None, "deeptm-fig04.svg")


def _known(strategy):
    return [share for share in strategy["shares"] if share is not None]


def _misses(strategy):
    """Returns the share of kernels that find less than all of their inputs fast."""
    shares = _known(strategy)
    return sum(share < 0.999 for share in shares) / len(shares)


def _body(strategies, means):
    if not strategies:
        return "Not run."
    lines = [(s["name"], page.percent(means[s["name"]]), page.percent(_misses(s)),
              page.number(s["step_time_ns"] / 1e9, 4)) for s in strategies]
    return ("VGG-19, batch 512, 1:4, moves before the kernels. The shares are those of a kernel's "
            "inputs that are in DRAM. One characteristic has a weight of 1 and the others have 0; "
            "`heat` weighs all four and adjusts the weights (Algorithm 1); `deeptm` is the DQN. "
            "`sentinel` and `annealed-search` are planners that look at the whole step.\n\n" +
            page.table(("by", "mean over kernels", "kernels that miss something", "step, s"),
                       lines))


def _claims(strategies, means):
    if not strategies:
        return []
    misses = [_misses(s) for s in strategies if s["name"] in SINGLE]
    best = max(SINGLE, key=means.get)
    rest = {name: means[name] for name in means if name not in SINGLE}
    claims = [page.Claim(THERE["inconsistent"], "drawn, no number",
                         f"{page.span(misses)} of the kernels miss an input",
                         page.REPRODUCED if min(misses) > 0 else page.CONTRADICTED)]
    for name in ("heat (Algorithm 1)", "deeptm"):
        claims.append(page.Claim(
            THERE["all four"].format(name), "drawn, no number",
            f"{page.percent(rest[name])} of the inputs fast, against {page.percent(means[best])} "
            f"by {best}", page.REPRODUCED if rest[name] > means[best] else page.CONTRADICTED))
    return claims


def _draw(strategies, path):
    pyplot = load_pyplot()
    figure, grid = pyplot.subplots(-(-len(strategies) // 3), 3, figsize=(10, 5), sharex=True,
                                   sharey=True, squeeze=False, constrained_layout=True)
    for axes in grid.flat[len(strategies):]:
        axes.set_visible(False)
    for axes, strategy in zip(grid.flat, strategies):
        shares = [math.nan if share is None else 100 * share for share in strategy["shares"]]
        axes.stairs(shares, color="#1f77b4", alpha=0.5, fill=True)
        axes.set_title(strategy["name"], fontsize=9)
        axes.set_ylim(0, 100)
        axes.tick_params(labelsize=8)
        axes.spines[["top", "right"]].set_visible(False)
    figure.supxlabel("kernel", fontsize=9)
    figure.supylabel("inputs in fast memory, %", fontsize=9)
    save(figure, path)
