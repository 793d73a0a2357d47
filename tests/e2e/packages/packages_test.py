"""What the Debian packages of a build contain, need and claim.

    python3 packages_test.py          STOWAGE_BINARY_DIR names the build

tools/test-packages.sh installs them in a system of their own.
"""

import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import debs

SOURCE_DIR = pathlib.Path(
    os.environ.get("STOWAGE_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[3]))
BINARY_DIR = pathlib.Path(os.environ.get("STOWAGE_BINARY_DIR", SOURCE_DIR / "build"))

# What lintian says that is meant to be so.
EXPECTED_TAGS = {
    "no-changelog": "the history is in git",
    "maintscript-calls-ldconfig": "CPack does so for libraries",
    "package-name-doesnt-match-sonames": "the libraries are a plug-in and a guest",
    "shared-library-lacks-version": "they are of one release with the programs",
    "pkg-config-unavailable-for-cross-compilation": "one architecture alone",
}

# A job, a service and an agent each get these.
SANDBOX = ("NoNewPrivileges=yes", "ProtectSystem=strict", "ProtectHome=yes",
           "PrivateTmp=yes", "PrivateDevices=yes", "RestrictNamespaces=yes",
           "SystemCallFilter=@system-service")
# systemd-analyze's scale has 10 for no protection at all, times 10.
MOST_EXPOSURE = {"stowaged": 15, "stowage-agent": 25}

# Completes a command line in Bash, as its first key press of Tab would.
COMPLETE = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_stowage
printf '%s\\n' "${COMPREPLY[@]}"
"""


def call(*command, status=0, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True,
                            text=True, timeout=300, check=False, **options)
    if result.returncode != status:
        raise AssertionError(f"{command}: exit status {result.returncode}\n"
                             f"{result.stdout}{result.stderr}")
    return result.stdout


class PackagesTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        parent = BINARY_DIR / "test-scratch"
        parent.mkdir(parents=True, exist_ok=True)
        cls.folder = pathlib.Path(tempfile.mkdtemp(dir=parent))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        call("cpack", "--config", BINARY_DIR / "CPackConfig.cmake", "-B", cls.folder,
             cwd=cls.folder)
        cls.debs = {debs.field(deb, "Package"): deb for deb in cls.folder.glob("*.deb")}
        cls.trees = {}
        for name, deb in cls.debs.items():
            cls.trees[name] = cls.folder / "trees" / name
            cls.trees[name].mkdir(parents=True)
            call("dpkg-deb", "-x", deb, cls.trees[name])

    def test_there_are_four_packages_of_one_version(self):
        self.assertEqual(sorted(self.debs), sorted(debs.PACKAGES))
        self.assertEqual(len({debs.field(deb, "Version") for deb in self.debs.values()}),
                         1)

    def test_a_package_names_the_libraries_of_its_programs(self):
        needs = debs.relations(self.debs["stowage"], "Depends")
        for library in ("libtorch1.13", "libgrpc++1.51", "libsqlite3-0", "libpq5",
                        "liburing2", "libc6"):
            self.assertIn(library, needs)
        for name in debs.PACKAGES[1:]:
            self.assertRegex(debs.field(self.debs[name], "Depends"), r"stowage \(= ")

    def test_lintian_finds_nothing_else(self):
        self.assertEqual("", call("lintian", "--allow-root", "--suppress-tags",
                                  ",".join(EXPECTED_TAGS), *self.debs.values()))

    def test_everything_that_is_installed_is_in_a_package(self):
        call("cmake", "--install", BINARY_DIR, "--prefix", self.folder / "installed")
        installed = self.files_of(self.folder / "installed")
        packed = set().union(*(self.files_of(tree / "usr")
                               for tree in self.trees.values() if tree.exists()))
        self.assertEqual(installed - packed, set())

    @staticmethod
    def files_of(folder):
        return {path.relative_to(folder) for path in folder.rglob("*")
                if path.is_file() and not path.is_symlink()}

    def test_configuration_is_kept_and_valid(self):
        for name, program in (("stowage-service", "stowaged"),
                              ("stowage-node", "stowage-agent")):
            control = debs.control_files(self.debs[name], self.folder / f"{name}.control")
            self.assertEqual(control["conffiles"], f"/etc/stowage/{program}.conf\n")
            config = self.trees[name] / f"etc/stowage/{program}.conf"
            call(BINARY_DIR / "bin" / program, "--check-config", f"--config={config}",
                 env={"STATE_DIRECTORY": str(self.folder)})

    def test_the_example_for_slurm_comes_along(self):
        folder = self.trees["stowage-node"] / "usr/share/doc/stowage-node/examples/slurm"
        self.assertEqual({path.name for path in (SOURCE_DIR / "deploy/slurm").iterdir()},
                         {path.name for path in folder.iterdir()})
        for script in ("prolog.sh", "epilog.sh", "task-prolog.sh"):
            self.assertTrue(os.access(folder / script, os.X_OK), script)

    def units(self):
        return [self.trees["stowage-service"] / "usr/lib/systemd/system/stowaged.service",
                self.trees["stowage-node"] / "usr/lib/systemd/system/stowage-agent.service"]

    def test_units_are_sandboxed(self):
        for unit in self.units():
            lines = unit.read_text().splitlines()
            for line in SANDBOX:
                self.assertIn(line, lines, unit.name)
            call("systemd-analyze", "security", "--offline=yes",
                 f"--threshold={MOST_EXPOSURE[unit.stem]}", unit)

    def test_units_mean_what_they_say(self):
        # It wants the programs at their places: a root with little else.
        root = self.folder / "root"
        for name in debs.PACKAGES[:3]:
            shutil.copytree(self.trees[name], root, symlinks=True, dirs_exist_ok=True)
        (root / "bin").symlink_to("usr/bin")
        for program in ("sh", "kill"):
            shutil.copy("/usr/bin/true", root / "bin" / program)
        units = "usr/lib/systemd/system"
        shutil.copytree(f"/{units}", root / units, symlinks=True, dirs_exist_ok=True)
        problems = call("systemd-analyze", "verify", f"--root={root}", "--man=no",
                        "--recursive-errors=no", "stowaged.service",
                        "stowage-agent.service")
        self.assertEqual(problems, "")

    def test_each_program_and_command_has_a_manual_page(self):
        man = self.trees["stowage"] / "usr/share/man"
        pages = {path.name for path in man.rglob("*.gz")}
        commands = json.loads(call(BINARY_DIR / "bin/stowage", "completion", "json"))
        for command in commands:
            self.assertIn(command["command"].replace(" ", "-") + ".1.gz", pages)
        for program in (self.trees["stowage"] / "usr/bin").iterdir():
            self.assertTrue({f"{program.name}.1.gz", f"{program.name}.8.gz"} & pages)
        for path in man.rglob("*.gz"):
            with gzip.open(path) as page:
                rendered = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-P-cbou"],
                                          input=page.read(), capture_output=True,
                                          check=True)
            self.assertEqual(rendered.stderr, b"", path.name)
            self.assertIn(b"NAME", rendered.stdout, path.name)

    def test_bash_completes_commands_flags_and_values(self):
        script = (self.trees["stowage"] /
                  "usr/share/bash-completion/completions/stowage")

        def complete(*words):
            return call("bash", "-c", COMPLETE, "bash", script, *words).split()

        self.assertEqual(complete("stowage", "ca"), ["calibrate"])
        self.assertEqual(complete("stowage", "graph", "ca"), ["capture"])
        self.assertEqual(complete("stowage", "run", "--checks"), ["--checksums"])
        self.assertEqual(complete("stowage", "run", "--format", ""), ["text", "json"])
        self.assertEqual(complete("stowage", "run", "--format", "=", "j"), ["json"])
        # File names, which Bash completes itself.
        self.assertEqual(complete("stowage", "run", "--report", ""), [])
        self.assertEqual(complete("stowage", "run", "--", "--checks"), [])

    def test_other_shells_read_their_scripts(self):
        for shell, place in (("fish", "fish/vendor_completions.d/stowage.fish"),
                             ("zsh", "zsh/vendor-completions/_stowage")):
            script = self.trees["stowage"] / "usr/share" / place
            if shutil.which(shell):
                call(shell, "-n", script)
        if shutil.which("fish"):
            command = f"source '{script.parents[2]}/fish/vendor_completions.d/stowage.fish'"
            offered = call("fish", "--no-config", "-c",
                           f"{command}; complete -C 'stowage graph ca'")
            self.assertEqual([line.split("\t")[0] for line in offered.splitlines()],
                             ["capture"])

    def test_a_bill_of_materials_names_what_a_package_is_made_of(self):
        call("/usr/bin/python3", SOURCE_DIR / "tools/sbom.py", *self.debs.values())
        bill = json.loads(self.bill_of("stowage").read_text())
        parts = {part["name"]: part for part in bill["components"]}
        for library in debs.relations(self.debs["stowage"], "Depends"):
            self.assertIn(library, parts)
        # A library of a library, and one that leaves no trace in a program.
        self.assertIn("libprotobuf32", parts)
        self.assertIn("libcli11-dev", parts)
        installed = call("dpkg-query", "-W", "-f", "${Version}", "libgrpc++1.51")
        self.assertEqual(parts["libgrpc++1.51"]["version"], installed)
        self.assertEqual(parts["libgrpc++1.51"]["licenses"][0]["license"]["name"],
                         "Apache-2.0")
        names = {part["bom-ref"] for part in bill["components"]}
        for relation in bill["dependencies"]:
            self.assertLessEqual(set(relation["dependsOn"]), names)

    def test_bills_of_materials_obey_the_schema(self):
        try:
            from cyclonedx.schema import SchemaVersion
            from cyclonedx.validation.json import JsonStrictValidator
            validator = JsonStrictValidator(SchemaVersion.V1_5)
            call("/usr/bin/python3", SOURCE_DIR / "tools/sbom.py", *self.debs.values())
            for name in self.debs:
                text = self.bill_of(name).read_text()
                self.assertIsNone(validator.validate_str(text))
        except ImportError as error:
            self.skipTest("needs cyclonedx-python-lib[validation] of PyPI: " + str(error))

    def bill_of(self, name):
        return self.debs[name].with_suffix(".cdx.json")


def missing_tools():
    return [tool for tool in ("dpkg-deb", "dpkg-shlibdeps", "lintian", "help2man",
                              "systemd-analyze", "groff") if not shutil.which(tool)]


if __name__ == "__main__":
    if missing_tools():
        print("packages_test: missing:", *missing_tools())
        sys.exit(77)
    unittest.main()
