"""Figure 15: what DeepTM and the ILP cost before training runs, time and memory."""

import page
import paper
import results
from bars import draw_bars
from fig14 import AUTOTM_SECONDS, CPU, autotm, case_of, planners
from picture import load_pyplot, save
from workload import MODELS

PAPER_GAP = 0.01  # AutoTM's own: Gurobi's gap


class Figure:
    number = "15"

    def __init__(self, workload, arguments):
        cases = {model: case_of(CPU, model, arguments.least_ratio(model, CPU.batch, CPU.system))
                 for model in arguments.models}
        self._trainings = {model: workload.train(case, arguments.beta, arguments.seeds[0],
                                                 synchronous=True)
                           for model, case in cases.items()}
        self._applied = {model: workload.apply(case, self._trainings[model])
                         for model, case in cases.items()}
        self._ilps = {model: autotm(workload, case) for model, case in cases.items()}
        self._planned = {model: planners(workload, CPU, case) for model, case in cases.items()}
        self.steps = [*self._applied.values(), *self._ilps.values(), *self._planned.values()]

    def section(self, runner):
        found = {model: self._measure(runner, model) for model in self._ilps}
        return page.Section("Figure 15: overhead", _body(found), _claims(found),
                            lambda path: _draw(found, path), "deeptm-fig15.svg")

    def _measure(self, runner, model):
        training = runner.result(self._trainings[model])
        ilp, planned = (runner.result(steps[model]) for steps in (self._ilps, self._planned))
        trained = training["output"] if training else None
        return {
            "deeptm_s": training["cpu_seconds"] if trained else None,
            "deeptm_mb": training["peak_rss_bytes"] / 1e6 if trained else None,
            "decide_s": results.value(runner.result(self._applied[model]), "deeptm",
                                      "planning_seconds"),
            "ilp_s": ilp["cpu_seconds"] if results.row(ilp, "autotm-sync") else None,
            "ilp_mb": _megabytes(ilp, "autotm-sync"),
            "ilp_gap": results.value(ilp, "autotm-sync", "solver_gap"),
            "sentinel_s": results.value(planned, "sentinel", "planning_seconds"),
            "sentinel_mb": _megabytes(planned, "sentinel")}


def _megabytes(result, policy):
    value = results.value(result, policy, "planning_peak_rss_bytes")
    return None if value is None else value / 1e6


def _body(found):
    lines = [(MODELS[model], *(page.number(row[column]) for column in (
        "deeptm_s", "decide_s", "deeptm_mb", "ilp_s", "ilp_gap", "ilp_mb", "sentinel_s",
        "sentinel_mb"))) for model, row in found.items()]
    return ("Batch 512, 1:4, `optane`. DeepTM's time is that of training from scratch and, apart "
            "from it, that of the plan made with the trained network. AutoTM has CBC instead of "
            f"Gurobi and {AUTOTM_SECONDS} s of the clock; if its gap is above {PAPER_GAP}, which "
            "AutoTM's authors let Gurobi reach, its time is a lower bound. Memory is the "
            "peak resident size of the process, libraries and graph included (LibTorch for DeepTM). "
            "Seconds are CPU time of the whole command (for Sentinel, of its plan).\n\n" +
            page.table(("model", "DeepTM, s", "plan, s", "DeepTM, MB", "ILP, s", "ILP's gap",
                        "ILP, MB", "Sentinel, s", "Sentinel, MB"), lines))


def _ratio(row, column):
    if row is None or row[f"ilp_{column}"] is None or row[f"deeptm_{column}"] is None:
        return None
    return row[f"ilp_{column}"] / row[f"deeptm_{column}"]


def _times_claim(text, there, ratio, is_bound):
    if ratio is None:
        return page.Claim(text, f"{there}", "–", page.UNKNOWN)
    verdict = (page.REPRODUCED if ratio >= there else "open" if is_bound else
               page.SMALLER if ratio > 1 else page.CONTRADICTED)
    return page.Claim(text, f"{there}", ("at least " if is_bound else "") + page.number(ratio),
                      verdict)


def _claims(found):
    row = found.get("resnet152")
    unsolved = row is not None and (row["ilp_gap"] is None or row["ilp_gap"] > PAPER_GAP)
    times = [r["deeptm_s"] for r in found.values() if r["deeptm_s"] is not None]
    growth = max(times) / min(times) if times else None
    sentinel = [r["sentinel_s"] for r in found.values() if r["sentinel_s"] is not None]
    return [
        _times_claim("ResNet: time of AutoTM over DeepTM's", paper.FIGURE_15_TIME,
                     _ratio(row, "s"), unsolved),
        _times_claim("ResNet: memory of AutoTM over DeepTM's", paper.FIGURE_15_MEMORY,
                     _ratio(row, "mb"), unsolved),
        page.Claim("DeepTM's overhead stays about the same whatever the model",
                   "relatively stable", f"the longest training takes {page.number(growth)} times "
                   "the shortest", page.UNKNOWN if growth is None else
                   page.REPRODUCED if growth < 2 else page.CONTRADICTED),
        page.Claim("Sentinel adds little to no overhead", "none",
                   f"{page.span(sentinel, page.number)} s",
                   page.UNKNOWN if not sentinel else page.REPRODUCED if times and
                   max(sentinel) < min(times) else page.CONTRADICTED)]


def _draw(found, path):
    pyplot = load_pyplot()
    figure, panels = pyplot.subplots(1, 2, figsize=(10, 3.4), constrained_layout=True)
    for axes, column, label in zip(panels, ("s", "mb"), ("time, s", "peak memory, MB")):
        heights = {policy: [row[f"{prefix}_{column}"] for row in found.values()]
                   for policy, prefix in (("deeptm", "deeptm"), ("autotm-sync", "ilp"),
                                          ("sentinel", "sentinel"))}
        axes.set_yscale("log")
        draw_bars(axes, heights, [MODELS[model] for model in found])
        axes.set_ylabel(label, fontsize=9)
    panels[0].legend(fontsize=8, frameon=False, ncols=len(heights), loc="lower center",
                     bbox_to_anchor=(0.5, 1))
    save(figure, path)
