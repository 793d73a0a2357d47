"""Figure 18: bandwidth with and without the aggregator, by the real migrator."""

import statistics
import sys

import page
import paper
from steps import Step
from workload import SOURCE_DIR

sys.path.insert(0, str(SOURCE_DIR / "tests/bench/aggregation"))
import aggregation  # pylint: disable=wrong-import-position

BELOW_BYTES = (64 << 10, 1 << 20)
TIERS = "emulated:optane,file:/tmp,dram"
ROUNDS = 9
OPTANE = "emulated:optane"


class Figure:
    number = "18"

    def __init__(self, workload, _):
        self.steps = [Step(f"migrate-below-{below}",
                           (workload.migrate, "--tiers", TIERS, "--below_bytes", str(below),
                            "--rounds", str(ROUNDS), aggregation.GRAPH), alone=True)
                      for below in BELOW_BYTES]

    def section(self, runner):
        found = [runner.result(step) for step in self.steps]
        found = [result["output"] for result in found if result]
        return page.Section("Figure 18: bandwidth with and without the aggregator", _body(found),
                            _claims(found),
                            (lambda path: aggregation.draw(found[-1], path)) if found else None,
                            "deeptm-fig18.svg")


def _body(found):
    lines = []
    for result in found:
        for lane in aggregation.lines(result):
            plain, together = ([100 * share for share in shares]
                               for shares in lane["utilisation"])
            lines.append((f"{result['below_bytes'] >> 10} KiB", lane["tier"], lane["direction"],
                          *map(page.with_spread, (plain, together, lane["ratios"]))))
    return ("Measured, not simulated: the agent's migrator carries out a plan in which every small "
            "tensor of ResNet-152 leaves fast memory while it is idle longest "
            "([the aggregator's page](policies-deeptm-aggregation.md)). Shares are of the bandwidth "
            f"of 16 MiB copies on the same tier, with median and extremes of {ROUNDS} rounds. "
            "Optane is emulated, since the host has none.\n\n" +
            page.table(("tensors below", "tier", "direction", "one by one, %", "aggregated, %",
                        "ratio"), lines))


def _claims(found):
    lanes = [lane for result in found for lane in aggregation.lines(result)
             if lane["tier"] == OPTANE]
    if not lanes:
        return []
    plain, together = ([statistics.median(lane["utilisation"][i]) for lane in lanes]
                       for i in (0, 1))
    ratios = [statistics.median(lane["ratios"]) for lane in lanes]
    there = paper.FIGURE_18
    return [
        page.Claim("utilisation with the aggregator, Optane", f"above {page.percent(there[0])}",
                   page.span(together), page.REPRODUCED if max(together) > there[0] else
                   page.CONTRADICTED),
        page.Claim("utilisation without, Optane", f"{page.percent(there[1])} on average",
                   page.span(plain), "–"),
        page.Claim("aggregated over one by one", page.number(there[0] / there[1]),
                   page.span(ratios, page.number), page.REPRODUCED if
                   min(ratios) >= there[0] / there[1] else page.SMALLER if min(ratios) > 1 else
                   page.CONTRADICTED),
        page.Claim("the aggregator makes DeepTM migrate more (kernels 800 to 900)", "more",
                   "never: it joins moves and adds none", page.CONTRADICTED)]
