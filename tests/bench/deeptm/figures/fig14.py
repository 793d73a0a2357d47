"""Figure 14: performance at 1:4, CPU alone and with a GPU, beside the others."""

import dataclasses

import page
import paper
import results
from bars import draw_bars
from picture import load_pyplot, save
from workload import Case, MODELS, RATIOS

AUTOTM_SECONDS = 30


@dataclasses.dataclass(frozen=True)
class Scenario:
    """One half of the figure."""
    title: str
    system: str
    batch: int
    policies: tuple  # without training
    modes: tuple     # of the DQN


CPU = Scenario("CPU alone (`optane`)", "optane", 512,
               ("first-touch", "sentinel", "deeptm-heat-sync", "deeptm-heat", "belady", "annealed-search"),
               ("sync", "async"))
GPU = Scenario("with a GPU (`gpu-pcie`)", "gpu-pcie", 128,
               ("sentinel-gpu", "deeptm-heat", "belady", "annealed-search"), ("async",))
AUTOTM = {"optane": "autotm-sync", "gpu-pcie": "autotm-async"}


def case_of(scenario, model, least_ratio):
    """1:4, or the least that works where one kernel needs more."""
    return Case(model, scenario.batch, scenario.system, max(RATIOS["1:4"], least_ratio))


def planners(workload, scenario, case):
    return workload.compare(case, ",".join(scenario.policies), label="planners")


def autotm(workload, case):
    return workload.compare(case, AUTOTM[case.system], time_limit=AUTOTM_SECONDS)


class Figure:
    number = "14"

    def __init__(self, workload, arguments):
        self._models = arguments.models
        self._parts = [_Part(scenario, workload, arguments) for scenario in (CPU, GPU)]
        self.steps = [step for part in self._parts for step in part.steps]

    def section(self, runner):
        tables = [part.measure(runner) for part in self._parts]
        bodies = "\n\n".join(part.body(found) for part, found in zip(self._parts, tables))
        claims = _cpu_claims(tables[0]) + _gpu_claims(tables[1])
        return page.Section("Figure 14: performance at 1:4", bodies, claims,
                            lambda path: _draw(self._parts, tables, path), "deeptm-fig14.svg")


class _Part:
    """The steps of one scenario, and its performances by model and policy."""

    def __init__(self, scenario, workload, arguments):
        self.scenario = scenario
        self._cases = {model: case_of(scenario, model,
                                      arguments.least_ratio(model, scenario.batch, scenario.system))
                       for model in arguments.models}
        self._plans = {model: planners(workload, scenario, case)
                       for model, case in self._cases.items()}
        self._autotm = {model: autotm(workload, case) for model, case in self._cases.items()}
        self._applied = {(model, mode): [
            workload.apply(case, workload.train(case, arguments.beta, seed, mode == "sync"))
            for seed in arguments.seeds]
                         for model, case in self._cases.items() for mode in scenario.modes}
        self.steps = [*self._plans.values(), *self._autotm.values(),
                      *(step for steps in self._applied.values() for step in steps)]

    def measure(self, runner):
        """{model: {policy: performances, one a seed}}; None where there is none."""
        found = {}
        for model in self._cases:
            plans = runner.result(self._plans[model])
            row = {policy: [results.value(plans, policy)] for policy in self.scenario.policies}
            name = AUTOTM[self.scenario.system]
            row[name] = [results.value(runner.result(self._autotm[model]), name)]
            for mode in self.scenario.modes:
                row[f"deeptm-{mode}"] = [results.value(runner.result(step), "deeptm")
                                         for step in self._applied[model, mode]]
            found[model] = row
        return found

    def body(self, found):
        scenario = self.scenario
        columns = list(next(iter(found.values())))
        lines = []
        for model, row in found.items():
            cells = [page.with_spread(row[policy]) for policy in columns]
            if scenario is CPU:
                place = columns.index("deeptm-sync")
                cells[place] += f" [{paper.FIGURE_14[model]}]"
            ratio = self._cases[model].ratio
            label = MODELS[model] + ("" if ratio < 0.201 else f" at {page.percent(ratio)}")
            lines.append((label, *cells))
        return (f"**{scenario.title[0].upper()}{scenario.title[1:]}**, batch {scenario.batch}: "
                "performance relative to everything fast." +
                (" The paper's in brackets." if scenario is CPU else
                 " A kernel that needs more than 1:4, since nothing can be used in host memory, "
                 "gets the least that works.") + "\n\n" + page.table(("model", *columns), lines))


