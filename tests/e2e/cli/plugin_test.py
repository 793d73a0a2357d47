"""`stowage plugin` says for which PyTorch it builds, and what it refuses.

tests/e2e/train/pytorch_test.py trains with plug-ins that it has built.
"""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

BINARY_DIR = pathlib.Path(os.environ["STOWAGE_BINARY_DIR"])


class PluginTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def stowage(self, *arguments, status=0):
        result = subprocess.run(
            [BINARY_DIR / "bin/stowage", "plugin", *arguments], check=False,
            capture_output=True, text=True, timeout=120,
            env={**os.environ, "XDG_DATA_HOME": str(self.folder / "data")})
        self.assertEqual(status, result.returncode, result.stderr)
        return result.stdout if status == 0 else result.stderr

    def torch(self, version):
        """Makes a directory that looks like a PyTorch of pip."""
        torch = self.folder / "torch"
        (torch / "lib").mkdir(parents=True)
        (torch / "lib/libc10.so").touch()
        (torch / "version.py").write_text(f"\n__version__ = '{version}'\n")
        return torch

    def test_a_version_that_is_too_old_is_refused_with_those_that_are_not(self):
        error = self.stowage("build", "--torch", self.torch("2.3.1+cpu"), status=1)
        self.assertIn("PyTorch 2.3.1 in ", error)
        self.assertIn("2.6 to 2.15", error)

    def test_a_version_that_is_too_new_is_refused(self):
        self.assertIn("--untested", self.stowage("build", "--torch", self.torch("2.99.0"),
                                                 status=1))

    def test_the_plug_in_of_the_distribution_needs_no_build(self):
        error = self.stowage("build", "--python", "/usr/bin/python3", status=78)
        self.assertIn("the distribution's", error)

    def test_a_directory_without_a_pytorch_is_named(self):
        error = self.stowage("build", "--torch", self.folder, status=66)
        self.assertIn(f"'{self.folder}' is not the directory of a PyTorch", error)

    def test_an_interpreter_without_a_pytorch_is_named(self):
        self.assertIn("finds no PyTorch",
                      self.stowage("build", "--python", "/bin/true", status=66))
        self.assertIn("no-such-python",
                      self.stowage("build", "--python", "no-such-python", status=66))

    def test_a_directory_that_cannot_be_written_is_told_before_the_build(self):
        self.assertIn("--output", self.stowage("build", "--torch", self.torch("2.15.0"),
                                               "--output", "/proc/no", status=73))

    def test_a_failed_build_shows_what_the_compiler_said(self):
        error = self.stowage("build", "--torch", self.torch("2.15.0"), status=78)
        self.assertIn("while it built the plug-in:", error)
        self.assertIn("Error", error)
        self.assertEqual([], list(self.folder.rglob("libstowage_torch.so*")))

    def test_the_list_has_the_users_plug_ins(self):
        built = self.folder / "data/stowage/torch-2.7.1/libstowage_torch.so"
        built.parent.mkdir(parents=True)
        built.touch()
        self.assertIn(str(built), self.stowage("list"))
        self.assertIn({"torch": "2.7.1", "path": str(built)},
                      json.loads(self.stowage("list", "--format", "json")))


if __name__ == "__main__":
    unittest.main()
