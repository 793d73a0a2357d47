"""Draws one panel of a dashboard: a row's title, a stat, a table or time series.

    panels.draw(rectangle, panel, recorded.Data(record, {"A": query}))
"""

import colors
import tables
import time_series
import units

TITLE_PX = 26


def draw(rectangle, panel, data):
    if panel["type"] == "row":
        rectangle.canvas().text(2, rectangle.height / 2, f"∨  {panel['title']}",
                                fontsize=9.5, va="center", color=colors.TEXT,
                                weight="bold")
        return
    canvas = rectangle.canvas(face=colors.PANEL, edge=colors.EDGE)
    canvas.text(8, TITLE_PX / 2, panel["title"], fontsize=8.5, va="center",
                color=colors.TEXT, weight="bold")
    kinds = {"stat": draw_stat, "table": tables.draw, "timeseries": time_series.draw}
    kinds[panel["type"]](rectangle.inside(8, TITLE_PX, 8, 6), panel, data)


def draw_stat(rectangle, panel, data):
    defaults = panel["fieldConfig"]["defaults"]
    series = data.series(panel)
    value = series[0].last() if series else None
    color = colors.TEXT
    if panel["options"]["colorMode"] != "none":
        color = colors.of_threshold(defaults, value)
    if series and panel["options"]["graphMode"] == "area":
        draw_spark_line(rectangle.inside(0, rectangle.height * 0.55, 0, 0), series[0],
                        color)
    rectangle.canvas().text(
        rectangle.width / 2, rectangle.height * 0.35,
        units.text(value, defaults["unit"], defaults.get("decimals")), fontsize=19,
        ha="center", va="center", color=color)


def draw_spark_line(rectangle, series, color):
    axes = rectangle.axes()
    axes.axis("off")
    axes.fill_between(series.times_s, series.values, color=color, alpha=0.15, linewidth=0)
    axes.plot(series.times_s, series.values, color=color, linewidth=0.8)
    axes.set_xlim(0, series.times_s[-1])
    axes.set_ylim(bottom=0)
