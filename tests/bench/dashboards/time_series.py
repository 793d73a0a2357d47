"""Draws a panel of time series, with its scales, thresholds and legend.

    time_series.draw(rectangle, panel, data)
"""

import math

import colors
import units
from matplotlib.ticker import (FuncFormatter, LogLocator, MaxNLocator, MultipleLocator,
                               NullFormatter)

SCALE_PX = 62
LEGEND_ROW_PX = 15
LEGEND_ROWS = 4
# Of letters in a legend.
CAPITAL_PX, LETTER_PX = 7.2, 5.6


def draw(rectangle, panel, data):
    series = data.series(panel)
    columns, rows = legend_shape(rectangle, series)
    axes = rectangle.inside(SCALE_PX, 4, 8, rows * LEGEND_ROW_PX + 24).axes()
    for number, line in enumerate(series):
        draw_line(axes, panel, line, colors.of_series(number))
    if not series:
        axes.text(0.5, 0.5, "No data", ha="center", va="center", color=colors.FAINT,
                  transform=axes.transAxes)
    draw_scales(axes, panel["fieldConfig"]["defaults"], series)
    draw_times(axes, data.duration_s())
    draw_legend(rectangle, series, columns, rows)


def draw_line(axes, panel, line, color):
    custom = panel["fieldConfig"]["defaults"]["custom"]
    changed = {change["id"]: change["value"]
               for override in panel["fieldConfig"]["overrides"]
               if override["matcher"] == {"id": "byFrameRefID",
                                          "options": line.reference}
               for change in override["properties"]}
    dashes = changed.get("custom.lineStyle", {}).get("dash")
    axes.plot(line.times_s, line.values, color=color, linewidth=1.2,
              dashes=[length / 2 for length in dashes] if dashes else (None, None))
    opacity = changed.get("custom.fillOpacity", custom["fillOpacity"])
    axes.fill_between(line.times_s, line.values, color=color, alpha=opacity / 100,
                      linewidth=0)


def draw_scales(axes, defaults, series):
    numbers = [value for line in series for value in line.numbers()]
    if defaults["custom"].get("scaleDistribution", {}).get("type") == "log":
        axes.set_yscale("log")
        decades = math.log10(max(numbers, default=1) / min(numbers, default=1))
        axes.yaxis.set_major_locator(
            LogLocator(10, subs=(1, 2, 5) if decades < 2 else (1,)))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        # Units that double grow by powers of 1024.
        power = 1
        while defaults["unit"] == "bytes" and power * 1024 <= max(numbers, default=0):
            power *= 1024
        low, high = axes.get_ylim()
        low = defaults.get("min", low)
        high = high if max(numbers, default=0) > 0 or low < 0 else 1
        axes.set_ylim(low, high)
        ticks = MaxNLocator(5).tick_values(low / power, high / power)
        axes.set_yticks([tick * power for tick in ticks
                         if low <= tick * power <= high])
    draw_thresholds(axes, defaults)
    axes.yaxis.set_major_formatter(
        FuncFormatter(lambda value, _: units.text(value, defaults["unit"])))
    axes.tick_params(which="both", labelsize=7, colors=colors.FAINT, length=0)
    axes.grid(color=colors.GRID, linewidth=0.6)
    for side in axes.spines.values():
        side.set_visible(False)


def draw_thresholds(axes, defaults):
    style = defaults["custom"].get("thresholdsStyle", {}).get("mode", "off")
    for step in defaults.get("thresholds", {}).get("steps", ()) if style != "off" else ():
        if step["value"] is not None and colors.NAMED[step["color"]]:
            axes.axhline(step["value"], color=colors.NAMED[step["color"]], linewidth=0.8,
                         dashes=(4, 3))


def draw_times(axes, duration_s):
    axes.set_xlim(0, duration_s)
    axes.xaxis.set_major_locator(MultipleLocator(60))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda s, _: f"{round(s / 60)}:00"))


def legend_shape(rectangle, series):
    """Returns how many columns and rows the legend of these has."""
    if not series:
        return 1, 0
    widest_px = 26 + max(width_px(line.name) for line in series)
    columns = max(1, int(rectangle.width // widest_px))
    return columns, min(LEGEND_ROWS, math.ceil(len(series) / columns))


def width_px(name):
    return sum(CAPITAL_PX if letter.isupper() else LETTER_PX for letter in name)


def draw_legend(rectangle, series, columns, rows):
    """Draws what fits; Grafana has the rest behind a scroll bar."""
    canvas = rectangle.canvas()
    column_px = rectangle.width / columns
    for number, line in enumerate(series[:columns * rows]):
        x = number % columns * column_px
        y = rectangle.height - (rows - number // columns - 0.5) * LEGEND_ROW_PX
        canvas.plot([x, x + 12], [y, y], color=colors.of_series(number), linewidth=2.2,
                    solid_capstyle="butt")
        canvas.text(x + 17, y, line.name, fontsize=7, va="center", color=colors.TEXT)
