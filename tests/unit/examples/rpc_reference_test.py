"""docs/reference-rpcs.md says what the protos say."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(
    os.environ.get("STOWAGE_SOURCE_DIR",
                   Path(__file__).resolve().parents[3]))


class RpcReferenceTest(unittest.TestCase):

    def test_the_page_is_what_the_generator_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "page.md")
            subprocess.run(["/usr/bin/python3", ROOT / "tools/reference_rpcs.py", page],
                           check=True)
            written = page.read_text(encoding="utf-8")
        kept = (ROOT / "docs/reference-rpcs.md").read_text(encoding="utf-8")
        self.assertTrue(
            written == kept,
            "docs/reference-rpcs.md is not what proto/ says; run "
            "tools/reference_rpcs.py")


if __name__ == "__main__":
    unittest.main()
