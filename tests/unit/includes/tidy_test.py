"""clang-tidy finds nothing in the lines that the last commit changed."""

import os
import shutil
import subprocess
import unittest
from pathlib import Path

ROOT = Path(
    os.environ.get("STOWAGE_SOURCE_DIR",
                   Path(__file__).resolve().parents[3]))
BUILD = Path(os.environ.get("STOWAGE_BINARY_DIR", ROOT / "build"))
# Each takes up to twenty seconds; `tools/tidy.py` looks at more.
LIMIT = "8"


class TidyTest(unittest.TestCase):

    @unittest.skipUnless(shutil.which("clang-tidy"), "clang-tidy is not installed")
    def test_what_changed_is_clean(self):
        before = subprocess.run(["git", "rev-parse", "-q", "--verify", "HEAD~1"],
                                cwd=ROOT, capture_output=True)
        if before.returncode != 0:
            self.skipTest("no commit to compare with")
        result = subprocess.run(
            [ROOT / "tools/tidy.py", "--build", BUILD, "--limit", LIMIT, "--jobs", "1"],
            capture_output=True, text=True)
        self.assertEqual(0, result.returncode, result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
