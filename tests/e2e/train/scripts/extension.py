"""Compiles C++ extensions, once for each version of PyTorch.

    torch.ops.load_library(extension.library("stowage_test_keys", SOURCE))
"""

import hashlib
import os
import tempfile
from pathlib import Path

import torch
from torch.utils import cpp_extension


def library(name, source):
    """Returns the library's path; builds it if no process has done so before."""
    key = hashlib.sha256((source + torch.__version__).encode()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"{name}-{os.getuid()}-{key}"
    path = folder / f"{name}.so"
    if not path.exists():
        build = Path(tempfile.mkdtemp(prefix=f"{name}-"))
        (build / "extension.cc").write_text(source, encoding="utf-8")
        cpp_extension.load(name, [str(build / "extension.cc")], build_directory=str(build),
                           extra_cflags=["-O2"], is_python_module=False)
        os.makedirs(folder, exist_ok=True)
        os.replace(build / path.name, path)
    return path
