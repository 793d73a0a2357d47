"""When the bench of peers takes the environment of PyTorch 2 for finished."""

import importlib
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(os.environ.get("STOWAGE_SOURCE_DIR", Path(__file__).resolve().parents[4]))
sys.path.insert(0, str(ROOT / "tests/bench/peers"))

import environment  # pylint: disable=wrong-import-position


class EnvironmentTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cache = Path(folder.name)
        self.enterContext(mock.patch.dict(os.environ, XDG_CACHE_HOME=folder.name))
        importlib.reload(environment)

    def test_is_below_the_users_cache(self):
        self.assertEqual(self.cache / "stowage/peers", environment.FOLDER)

    def test_is_not_made_before_all_is_installed(self):
        self.assertFalse(environment.is_made())

    def test_is_made_with_what_is_named_now(self):
        environment.FOLDER.mkdir(parents=True)
        environment.MADE.write_text("\n".join([*environment.PINNED, *environment.OPERATORS]),
                                    encoding="utf-8")
        self.assertTrue(environment.is_made())

    def test_is_not_made_with_other_versions(self):
        environment.FOLDER.mkdir(parents=True)
        environment.MADE.write_text("torch==2.0.0\n", encoding="utf-8")
        self.assertFalse(environment.is_made())

    def test_names_the_packages_that_are_lacking(self):
        with mock.patch.object(environment.shutil, "which", return_value=None):
            self.assertIn("g++", environment.lacking())


if __name__ == "__main__":
    unittest.main()
