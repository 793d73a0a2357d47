"""Runs another script where Stowage finds no dispatch key free.

    python3 keyless.py train_model.py mobilenet_v2 --steps 6 --out digest.json
"""

import runpy
import sys
from pathlib import Path

import torch

import extension

SOURCE = """
#include <torch/library.h>
TORCH_LIBRARY_IMPL(_, Fake, keys) {
  keys.fallback(torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(_, CustomRNGKeyId, keys) {
  keys.fallback(torch::CppFunction::makeFallthrough());
}
"""


def main():
    torch.ops.load_library(extension.library("stowage_test_taken_keys", SOURCE))
    sys.argv[:2] = [str(Path(__file__).resolve().parent / sys.argv[1])]
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
