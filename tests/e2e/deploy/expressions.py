"""Reads the expressions of deploy/, and which metrics they use.

    for expression in expressions.of_dashboards():
        print(expression.where, expression.promql)
    expressions.metrics_of("sum(rate(stowaged_rpcs_total[5m]))")
"""

import dataclasses
import json
import os
import re
from pathlib import Path

SOURCE_DIR = Path(
    os.environ.get("STOWAGE_SOURCE_DIR", Path(__file__).resolve().parents[3]))
RULES_DIR = SOURCE_DIR / "deploy/prometheus"
DASHBOARDS_DIR = SOURCE_DIR / "deploy/grafana"

# What Grafana puts in the place of its variables.
VARIABLES = {"$instance": ".+", "$job": ".+", "$__rate_interval": "5m", "$__range": "5m"}


@dataclasses.dataclass(frozen=True)
class Expression:
    where: str
    promql: str
    # The labels that its legend shows.
    legend: frozenset = frozenset()


def dashboards():
    """Returns the dashboards by the names of their files."""
    return {path.name: json.loads(path.read_text(encoding="utf-8"))
            for path in sorted(DASHBOARDS_DIR.glob("*.json"))}


def of_dashboards():
    """Returns each expression of each panel, as Grafana would send it."""
    return [Expression(f"{name}: {panel['title']}", interpolated(target["expr"]),
                       frozenset(re.findall(r"{{(\w+)}}", target["legendFormat"])))
            for name, dashboard in dashboards().items()
            for panel in dashboard["panels"]
            for target in panel.get("targets", ())]


def interpolated(promql, **intervals):
    """Puts values for variables; `intervals` has others for those of Grafana."""
    values = VARIABLES | {f"$__{name}": value for name, value in intervals.items()}
    for variable, value in values.items():
        promql = promql.replace(variable, value)
    return promql


def rules(kind):
    """Returns the rules that have the key `kind`: "record" or "alert"."""
    import yaml  # Not everywhere; who has none of it skips.
    found = []
    for path in sorted(RULES_DIR.glob("stowage.*.yaml")):
        groups = yaml.safe_load(path.read_text(encoding="utf-8"))["groups"]
        found += [rule for group in groups for rule in group["rules"] if kind in rule]
    return found


def of_rules(kind):
    return [Expression(rule[kind], rule["expr"]) for rule in rules(kind)]


def metrics_of(promql):
    """Returns the names of metrics and recorded series in an expression."""
    # Words in quotes, in braces and behind "by" are labels and their values.
    bare = re.sub(r'"(\\.|[^"\\])*"', "", promql)
    return set(re.findall(r"\b(?:\w+:\w+:\w+|stowage\w+|up|ALERTS)\b", bare))
