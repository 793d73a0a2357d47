"""The Helm chart: rendered by helm, and decoded by the types of Kubernetes' API.

    objects = chart.render({"agent": {"enabled": False}})
    service = objects["Service", "stowage"]

Needs the tools of tools/go-tools.sh; without them the test ends with exit code 77.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

SOURCE_DIR = Path(os.environ["STOWAGE_SOURCE_DIR"])
BINARY_DIR = Path(os.environ["STOWAGE_BINARY_DIR"])
CHART = SOURCE_DIR / "helm" / "stowage"
RELEASE = "stowage"
NAMESPACE = "memory"
SKIPPED = 77


def find_tools():
    found = subprocess.run([SOURCE_DIR / "tools" / "go-tools.sh", "--find"],
                           capture_output=True, text=True, check=True)
    return Path(found.stdout.strip())


TOOLS = find_tools()


def require_tools():
    """Ends the test if there are no tools."""
    if not all((TOOLS / name).exists() for name in ("helm", "decode")):
        print(f"skipped: needs helm and decode in {TOOLS}; run tools/go-tools.sh")
        sys.exit(SKIPPED)


def helm(*arguments, values=None):
    """Runs helm with `values` on top of those of the chart; returns what it said."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        yaml.safe_dump(values or {}, file)
        file.flush()
        return subprocess.run(
            [TOOLS / "helm", *map(str, arguments), "--values", file.name,
             "--namespace", NAMESPACE],
            capture_output=True, text=True, check=False, timeout=120,
            env={**os.environ, "KUBECONFIG": "/dev/null"})


def manifests(values=None, *arguments):
    """Returns what the chart renders, in YAML."""
    rendered = helm("template", RELEASE, CHART, *arguments, values=values)
    if rendered.returncode != 0:
        raise AssertionError(f"{values}: {rendered.stderr}")
    return rendered.stdout


def decode(text, *arguments):
    """Runs the checker of manifests over `text`; returns what it prints."""
    decoded = subprocess.run([TOOLS / "decode", *arguments], input=text,
                             capture_output=True, text=True, check=False, timeout=60)
    if decoded.returncode != 0:
        raise AssertionError(decoded.stderr)
    return decoded.stdout


def render(values=None, *arguments):
    """Returns the objects that the chart renders, by kind and name."""
    objects = json.loads(decode(manifests(values, *arguments)))
    found = {(item["kind"], item["metadata"]["name"]): item for item in objects}
    if len(found) != len(objects):
        raise AssertionError(f"{values}: two objects have the same name")
    return found


def of_kind(objects, *kinds):
    return [item for (kind, _), item in objects.items() if kind in kinds]


def pod_of(item):
    """Returns the pod that an object is or makes: its labels and its specification."""
    template = item if item["kind"] == "Pod" else item["spec"]["template"]
    return template["metadata"].get("labels", {}), template["spec"]


def pods(objects):
    """Returns labels and specifications of all pods, by the object that makes them."""
    return {item["metadata"]["name"]: pod_of(item)
            for item in of_kind(objects, "Deployment", "DaemonSet", "Pod")}


def settings(objects, program):
    """Returns the configuration file of stowaged or stowage-agent: its text."""
    name = {"stowaged": RELEASE, "stowage-agent": f"{RELEASE}-agent"}[program]
    return objects["ConfigMap", name]["data"][f"{program}.conf"]


def setting_names(objects, program):
    return {line.split(" = ")[0] for line in settings(objects, program).splitlines()}


def notes(values=None):
    """Returns what helm prints after an installation, which it renders only then."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "stowage"
        shutil.copytree(CHART, copy)
        text = (copy / "templates/NOTES.txt").read_text()
        (copy / "templates/notes.yaml").write_text(
            '{{ define "notes" }}' + text + '{{ end }}\nkind: Notes\n'
            'text: {{ include "notes" . | toJson }}\n')
        rendered = helm("template", RELEASE, copy, "--show-only", "templates/notes.yaml",
                        values=values)
        if rendered.returncode != 0:
            raise AssertionError(rendered.stderr)
        return yaml.safe_load(rendered.stdout)["text"]
