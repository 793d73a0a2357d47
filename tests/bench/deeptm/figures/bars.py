"""Bars of policies side by side, the same color for the same policy everywhere."""

COLORS = {"deeptm": "#d62728", "deeptm-sync": "#d62728", "deeptm-async": "#ff9896",
          "deeptm-heat-sync": "#8c564b", "deeptm-heat": "#c49c94", "first-touch": "#c7c7c7",
          "sentinel": "#2ca02c", "sentinel-gpu": "#2ca02c", "autotm-sync": "#9467bd",
          "autotm-async": "#9467bd", "belady": "#17becf", "annealed-search": "#1f77b4"}
WIDTH = 0.85


def draw_bars(axes, heights, names, published=None):
    """`heights`: {policy: values, one a name}; None is no bar but a dash.

    `published`: a policy and the paper's values for it, marked across its bars.
    """
    width = WIDTH / len(heights)
    for i, (policy, values) in enumerate(heights.items()):
        places = [x + (i - (len(heights) - 1) / 2) * width for x in range(len(names))]
        axes.bar(places, [value or 0 for value in values], width, color=COLORS[policy],
                 label=policy)
        for place, value in zip(places, values):
            if value is None:
                axes.text(place, 0, "–", ha="center", va="bottom", fontsize=8,
                          color=COLORS[policy])
        if published and policy == published[0]:
            axes.hlines(published[1], [p - width / 2 for p in places],
                        [p + width / 2 for p in places], color="black", linewidth=2.5,
                        label=f"{policy} of the paper")
    axes.set_xticks(range(len(names)), names, fontsize=8)
    axes.tick_params(axis="y", labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
