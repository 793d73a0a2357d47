#!/usr/bin/env python3
"""Draws bandwidth over the size of copies. `stowage calibrate --plot` calls this.

    plot_calibration.py CALIBRATION.json PICTURE.svg

CALIBRATION.json is what tools/stowage/calibrate/calibration_text.h describes; the
picture's name ends in .svg or .png. Both axes are logarithmic, as in figure 1 of
DeepTM.
"""

from picture import draw_file, load_pyplot, save

CURVES = (("out", "#d62728", "out of {fast}"), ("in", "#1f77b4", "into {fast}"))
UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def size_text(size_bytes):
    unit_bytes, unit = next(u for u in UNITS if size_bytes >= u[0])
    return f"{size_bytes / unit_bytes:g} {unit}"


def draw(calibration, path):
    pyplot = load_pyplot()
    figure, axes = pyplot.subplots(figsize=(7, 4.5), constrained_layout=True)
    axes.set_title(f"{calibration['fast']} and {calibration['slow']}", fontsize=11)
    sizes = calibration["sizes"]
    sizes_bytes = [size["buffer_bytes"] for size in sizes]
    for direction, color, label in CURVES:
        for suffix, style, beside in (("", "-o", ""), ("_both_ways", "--s", ", both ways")):
            axes.plot(sizes_bytes,
                      [size[f"{direction}{suffix}_bytes_per_second"] / 1e9 for size in sizes],
                      style, color=color, markersize=4,
                      label=label.format(**calibration) + beside)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(sizes_bytes, [size_text(size) for size in sizes_bytes], fontsize=8)
    axes.set_xlabel("size of a copy")
    axes.set_ylabel("GB/s")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize=8, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    save(figure, path)


if __name__ == "__main__":
    draw_file(draw, __doc__)
