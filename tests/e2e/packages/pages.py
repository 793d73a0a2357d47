"""Reads what pages of the documentation tell their readers to type.

    pages.blocks("docs/quickstart.md", "One machine, in five minutes")   # ["tools/...", ...]
"""

import pathlib
import re

SOURCE_DIR = pathlib.Path(__file__).resolve().parents[3]


def blocks(page, heading):
    """Returns the blocks of code below a heading, up to the next one of its level."""
    text = (SOURCE_DIR / page).read_text()
    section = re.search(rf"^## {re.escape(heading)}$(.*?)(?=^## |\Z)", text, re.M | re.S)
    return re.findall(r"^```\w*\n(.*?)^```$", section.group(1), re.M | re.S)
