"""Draws a table of the last samples, as its transformations and units say.

    tables.draw(rectangle, panel, data)
"""

import colors
import units

ROW_PX = 22


def rows_of(panel, data):
    """Returns for each set of labels its fields: labels and values by name."""
    rows, several = {}, len(panel["targets"]) > 1
    for target in panel["targets"]:
        field = f"Value #{target['refId']}" if several else "Value"
        for result in data.queries[target["refId"]]["instant"]:
            row = rows.setdefault(tuple(sorted(result["metric"].items())),
                                  dict(result["metric"]))
            row[field] = float(result["value"][1])
    return list(rows.values())


def titles_of(panel, rows):
    """Returns the titles of the fields that are shown, in their order."""
    organize = {"excludeByName": {}, "renameByName": {}, "indexByName": {}}
    for change in panel.get("transformations", ()):
        if change["id"] == "organize":
            organize |= change["options"]
    fields = {field for row in rows for field in row
              if not organize["excludeByName"].get(field)}
    # Labels stand before values where nothing else is said.
    order = sorted(fields, key=lambda field: (organize["indexByName"].get(field, 99),
                                              field.startswith("Value"), field))
    return {field: organize["renameByName"].get(field, field) for field in order}


def draw(rectangle, panel, data):
    rows = rows_of(panel, data)
    titles = titles_of(panel, rows)
    overridden = {override["matcher"]["options"]: change["value"]
                  for override in panel["fieldConfig"]["overrides"]
                  for change in override["properties"] if change["id"] == "unit"}
    canvas = rectangle.canvas()
    column_px = rectangle.width / max(1, len(titles))
    shown = rows[:int(rectangle.height // ROW_PX) - 1]
    for number in range(len(shown)):
        y = (number + 1) * ROW_PX
        canvas.plot([0, rectangle.width], [y, y], color=colors.GRID, linewidth=0.6)
    for column, (field, title) in enumerate(titles.items()):
        unit = overridden.get(title, panel["fieldConfig"]["defaults"]["unit"])
        cells = [title, *(text_of(row.get(field), unit) for row in shown)]
        for number, cell in enumerate(cells):
            canvas.text(column * column_px + 6, (number + 0.5) * ROW_PX, cell, fontsize=8,
                        va="center", color=colors.TEXT if number else colors.TITLE)


def text_of(cell, unit):
    return cell if isinstance(cell, str) else units.text(cell, unit)
