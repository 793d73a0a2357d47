"""Keeps docs/measurements.md: one section for each benchmark.

    write_section(Path("docs/measurements.md"), "ResNet-50", command, pairs(rows))

A section is replaced when its benchmark runs again; the others stay.
"""

import datetime
import os
import platform
import re

HEADER = """# Measurements

Everything here was measured by the command that stands above it, on the machine
named beside it. `tools/bench.sh` runs them again. Values are the median, with
the lowest and the highest in parentheses.
"""


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = re.findall(r"^model name\s*: (.*)$", file.read(), re.M)
    with open("/proc/meminfo", encoding="utf-8") as file:
        memory_kib = int(re.search(r"MemTotal:\s*(\d+)", file.read()).group(1))
    return (f"{models[0] if models else platform.machine()}, "
            f"{os.cpu_count()} cores, {memory_kib / (1 << 20):.0f} GiB, "
            f"Linux {platform.release().split('-')[0]}")


def pairs(rows):
    """Returns the lines of a table of names and values."""
    return ["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)]


def section(title, command, lines):
    day = datetime.date.today().isoformat()
    table = "\n".join(lines)
    return (f"## {title}\n\n`{command.strip()}`  \n{machine()}; {day}\n\n{table}\n")


def write_section(path, title, command, lines):
    text = path.read_text(encoding="utf-8") if path.exists() else HEADER
    parts = re.split(r"(?m)^(?=## )", text)
    new = section(title, command, lines)
    kept = [p for p in parts if not p.startswith(f"## {title}\n")]
    path.write_text("\n".join(p.rstrip() + "\n" for p in [*kept, new]),
                    encoding="utf-8")
