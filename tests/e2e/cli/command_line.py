"""What tests of the command line share: the binary and a folder for its files.

    class PlanTest(CliTest):
        def test_refuses_a_file_that_is_missing(self):
            self.assert_fails(stowage("plan", self.folder / "none"), NO_INPUT)

STOWAGE_BINARY_DIR names the build.
"""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(
    os.environ.get("STOWAGE_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[3]))
BINARY_DIR = pathlib.Path(os.environ.get("STOWAGE_BINARY_DIR", SOURCE_DIR / "build"))
STOWAGE = BINARY_DIR / "bin" / "stowage"
GRAPH = SOURCE_DIR / "tests/data/resnet152-bs256-a100.pb.gz"
CAPTURED = SOURCE_DIR / "tools/stowage/suites/graphs/alexnet-b8.pb.gz"

USAGE, BAD_DATA, NO_INPUT, UNAVAILABLE, CANNOT_CREATE, INFEASIBLE = 2, 65, 66, 69, 73, 78

KERNEL = {
    "name": "relu",
    "operands": [{"tensor": 0, "read": True}, {"tensor": 1, "write": True}],
    "profile": {"fastInputsFastOutputs": {
        "durationNs": "1000", "source": "DURATION_SOURCE_MEASURED"}},
}
SMALL = {
    "schemaVersion": 1,
    "name": "small",
    "tensors": [{"sizeBytes": "4096", "persistent": True}, {"sizeBytes": "4096"}],
    "kernels": [KERNEL],
}


def stowage(*arguments, **options):
    return subprocess.run([STOWAGE, *map(str, arguments)], capture_output=True,
                          text=True, timeout=300, check=False, **options)


class CliTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else
                         json.dumps(content).encode())
        return path

    def assert_fails(self, result, code, *parts):
        self.assertEqual(result.returncode, code, result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)