def _best(performances):
    known = [value for value in performances if value is not None]
    return sum(known) / len(known) if known else None


def _gains(found, policy, others):
    """Returns the gain of the policy's mean over the best of the others, by model."""
    gains = []
    for row in found.values():
        rivals = [_best(row[other]) for other in others if _best(row[other]) is not None]
        gains.append(page.relative_gain(_best(row[policy]), max(rivals) if rivals else None))
    return gains


def _cpu_claims(found):
    without = ("deeptm-heat-sync", "sentinel", "autotm-sync")
    origin = [gain + 1 for gain in _gains(found, "deeptm-async", ("first-touch",))
              if gain is not None]
    mean = sum(origin) / len(origin) if origin else None
    return [
        _level_claim(found),
        page.gain_claim("sync over Sentinel", _gains(found, "deeptm-sync", ("sentinel",)),
                        *paper.GAIN_SENTINEL),
        page.gain_claim("sync over AutoTM", _gains(found, "deeptm-sync", ("autotm-sync",)),
                        *paper.GAIN_AUTOTM),
        page.Claim("async over Origin-TF, times on average", f"{paper.TIMES_ORIGIN}",
                   page.number(mean),
                   page.UNKNOWN if mean is None else page.REPRODUCED
                   if mean >= paper.TIMES_ORIGIN else page.SMALLER if mean > 1 else
                   page.CONTRADICTED),
        page.gain_claim("what DRL adds, sync, over heat alone",
                        _gains(found, "deeptm-sync", ("deeptm-heat-sync",)), *paper.GAIN_DRL_SYNC),
        page.gain_claim("the same, over the best optimiser without DRL",
                        _gains(found, "deeptm-sync", without), *paper.GAIN_DRL_SYNC),
        page.gain_claim("what DRL adds, async, over heat alone",
                        _gains(found, "deeptm-async", ("deeptm-heat",)), *paper.GAIN_DRL_ASYNC),
        page.Claim("planners of the whole step: `annealed-search` over async", "not compared",
                   page.span(_gains(found, "annealed-search", ("deeptm-async",))), "–"),
        _room_claim("room above Sentinel", found, "sentinel")]


def _room_claim(text, found, policy):
    """Returns what everything fast would gain: no policy gains more."""
    reached = [_best(row[policy]) for row in found.values()]
    return page.Claim(text, "–", page.span([1 / value - 1 for value in reached if value]), "–")


def _level_claim(found):
    pairs = [(_best(row["deeptm-sync"]), paper.FIGURE_14[model]) for model, row in found.items()]
    pairs = [pair for pair in pairs if pair[0] is not None]
    reached = sum(here >= there for here, there in pairs)
    verdict = (page.UNKNOWN if not pairs else page.REPRODUCED if reached == len(pairs) else
               page.CONTRADICTED)
    return page.Claim("sync, relative to infinite DRAM",
                      page.span(paper.FIGURE_14.values(), page.number),
                      page.span([here for here, _ in pairs], page.number) +
                      f"; as much on {reached} of {len(pairs)}", verdict)


def _gpu_claims(found):
    return [
        page.gain_claim("GPU: async over Sentinel-GPU",
                        _gains(found, "deeptm-async", ("sentinel-gpu",)), *paper.GAIN_SENTINEL_GPU),
        page.gain_claim("GPU: async over AutoTM",
                        _gains(found, "deeptm-async", ("autotm-async",)), *paper.GAIN_AUTOTM_GPU),
        page.Claim("GPU: planners of the whole step, `annealed-search` over async", "not compared",
                   page.span(_gains(found, "annealed-search", ("deeptm-async",))), "–"),
        _room_claim("GPU: room above Sentinel-GPU", found, "sentinel-gpu")]


def _draw(parts, tables, path):
    pyplot = load_pyplot()
    figure, grid = pyplot.subplots(len(parts), 1, figsize=(10, 6.4), constrained_layout=True)
    for axes, part, found in zip(grid, parts, tables):
        heights = {policy: [_best(row[policy]) for row in found.values()]
                   for policy in next(iter(found.values()))}
        draw_bars(axes, heights, [MODELS[model] for model in found],
                  ("deeptm-sync", [paper.FIGURE_14[model] for model in found]))
        axes.set_title(part.scenario.title.replace("`", ""), fontsize=9)
        axes.set_ylim(0, 1.05)
        axes.legend(fontsize=7, frameon=False, ncols=5, loc="upper center",
                    bbox_to_anchor=(0.5, -0.08))
    figure.supylabel("performance relative to everything fast", fontsize=9)
    save(figure, path)
