"""The daemons take what the chart configures them with; the chart offers all flags."""

import functools
import json
import os
import re
import subprocess
import tempfile
import unittest

import yaml

import chart
import renderings

SHOWN = re.compile(r"^([a-z0-9-]+) = .*  # (\S+)$", re.M)
FLAG = re.compile(r"^  --([a-z0-9-]+)", re.M)
# Flags that the chart neither sets nor offers, and why.
NOT_OFFERED = {
    "stowaged": {
        "config": "names the file", "check-config": "ends the program",
        "version": "ends the program",
        "port-file": "for programs that start the service themselves",
        "trainer": "the image has it beside the service"},
    "stowage-agent": {
        "config": "names the file", "check-config": "ends the program",
        "version": "ends the program", "node": "the variable has the pod's node",
        "ready-file": "for programs that start the agent themselves",
        "system": "the agent measures tiers itself",
        "kubernetes-api": "the agent is a pod, and finds it as pods do",
        "kubernetes-token": "that of the pod's account",
        "kubernetes-ca": "that of the pod's account"},
}
PARTS = {"stowaged": "stowaged", "stowage-agent": "agent"}
SECRETS = {"STOWAGE_DB": "postgresql://stowage@db.example/stowage",
           "PGPASSWORD": "secret"}


def run(program, *arguments, variables=None):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("STOWAGE_")}
    return subprocess.run([chart.BINARY_DIR / "bin" / program, *arguments],
                          capture_output=True, text=True, check=False, timeout=60,
                          env={**kept, **(variables or {})})


def variables_of(container):
    """Returns the environment that a cluster would give to a container."""
    found = {}
    for item in container.get("env", []):
        source = item.get("valueFrom", {})
        if "secretKeyRef" in source:
            found[item["name"]] = SECRETS[item["name"]]
        elif "fieldRef" in source:
            found[item["name"]] = "node7"
        else:
            found[item["name"]] = item["value"]
    return found


def daemons():
    """Yields each daemon of each rendering: the name of the values, the program, its
    container and all objects."""
    for name, objects in renderings.all_of_them().items():
        for _, pod in chart.pods(objects).values():
            container = pod["containers"][0]
            program = container["command"][0]
            if program in PARTS:
                yield name, program, container, objects


@functools.cache
def flags_of(program):
    return set(FLAG.findall(run(program, "--help").stdout))


@functools.cache
def to_come(program):
    """Returns flags that neither the program has nor a page of docs/ tells of."""
    told = "".join(page.read_text() for page in (chart.SOURCE_DIR / "docs").glob("*.md"))
    known = set(NOT_OFFERED[program]).union(*(
        chart.setting_names(objects, running)
        for _, running, _, objects in daemons() if running == program))
    return {flag for flag in known - flags_of(program) if f"`--{flag}`" not in told}


class SettingsTest(unittest.TestCase):

    def test_the_daemons_accept_what_the_chart_renders(self):
        for name, program, container, objects in daemons():
            with self.subTest(name, program=program):
                if later := to_come(program) & chart.setting_names(objects, program):
                    self.skipTest(f"{program} has yet to come with {later}")
                stated = chart.settings(objects, program).splitlines()
                shown = self.check(program, "\n".join(stated), variables_of(container))
                for line in stated:
                    flag = line.split(" = ")[0]
                    self.assertEqual("the file", shown.get(flag), line)

    def check(self, program, text, variables):
        """Has a program check a configuration; returns who set each flag."""
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
            file.write(text)
            file.flush()
            checked = run(program, f"--config={file.name}", "--check-config",
                          variables=variables)
            self.assertEqual(0, checked.returncode, checked.stderr)
            return {flag: "the file" if source == file.name else source
                    for flag, source in SHOWN.findall(checked.stdout)}

    def test_the_daemons_take_the_variables_that_containers_have(self):
        for name, program, container, _ in daemons():
            with self.subTest(name, program=program):
                helped = run(program, "--help").stdout
                for variable in variables_of(container):
                    if variable.startswith("STOWAGE_"):
                        self.assertIn(f"(Env:{variable})", helped)

    def test_every_flag_is_set_by_the_chart_or_offered_or_known_not_to_be(self):
        schema = json.loads((chart.CHART / "values.schema.json").read_text())
        for program, part in PARTS.items():
            with self.subTest(program):
                properties = schema["properties"][part]["properties"]
                offered = set(properties["config"]["properties"])
                rendered = set().union(*(
                    chart.setting_names(objects, program)
                    for _, running, _, objects in daemons() if running == program))
                self.assertEqual(set(), set(NOT_OFFERED[program]) & (offered | rendered))
                self.assertEqual(flags_of(program), (
                    offered | rendered | set(NOT_OFFERED[program])) - to_come(program))

    def test_the_schema_does_not_take_what_the_chart_sets_itself(self):
        schema = json.loads((chart.CHART / "values.schema.json").read_text())
        plain = chart.render({"stowaged": {"config": {
            "planning-threads": None, "planning-memory-mib": None,
            "training-cores": None}}, "agent": {"config": {"socket-mode": None}}})
        for program, part in PARTS.items():
            properties = schema["properties"][part]["properties"]
            offered = set(properties["config"]["properties"])
            self.assertEqual(set(), offered & chart.setting_names(plain, program))

    def test_the_chart_is_of_the_version_of_the_programs(self):
        described = yaml.safe_load((chart.CHART / "Chart.yaml").read_text())
        version = run("stowaged", "--version").stdout.split()[-1]
        self.assertEqual((version, version),
                         (described["version"], described["appVersion"]))


if __name__ == "__main__":
    chart.require_tools()
    unittest.main()
