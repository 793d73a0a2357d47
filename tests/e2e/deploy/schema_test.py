"""Grafana's own types take every dashboard, and refuse what it does not know.

schema/dashboard.ts says which types; `tools/grafana_types.sh` installs them. Each
dashboard becomes a constant of such a type, and TypeScript's compiler judges.
"""

import copy
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import expressions

SCHEMA = Path(__file__).resolve().parent / "schema"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
MODULES = CACHE / "stowage/tools/grafana-types/node_modules"
# npm leaves it there, so it says which versions are installed.
INSTALLED = MODULES.parent / "package-lock.json"
PROGRAM = """import type {{ StowageDashboard }} from "./dashboard";
export const dashboard: StowageDashboard = {json};
"""


def missing():
    """Returns what the test needs and this machine has not."""
    if shutil.which("node") is None:
        return "node"
    wanted = (SCHEMA / "package-lock.json").read_bytes()
    if not INSTALLED.exists() or INSTALLED.read_bytes() != wanted:
        return "Grafana's types, which tools/grafana_types.sh installs"
    return ""


def defects():
    """Returns dashboards with one defect each, by what it is."""
    fleet = expressions.dashboards()["fleet.json"]
    stat, series = 0, 7

    def with_defect(change):
        broken = copy.deepcopy(fleet)
        change(broken)
        return broken

    return {
        "unknown_key": with_defect(lambda d: d.update(refreshes="30s")),
        "text_for_a_number": with_defect(lambda d: d.update(schemaVersion="38")),
        "unknown_kind_of_panel": with_defect(
            lambda d: d["panels"][stat].update(type="singlestat")),
        "unknown_option": with_defect(
            lambda d: d["panels"][stat]["options"].update(colourMode="value")),
        "unknown_value_of_an_option": with_defect(
            lambda d: d["panels"][stat]["options"].update(colorMode="colour")),
        "option_of_another_kind": with_defect(
            lambda d: d["panels"][series]["options"].update(showHeader=True)),
        "unknown_field_of_a_series": with_defect(
            lambda d: d["panels"][series]["fieldConfig"]["defaults"]["custom"].update(
                linewidth=1)),
        "query_without_an_expression": with_defect(
            lambda d: d["panels"][series]["targets"][0].pop("expr")),
        "query_in_an_unknown_format": with_defect(
            lambda d: d["panels"][series]["targets"][0].update(format="tables")),
        "threshold_without_a_colour": with_defect(
            lambda d: d["panels"][stat]["fieldConfig"]["defaults"]["thresholds"]
            ["steps"][0].pop("color")),
    }


@unittest.skipIf(missing(), f"needs {missing()}")
class SchemaTest(unittest.TestCase):

    def errors_of(self, dashboards):
        """Returns what the compiler says against each dashboard, by its name."""
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "node_modules").symlink_to(MODULES)
            for name in ("dashboard.ts", "package.json", "tsconfig.json"):
                shutil.copy(SCHEMA / name, folder)
            for name, dashboard in dashboards.items():
                text = PROGRAM.format(json=json.dumps(dashboard, indent=1))
                (folder / f"{name}.ts").write_text(text, encoding="utf-8")
            result = subprocess.run(
                ["node", MODULES / "typescript/bin/tsc", "--project", folder],
                cwd=folder, capture_output=True, text=True, check=False, timeout=300)
        errors = {name: [] for name in dashboards}
        for name, error in re.findall(r"^(\w+)\.ts\(.*?\): error (.*)$", result.stdout,
                                      re.M):
            errors[name].append(error)
        # Nothing is said but of dashboards.
        self.assertEqual(bool(sum(errors.values(), [])), result.returncode != 0,
                         result.stdout + result.stderr)
        return errors

    def test_grafana_takes_every_dashboard(self):
        dashboards = {name.removesuffix(".json"): dashboard
                      for name, dashboard in expressions.dashboards().items()}
        for name, errors in self.errors_of(dashboards).items():
            with self.subTest(name):
                self.assertEqual([], errors)

    def test_what_grafana_does_not_know_is_refused(self):
        for name, errors in self.errors_of(defects()).items():
            with self.subTest(name):
                self.assertNotEqual([], errors)


if __name__ == "__main__":
    unittest.main(verbosity=2)
