"""An installed tree: it works where it is put, and programs build against it.

    python3 install_test.py           STOWAGE_BINARY_DIR names the build
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(
    os.environ.get("STOWAGE_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[3]))
BINARY_DIR = pathlib.Path(os.environ.get("STOWAGE_BINARY_DIR", SOURCE_DIR / "build"))
PROGRAM = SOURCE_DIR / "tests/e2e/install"


def call(*command, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True,
                            text=True, timeout=300, check=False, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command}: exit status {result.returncode}\n"
                             f"{result.stdout}{result.stderr}")
    return result.stdout


def environment(**more):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("STOWAGE_")}
    return {**kept, "OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": "2", **more}


class InstallTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        # A file system that takes direct I/O, and a path that nothing has seen.
        parent = BINARY_DIR / "test-scratch"
        parent.mkdir(parents=True, exist_ok=True)
        cls.folder = pathlib.Path(tempfile.mkdtemp(dir=parent))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = cls.folder / "prefix"
        call("cmake", "--install", BINARY_DIR, "--prefix", cls.folder / "installed")
        (cls.folder / "installed").rename(cls.prefix)  # it may be moved
        call("cmake", "-S", PROGRAM, "-B", cls.folder / "program",
             f"-DCMAKE_PREFIX_PATH={cls.prefix}")
        call("cmake", "--build", cls.folder / "program")
        cls.program = cls.folder / "program/attached_mlp"
        call(cls.program, cls.folder / "alone.txt", env=environment())
        cls.alone = (cls.folder / "alone.txt").read_text()

    def test_a_program_that_attaches_itself_computes_the_same(self):
        stowage = self.prefix / "bin/stowage"
        slow = self.folder / "slow"
        slow.mkdir()
        serve = subprocess.Popen([stowage, "serve", "--format", "json", "--slow",
                                  f"file:{slow}"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(serve.wait)
        self.addCleanup(serve.terminate)
        self.addCleanup(serve.stdout.close)
        services = json.loads(serve.stdout.readline())
        # It fails unless it could attach.
        call(self.program, self.folder / "attached.txt",
             env=environment(STOWAGE_AGENT=services["agent"],
                             STOWAGE_RUN_ID="attached"))
        self.assertEqual(self.alone, (self.folder / "attached.txt").read_text())

    def test_stowage_run_finds_its_parts(self):
        slow = self.folder / "run"
        slow.mkdir()
        report = self.folder / "report.json"
        call(self.prefix / "bin/stowage", "run", "--fast", "40%", "--slow",
             f"file:{slow}", "--report", report, "--plot", self.folder / "step.svg",
             "--", self.program, self.folder / "stowed.txt", env=environment())
        self.assertEqual(self.alone, (self.folder / "stowed.txt").read_text())
        steps = json.loads(report.read_text())["steps"]
        self.assertIn("plan", [step["mode"] for step in steps])
        self.assertIn("<svg", (self.folder / "step.svg").read_text())

    def test_python_imports_the_installed_package(self):
        code = ("import stowage\n"
                f"stowage.init(fast='64MiB', slow='file:{self.folder}')\n"
                "assert stowage.attached()\n")
        call("/usr/bin/python3", "-c", code,
             env=environment(PYTHONPATH=str(self.prefix / "share/stowage/python")))

    def test_the_sources_of_the_plug_in_need_no_package_but_a_compilers(self):
        sources = self.prefix / "share/stowage/plugin"
        parts = [file for folder in ("session", "runtime")
                 for file in sorted((sources / "client_sdk" / folder).glob("*.cc"))]
        rules = call("c++", "-std=c++20", "-M", "-I", sources, "-isystem",
                     sources / "include", *parts)
        headers = {word for word in rules.split() if word.startswith("/usr")}
        owners = call("dpkg-query", "--search", *sorted(map(os.path.realpath, headers)))
        packages = {line.split(":")[0] for line in owners.splitlines()}
        self.assertIn("libc6-dev", packages)
        for package in packages:
            self.assertRegex(package, r"^(libc6-dev|libstdc\+\+-\d+-dev|libgcc-\d+-dev|"
                                      r"linux-libc-dev)$")

    def test_pkg_config_names_what_a_compiler_needs(self):
        flags = call("pkg-config", "--cflags", "--libs", "stowage",
                     env=environment(
                         PKG_CONFIG_PATH=str(self.prefix / "lib/pkgconfig"))).split()
        source = self.folder / "end_step.cc"
        source.write_text("#include <stowage/attach.h>\n"
                          "int main() { stowage::EndStep(); }\n")
        call("c++", "-std=c++17", source, "-o", self.folder / "end_step", *flags)


if __name__ == "__main__":
    unittest.main()
