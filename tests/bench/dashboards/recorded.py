"""What record.py has recorded for one panel.

    data = recorded.Data(record, {"A": query})
    for series in data.series(panel):
        series.values, series.last()
"""

import dataclasses
import math
import re


class Series:
    """One line, with a number or NaN at each step of the record."""

    def __init__(self, record, panel, target, result):
        begin_s, step_s = record["begin_s"], record["step_s"]
        self.reference = target["refId"]
        self.name = renamed(panel, re.sub(
            r"{{(\w+)}}", lambda label: result["metric"].get(label[1], ""),
            target["legendFormat"]))
        self.values = [math.nan] * (int((record["end_s"] - begin_s) / step_s) + 1)
        for time_s, value in result["values"]:
            self.values[round((time_s - begin_s) / step_s)] = float(value)
        self.times_s = [step_s * step for step in range(len(self.values))]

    def numbers(self):
        return [value for value in self.values if math.isfinite(value)]

    def last(self):
        """Returns the last number, which a stat shows; None: there is none."""
        numbers = self.numbers()
        return numbers[-1] if numbers else None


def renamed(panel, name):
    """Returns what the transformations of a panel make of the name of a series."""
    for change in panel.get("transformations", ()):
        if change["id"] == "renameByRegex":
            pattern = change["options"]["renamePattern"].replace("$", "\\")
            name = re.sub(f"^{change['options']['regex']}$", pattern, name)
    return name


@dataclasses.dataclass(frozen=True)
class Data:
    """What the queries of a panel came to, by their references."""
    record: dict
    queries: dict

    def series(self, panel):
        return [Series(self.record, panel, target, result)
                for target in panel["targets"]
                for result in self.queries[target["refId"]]["range"]]

    def duration_s(self):
        return self.record["end_s"] - self.record["begin_s"]
