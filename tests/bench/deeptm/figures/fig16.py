"""Figure 16: performance and price of memory for three betas, beside fixed ratios."""

import statistics

import page
import paper
import results
from picture import load_pyplot, save
from workload import Case, MODELS, RATIOS

BETAS = (0.25, 0.5, 0.75)
BATCH, SYSTEM = 512, "optane"
# With a beta the policy may use this much and chooses; without, it has all of a
# ratio and only time counts.
MOST = "1:2"
SEED = 1


def beta_training(workload, model, beta):
    return workload.train(Case(model, BATCH, SYSTEM, RATIOS[MOST]), beta, SEED)


def ratio_training(workload, model, ratio, beta):
    return workload.train(Case(model, BATCH, SYSTEM, RATIOS[ratio]), beta, SEED)


class Figure:
    number = "16"

    def __init__(self, workload, arguments):
        self._models = arguments.models
        self._applied = {}
        for model in arguments.models:
            for beta in BETAS:
                self._applied[model, f"beta {beta:g}"] = workload.apply(
                    Case(model, BATCH, SYSTEM, RATIOS[MOST]), beta_training(workload, model, beta))
            for ratio, share in RATIOS.items():
                self._applied[model, ratio] = workload.apply(
                    Case(model, BATCH, SYSTEM, share),
                    ratio_training(workload, model, ratio, arguments.beta))
        self.steps = list(self._applied.values())

    def section(self, runner):
        found = {key: results.row(runner.result(step), "deeptm")
                 for key, step in self._applied.items()}
        return page.Section("Figure 16: performance and price", _body(self._models, found),
                            _claims(self._models, found),
                            lambda path: _draw(self._models, found, path), "deeptm-fig16.svg")


def _settings():
    return [f"beta {beta:g}" for beta in BETAS] + list(RATIOS)


def _cell(row):
    if row is None:
        return "–"
    return f"{page.number(row['relative_performance'])}, ${row['memory_price']:.0f}"


def _body(models, found):
    lines = [(MODELS[model], *(_cell(found[model, setting]) for setting in _settings()))
             for model in models]
    return (f"Batch {BATCH}, `optane`, moves beside the kernels: performance relative to "
            f"everything fast, and the price of the memory used, each tier at its peak, at "
            f"${paper.PRICES[0]} and ${paper.PRICES[1]} a GB. With a beta, the DQN has up to "
            f"{MOST}, and its reward counts the price of what it uses. The ratios have "
            "beta = 1.\n\n"
            + page.table(("model", *_settings()), lines))


def _against(models, found, setting, column, other="1:4"):
    """Returns a column's means over models, relative to a fixed ratio, less 1."""
    gains = [page.relative_gain(found[model, setting][column], found[model, other][column])
             for model in models if found[model, setting] and found[model, other]]
    return statistics.fmean(gains) if gains else None


def _claims(models, found):
    claims = []
    for beta in BETAS:
        setting = f"beta {beta:g}"
        faster = _against(models, found, setting, "relative_performance")
        dearer = _against(models, found, setting, "memory_price")
        saved = None if dearer is None else -dearer
        if beta in paper.FIGURE_16_GAIN:
            claims.append(_gain_claim(setting, faster, dearer, paper.FIGURE_16_GAIN[beta],
                                      paper.FIGURE_16_COST[beta]))
        claims.append(_saved_claim(setting, paper.FIGURE_16_SAVINGS[beta], saved))
        if beta > 0.25:
            claims.append(_no_loss_claim(setting, saved, faster))
    return claims


def _gain_claim(setting, faster, dearer, gain, cost):
    text = f"{setting} over 1:4: performance, and price"
    there = f"{page.percent(gain)} for {page.percent(cost)} more"
    if faster is None:
        return page.Claim(text, there, "–", page.UNKNOWN)
    verdict = (page.REPRODUCED if faster >= gain and dearer <= cost else
               page.SMALLER if faster > max(dearer, 0) else page.CONTRADICTED)
    return page.Claim(text, there, f"{page.percent(faster)} for {page.percent(dearer)} more",
                      verdict)


def _saved_claim(setting, there, saved):
    text = f"{setting} over 1:4: price saved"
    if saved is None:
        return page.Claim(text, page.percent(there), "–", page.UNKNOWN)
    verdict = (page.REPRODUCED if saved >= there else
               page.SMALLER if saved > 0 else page.CONTRADICTED)
    return page.Claim(text, page.percent(there), page.percent(saved), verdict)


def _no_loss_claim(setting, saved, faster):
    there = f"up to {page.percent(paper.FIGURE_16_NO_LOSS)}, no loss"
    text = f"{setting} over 1:4: price saved with virtually no loss of performance"
    if saved is None or faster is None:
        return page.Claim(text, there, "–", page.UNKNOWN)
    verdict = page.REPRODUCED if saved > 0 and faster > -0.01 else page.CONTRADICTED
    return page.Claim(text, there, f"{page.percent(saved)}, performance {page.percent(faster)}",
                      verdict)


def _draw(models, found, path):
    pyplot = load_pyplot()
    figure, grid = pyplot.subplots(1, len(models), figsize=(2.8 * len(models) + 0.4, 3.2),
                                   sharey=True, squeeze=False, constrained_layout=True)
    for axes, model in zip(grid.flat, models):
        for names, color, marker in (([f"beta {b:g}" for b in BETAS], "#d62728", "o"),
                                     (list(RATIOS), "#1f77b4", "s")):
            points = [(found[model, n]["memory_price"], found[model, n]["relative_performance"], n)
                      for n in names if found[model, n]]
            if not points:
                continue
            axes.plot([p[0] for p in points], [p[1] for p in points], marker=marker, color=color,
                      linewidth=0.8, markersize=4)
            for price, performance, name in points:
                axes.annotate(name, (price, performance), fontsize=6, color=color,
                              xytext=(4, 3 if marker == "s" else -8), textcoords="offset points")
        axes.set_title(MODELS[model], fontsize=9)
        axes.tick_params(labelsize=7)
        axes.spines[["top", "right"]].set_visible(False)
    figure.supxlabel("price of the memory used, US dollars", fontsize=9)
    grid[0][0].set_ylabel("relative performance", fontsize=9)
    save(figure, path)
