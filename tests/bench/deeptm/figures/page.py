"""Markdown: tables, claims of the paper beside ours, and the page around them."""

import dataclasses
import statistics
import textwrap

REPRODUCED = "reproduced"
SMALLER = "same direction, smaller"
CONTRADICTED = "not reproduced"
UNKNOWN = "not run"


@dataclasses.dataclass
class Claim:
    """What the paper says, what we found, and what follows."""
    text: str
    there: str
    here: str
    verdict: str


def number(value, digits=3):
    """Returns three digits that count, or a dash where there is nothing."""
    if value is None:
        return "–"
    return f"{value:.{digits}g}" if abs(value) < 10**digits else f"{value:,.0f}"


def percent(value):
    return "–" if value is None else f"{100 * value:.1f} %"


def span(values, form=percent):
    """Returns the least and the most, or the one."""
    known = [value for value in values if value is not None]
    if not known:
        return "–"
    low, high = form(min(known)), form(max(known))
    return low if low == high else f"{low} to {high}"


def with_spread(values):
    """Returns the median, with the extremes if there are several values."""
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return number(known[0] if known else None)
    return f"{number(statistics.median(known))} ({span(known, number)})"


def table(head, rows):
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in (head, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


def wrapped(paragraph):
    """Returns a paragraph in lines, a table as it is."""
    if paragraph.startswith("|"):
        return paragraph
    return textwrap.fill(paragraph, 110, break_long_words=False, break_on_hyphens=False)


def claims_table(claims):
    return table(("the paper says", "there", "here", "verdict"),
                 [(c.text, c.there, c.here, c.verdict) for c in claims])


def gain_claim(text, gains, least, most):
    """Returns a claim that something is better by `least` to `most` on every model.

    It is reproduced if all of ours gain, and on average as much as the least
    there; it has the same direction if we gain on average."""
    known = [gain for gain in gains if gain is not None]
    there = span((least, most))
    if not known:
        return Claim(text, there, "–", UNKNOWN)
    mean = statistics.fmean(known)
    if min(known) > 0 and mean >= least:
        verdict = REPRODUCED
    else:
        verdict = SMALLER if mean > 0 else CONTRADICTED
    better = sum(gain > 0 for gain in known)
    here = f"{span(known)}, mean {percent(mean)}, above 0 on {better} of {len(known)}"
    return Claim(text, there, here, verdict)


def relative_gain(value, other):
    return None if value is None or not other else value / other - 1


@dataclasses.dataclass
class Section:
    """One figure's part of the page; `draw(path)` makes its picture."""
    title: str
    body: str
    claims: list
    draw: object = None
    picture: str = None

    def text(self, picture_folder):
        parts = [f"## {self.title}"]
        if self.draw:
            parts.append(f"![{self.title}]({picture_folder}/{self.picture})")
        parts += [wrapped(part) for part in self.body.split("\n\n")]
        if self.claims:
            parts.append(claims_table(self.claims))
        return "\n\n".join(parts)
