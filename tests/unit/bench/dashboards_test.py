"""The pictures of dashboards: numbers, names and rows are as Grafana has them."""

import math
import os
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("STOWAGE_SOURCE_DIR", Path(__file__).resolve().parents[3]))
sys.path.insert(0, str(ROOT / "tests/bench/dashboards"))

import draw  # pylint: disable=wrong-import-position
import expressions  # pylint: disable=wrong-import-position
import recorded  # pylint: disable=wrong-import-position
import tables  # pylint: disable=wrong-import-position
import units  # pylint: disable=wrong-import-position

RECORD = {"begin_s": 1000, "end_s": 1010, "step_s": 2}
JOB = {"job_id": "a", "instance": "node1"}


def data_of(**queries):
    return recorded.Data(RECORD, {reference: {
        "range": [{"metric": labels, "values": values}],
        "instant": [{"metric": labels, "value": values[-1]}]
    } for reference, (labels, values) in queries.items()})


class DashboardsTest(unittest.TestCase):

    def test_numbers_stand_in_the_unit_of_their_panel(self):
        for value, unit, text in ((0.0345, "s", "34.5 ms"), (0, "s", "0 s"),
                                  (90, "s", "1.5 mins"), (24 << 20, "bytes", "24 MiB"),
                                  (1.5e6, "Bps", "1.5 MB/s"), (0.174, "percentunit",
                                                               "17.4%"),
                                  (0.25, "ops", "0.25 ops/s"), (12345, "short", "12.3 K"),
                                  (-64, "none", "-64"), (None, "s", "–"),
                                  (math.nan, "s", "–")):
            self.assertEqual(text, units.text(value, unit))
        self.assertEqual("43", units.text(43.1, "short", decimals=0))

    def test_a_series_has_gaps_where_there_was_no_sample(self):
        panel = {"targets": [{"refId": "A", "legendFormat": "limit {{job_id}}"}]}
        series, = data_of(A=(JOB, [[1000, "1"], [1004, "NaN"], [1006, "3"]])).series(panel)
        self.assertEqual("limit a", series.name)
        self.assertEqual([1, 3], series.numbers())
        self.assertEqual(3, series.last())
        self.assertEqual([True, False], [math.isnan(v) for v in series.values[2:4]])
        self.assertEqual(6, len(series.values))

    def test_names_are_those_that_the_panel_makes_of_them(self):
        panel = {"transformations": [{"id": "renameByRegex", "options": {
            "regex": r"stowage\.v1\.\w+/(.*)", "renamePattern": "$1"}}]}
        self.assertEqual("Place plan", recorded.renamed(
            panel, "stowage.v1.PlacementService/Place plan"))
        self.assertEqual("other", recorded.renamed(panel, "other"))

    def test_a_table_has_a_row_for_each_set_of_labels(self):
        panel = {"targets": [{"refId": "A"}, {"refId": "B"}], "transformations": [
            {"id": "organize", "options": {"renameByName": {"job_id": "Job"},
                                           "excludeByName": {"instance": True}}}]}
        data = data_of(A=(JOB, [[1010, "5"]]), B=(JOB, [[1010, "7"]]))
        rows = tables.rows_of(panel, data)
        self.assertEqual([{**JOB, "Value #A": 5, "Value #B": 7}], rows)
        self.assertEqual({"job_id": "Job", "Value #A": "Value #A", "Value #B": "Value #B"},
                         tables.titles_of(panel, rows))

    def test_every_dashboard_is_drawn_whether_or_not_it_has_data(self):
        labels = {**JOB, "method": "m", "code": "OK", "tier": "file"}
        sample = {"range": [{"metric": labels, "values": [[1000, "1"], [1010, "20"]]}],
                  "instant": [{"metric": labels, "value": [1010, "20"]}]}
        none = {"range": [], "instant": []}
        dashboards = expressions.dashboards()
        record = {**RECORD, "queries": {
            f"{name} {panel['id']} {target['refId']}": sample if panel["id"] % 2 else none
            for name, dashboard in dashboards.items()
            for panel in dashboard["panels"] for target in panel.get("targets", ())}}
        with tempfile.TemporaryDirectory() as folder:
            for name, dashboard in dashboards.items():
                path = Path(folder) / f"{name}.png"
                draw.draw(name, dashboard, record, path)
                self.assertLess(path.stat().st_size, 200_000)


if __name__ == "__main__":
    unittest.main(verbosity=2)
