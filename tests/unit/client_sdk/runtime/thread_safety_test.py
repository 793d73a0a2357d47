"""What the Job's mutex guards is reached with the mutex held: Clang checks it."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(
    os.environ.get("STOWAGE_SOURCE_DIR",
                   Path(__file__).resolve().parents[4]))
CLANG = shutil.which("clang++")
SKIPPED = 77  # the return code that ctest takes for a skipped test

COUNTER = """
#include "client_sdk/runtime/process/mutex.h"
class Counter {
 public:
  void Add() { %s ++count_; }
 private:
  stowage::runtime::Mutex mutex_;
  int count_ STOWAGE_GUARDED_BY(mutex_) = 0;
};
"""


def check(source):
    """Returns what Clang's analysis says against a source; empty if nothing."""
    command = [
        CLANG, "-std=c++20", "-Wthread-safety", "-Werror", "-fsyntax-only",
        f"-I{ROOT}",
        str(source)
    ]
    result = subprocess.run(command,
                            capture_output=True,
                            text=True,
                            check=False)
    return result.stderr if result.returncode != 0 else ""


class ThreadSafetyTest(unittest.TestCase):

    def check_counter(self, lock):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "counter.cc"
            source.write_text(COUNTER % lock)
            return check(source)

    def test_the_runtime_reaches_what_is_guarded_with_the_mutex_held(self):
        sources = sorted((ROOT / "client_sdk/runtime").rglob("*.cc"))
        self.assertGreater(len(sources), 20)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            errors = "".join(pool.map(check, sources))
        self.assertEqual("", errors, "\n" + errors)

    def test_what_is_reached_without_the_mutex_is_found(self):
        self.assertIn("requires holding mutex", self.check_counter(""))
        self.assertEqual(
            "", self.check_counter("stowage::runtime::MutexLock l(&mutex_);"))


if __name__ == "__main__":
    if CLANG is None:
        print("skipped: there is no clang++ to check with (apt: clang)")
        sys.exit(SKIPPED)
    unittest.main()
