"""Shares what the scripts that draw have in common.

    from picture import draw_file, load_pyplot

Each script is called as SCRIPT DATA.json PICTURE, where the picture's name ends in
.svg or .png.
"""

import json
import sys


def load_pyplot():
    """Returns matplotlib's pyplot, without a display. Exits if it is missing."""
    try:
        import matplotlib
    except ImportError:
        sys.exit("matplotlib is missing; install it: apt install python3-matplotlib")
    matplotlib.use("Agg")
    # The same data gives the same bytes.
    matplotlib.rcParams["svg.hashsalt"] = "stowage"
    from matplotlib import pyplot

    return pyplot


def save(figure, path, **options):
    """Writes the figure. An SVG gets no time of day."""
    metadata = {"Date": None} if str(path).endswith(".svg") else None
    figure.savefig(path, dpi=130, metadata=metadata, **options)


def draw_file(draw, usage):
    """Serves as main() of a script: draws the data and writes the picture."""
    if len(sys.argv) != 3:
        sys.exit(usage)
    with open(sys.argv[1], encoding="utf-8") as file:
        data = json.load(file)
    draw(data, sys.argv[2])
