"""Figure 17: the least fast memory for 90 % of full speed, batch 128 and 512."""

import statistics

import page
import paper
import results
from bars import draw_bars
from fig16 import SEED, SYSTEM, ratio_training
from picture import load_pyplot, save
from workload import Case, MODELS, RATIOS

WANTED = 0.9
GRID = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7)
# AutoTM's ILP takes seconds a plan.
COARSE_GRID = (0.1, 0.2, 0.3, 0.4, 0.5)
BATCHES = (512, 128)
PLANNERS = ("first-touch", "sentinel", "annealed-search")
AUTOTM = "autotm-sync"
AUTOTM_SECONDS = 3
# Trainings whose policies are tried at every ratio of the grid.
TRAINED = {512: ("1:4", "1:2"), 128: ("1:4",)}


class Figure:
    number = "17"

    def __init__(self, workload, arguments):
        self._keys = [(model, batch) for batch in BATCHES for model in arguments.models]
        self._planned, self._applied = {}, {}
        for model, batch in self._keys:
            case = Case(model, batch, SYSTEM, RATIOS["1:4"])
            self._planned[model, batch] = [
                workload.compare(case, ",".join(PLANNERS), GRID, label="grid"),
                workload.compare(case, AUTOTM, COARSE_GRID, AUTOTM_SECONDS, "grid-autotm")]
            self._applied[model, batch] = [
                workload.apply(case, self._training(workload, model, batch, ratio, arguments.beta),
                               GRID) for ratio in TRAINED[batch]]
        self.steps = [step for key in self._keys
                      for step in (*self._planned[key], *self._applied[key])]

    @staticmethod
    def _training(workload, model, batch, ratio, beta):
        if batch == 512:
            return ratio_training(workload, model, ratio, beta)
        return workload.train(Case(model, batch, SYSTEM, RATIOS[ratio]), beta, SEED)

    def section(self, runner):
        found = {key: self._least(runner, key) for key in self._keys}
        return page.Section("Figure 17: least fast memory for 90 % of full speed", _body(found),
                            _claims(found), lambda path: _draw(found, path), "deeptm-fig17.svg")

    def _least(self, runner, key):
        """{policy: the least share of the grid, or None}."""
        planned = [runner.result(step) for step in self._planned[key]]
        applied = [runner.result(step) for step in self._applied[key]]
        found = {policy: least_ratio(planned, policy) for policy in (*PLANNERS, AUTOTM)}
        return {"deeptm": least_ratio(applied, "deeptm"), **found}


def least_ratio(outcomes, policy):
    enough = [row["fast_ratio"] for result in outcomes for row in results.rows(result)
              if row["policy"] == policy and row["error"] is None and
              row["relative_performance"] >= WANTED]
    return min(enough) if enough else None


def _share(value):
    return "–" if value is None else f"{100 * value:.0f} %"


def _body(found):
    lines = []
    for (model, batch), row in found.items():
        there = paper.FIGURE_17[model] if batch == 512 else None
        lines.append((MODELS[model], batch, *(_share(value) for value in row.values()),
                      page.percent(there)))
    return ("`optane`, the least of " + ", ".join(f"{100 * r:.0f}" for r in GRID) +
            " % of the peak; a dash means that none of them is enough. The DQN that was trained at "
            "1:4 (at batch 512 also that of 1:2) plans at all of these limits, and the best counts. "
            f"The paper would train at every limit. AutoTM has {AUTOTM_SECONDS} s a plan, and only "
            "the limits of whole tenths up to 50 %.\n\n" +
            page.table(("model", "batch", *next(iter(found.values())), "the paper's DeepTM"),
                       lines))


def _claims(found):
    claims = []
    for model in {key[0]: None for key in found}:
        here, there = found[model, 512]["deeptm"], paper.FIGURE_17[model]
        verdict = page.CONTRADICTED if here is None or here > there + 0.05 else page.REPRODUCED
        claims.append(page.Claim(f"{MODELS[model]}, batch 512: DRAM for 90 %",
                                 page.percent(there), _share(here), verdict))
    for batch, savings in paper.FIGURE_17_SAVED.items():
        for rival, there in zip(("sentinel", AUTOTM), savings):
            claims.append(_saved_claim(found, batch, rival, there))
    return claims


def _saved_claim(found, batch, rival, there):
    pairs = [(row[rival], row["deeptm"]) for key, row in found.items() if key[1] == batch]
    saved = [other - ours for other, ours in pairs if None not in (other, ours)]
    text = f"batch {batch}: DRAM saved over {rival}, mean, of the peak"
    if not saved:
        return page.Claim(text, page.percent(there), "–: not both of them reach 90 %",
                          page.CONTRADICTED)
    mean = statistics.fmean(saved)
    verdict = (page.REPRODUCED if mean >= there else
               page.SMALLER if mean > 0 else page.CONTRADICTED)
    return page.Claim(text, page.percent(there),
                      f"{page.percent(mean)} on the {len(saved)} of {len(pairs)} where both do",
                      verdict)


def _draw(found, path):
    pyplot = load_pyplot()
    figure, grid = pyplot.subplots(1, len(BATCHES), figsize=(10, 3.4), sharey=True,
                                   constrained_layout=True)
    for axes, batch in zip(grid, BATCHES):
        rows = {model: row for (model, b), row in found.items() if b == batch}
        heights = {policy: [row[policy] and 100 * row[policy] for row in rows.values()]
                   for policy in next(iter(rows.values()))}
        draw_bars(axes, heights, [MODELS[model] for model in rows],
                  ("deeptm", [100 * paper.FIGURE_17[model] for model in rows])
                  if batch == 512 else None)
        axes.set_title(f"batch {batch} (– not reached)", fontsize=9)
    grid[0].set_ylabel("fast memory, % of the peak", fontsize=9)
    grid[0].legend(fontsize=7, frameon=False, ncols=3, loc="upper center",
                   bbox_to_anchor=(0.5, -0.08))
    save(figure, path)
