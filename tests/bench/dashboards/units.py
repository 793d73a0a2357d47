"""Writes numbers as Grafana does, by the unit of a panel.

    units.text(0.034, "s")      # "34 ms"
    units.text(1 << 20, "bytes")  # "1 MiB"
"""

import math

MISSING = "–"


def digits(value, decimals=None):
    """Returns a number with three digits that count, or all of a whole one.

    `decimals` says otherwise how many stand behind the point.
    """
    if decimals is not None:
        return f"{value:.{decimals}f}"
    if value == round(value) and abs(value) < 1e6:
        return str(round(value))
    places = max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{value:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def scaled(value, base, names):
    """Returns a number in the largest unit that leaves it at least 1."""
    power = 0
    while abs(value) >= base and power < len(names) - 1:
        value, power = value / base, power + 1
    return f"{digits(value)} {names[power]}".rstrip()


def seconds(value):
    for unit_s, name in ((31557600, "years"), (86400, "days"), (3600, "hours"),
                         (60, "mins"), (1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if abs(value) >= unit_s:
            return f"{digits(value / unit_s)} {name}"
    return "0 s"


PER_UNIT = {
    "bytes": lambda v: scaled(v, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]),
    "Bps": lambda v: scaled(v, 1000, ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"]),
    "ops": lambda v: scaled(v, 1000, ["", "K", "Mil"]) + " ops/s",
    "percentunit": lambda v: digits(100 * v) + "%",
    "reqps": lambda v: scaled(v, 1000, ["", "K", "Mil"]) + " req/s",
    "s": seconds,
}


def text(value, unit, decimals=None):
    if value is None or math.isnan(value):
        return MISSING
    if decimals is not None and unit == "short":
        return digits(value, decimals)
    write = PER_UNIT.get(unit, lambda v: scaled(v, 1000, ["", "K", "Mil", "Bil"]))
    return write(value) if value else write(0)
