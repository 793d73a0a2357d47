"""Draws every dashboard of deploy/grafana from what record.py has recorded.

    python3 tests/bench/dashboards/draw.py build/dashboards.json docs/pictures

Layout, titles, units, legends, thresholds and the kinds of panels are those of the files;
the fonts are not Grafana's.
"""

import io
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "e2e/deploy"))

import matplotlib  # noqa: E402

matplotlib.use("Agg")

import colors  # noqa: E402
import expressions  # noqa: E402
import panels  # noqa: E402
import recorded  # noqa: E402
import rectangle  # noqa: E402
from matplotlib import pyplot  # noqa: E402
from PIL import Image  # noqa: E402

DPI = 100
COLUMN_PX, ROW_PX = 58, 30
COLUMNS = 24
MARGIN_PX, GAP_PX, TITLE_PX = 8, 6, 36


class Page:
    """A picture with room for the panels of a dashboard."""

    def __init__(self, dashboard):
        rows = max(panel["gridPos"]["y"] + panel["gridPos"]["h"]
                   for panel in dashboard["panels"])
        self.width_px = COLUMNS * COLUMN_PX + 2 * MARGIN_PX
        self.height_px = rows * ROW_PX + 2 * MARGIN_PX + TITLE_PX
        self.figure = pyplot.figure(
            figsize=(self.width_px / DPI, self.height_px / DPI), dpi=DPI,
            facecolor=colors.PAGE)
        self.figure.text(MARGIN_PX / self.width_px,
                         1 - (MARGIN_PX + TITLE_PX / 2) / self.height_px,
                         dashboard["title"], fontsize=13, va="center")

    def place(self, at):
        """Returns where a panel is, in pixels."""
        return rectangle.Rectangle(
            self.figure, at["x"] * COLUMN_PX + MARGIN_PX,
            at["y"] * ROW_PX + MARGIN_PX + TITLE_PX, at["w"] * COLUMN_PX - GAP_PX,
            at["h"] * ROW_PX - GAP_PX)

    def write(self, path):
        drawn = io.BytesIO()
        self.figure.savefig(drawn, dpi=DPI)
        pyplot.close(self.figure)
        # A palette is a third as large as colours for each pixel.
        Image.open(drawn).convert("RGB").quantize(256).save(path, optimize=True)


def draw(name, dashboard, record, path):
    page = Page(dashboard)
    for panel in dashboard["panels"]:
        queries = {target["refId"]: record["queries"][
            f"{name} {panel['id']} {target['refId']}"]
                   for target in panel.get("targets", ())}
        panels.draw(page.place(panel["gridPos"]), panel,
                    recorded.Data(record, queries))
    page.write(path)


def main():
    record = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    for name, dashboard in expressions.dashboards().items():
        draw(name, dashboard, record,
             Path(sys.argv[2]) / f"dashboard-{name.removesuffix('.json')}.png")


if __name__ == "__main__":
    main()
