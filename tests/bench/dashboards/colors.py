"""The colours of Grafana's light theme.

    colors.of_threshold(panel["fieldConfig"]["defaults"], 0.3)
"""

TEXT, FAINT, TITLE = "#24292e", "#70757a", "#1f60c4"
PAGE, PANEL, EDGE, GRID = "#f4f5f5", "white", "#d8d9da", "#e9eaeb"
NAMED = {"green": "#37872d", "yellow": "#d68f00", "orange": "#fa6400", "red": "#e02f44",
         "transparent": None}
SERIES = ["#7eb26d", "#eab839", "#6ed0e0", "#ef843c", "#e24d42", "#1f78c1", "#ba43a9",
          "#705da0", "#508642", "#cca300"]


def of_series(number):
    return SERIES[number % len(SERIES)]


def of_threshold(defaults, value):
    """Returns the colour of the highest step that a number reaches."""
    color = TEXT
    for step in defaults.get("thresholds", {}).get("steps", ()):
        if value is not None and (step["value"] is None or value >= step["value"]):
            color = NAMED[step["color"]]
    return color
