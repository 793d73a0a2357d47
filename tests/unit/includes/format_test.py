"""Every C++ file is as clang-format leaves it."""

import os
import shutil
import subprocess
import unittest
from pathlib import Path

import rules

ROOT = Path(
    os.environ.get("STOWAGE_SOURCE_DIR",
                   Path(__file__).resolve().parents[3]))


@unittest.skipUnless(shutil.which("clang-format"),
                     "clang-format is not installed")
class FormatTest(unittest.TestCase):

    def test_every_file_is_formatted(self):
        files = [
            f for f in rules.source_files(ROOT)
            if f.suffix in rules.CXX_SUFFIXES
        ]
        self.assertTrue(files)
        result = subprocess.run(
            ["clang-format", "--dry-run", "-Werror", *files],
            capture_output=True,
            text=True)
        unformatted = sorted({
            l.split(":")[0] for l in result.stderr.splitlines() if "error:" in l
        })
        self.assertEqual(0, result.returncode,
                         "run clang-format -i on:\n" + "\n".join(unformatted))


if __name__ == "__main__":
    unittest.main()
