"""Makes a Python with PyTorch 2 and DeepSpeed, for the peers that need them.

    /usr/bin/python3 tests/bench/peers/environment.py

installs what PINNED names, 5.5 GB, into $XDG_CACHE_HOME/stowage/peers, or
~/.cache/stowage/peers, and compiles DeepSpeed's operators there: half an hour
at most. The wheels bring libraries for CUDA, which PyTorch loads and does not
use here.
"""

import argparse
import ctypes.util
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from importlib import util
from pathlib import Path

# DeepSpeed's build imports those before it.
PINNED = ("setuptools==84.2.1", "wheel==0.48.0", "numpy==2.4.6", "torch==2.15.0",
          "torchvision==0.29.2", "deepspeed==0.19.8")
OPERATORS = ("CPUAdamBuilder", "AsyncIOBuilder", "ShareMemCommBuilder")
FOLDER = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "stowage/peers"
PYTHON = FOLDER / "bin/python"
MADE = FOLDER / "made"  # holds what was installed and compiled, once all of it is
COMMAND = "/usr/bin/python3 tests/bench/peers/environment.py"


def is_made():
    return MADE.exists() and MADE.read_text(encoding="utf-8").split() == [*PINNED, *OPERATORS]


def variables():
    """Returns what a process in the environment has in its own."""
    return {"PATH": f"{FOLDER / 'bin'}:{os.environ.get('PATH', '/usr/bin:/bin')}",
            "TORCH_EXTENSIONS_DIR": str(FOLDER / "extensions"), "DS_ACCELERATOR": "cpu"}


def lacking():
    """Returns the Debian packages that this machine lacks."""
    headers = Path(sysconfig.get_paths()["include"]), Path("/usr/include")
    has = {"python3-venv": util.find_spec("ensurepip"), "g++": shutil.which("g++"),
           "python3-dev": (headers[0] / "Python.h").exists(),
           "libaio-dev": ctypes.util.find_library("aio") and (headers[1] / "libaio.h").exists()}
    return [package for package, found in has.items() if not found]


def install():
    *first, deepspeed = PINNED
    for packages in (first, [deepspeed, *first]):
        subprocess.run([PYTHON, "-m", "pip", "install", "--no-build-isolation", *packages],
                       check=True)


def compile_operators():
    # DeepSpeed waits without end for the lock of a build that was ended.
    for lock in (FOLDER / "extensions").glob("*/lock"):
        lock.unlink()
    program = ("from deepspeed.accelerator import get_accelerator\n"
               f"for name in {OPERATORS}:\n"
               "    get_accelerator().create_op_builder(name).load()")
    subprocess.run([PYTHON, "-c", program], check=True, env={**os.environ, **variables()})


def make():
    MADE.unlink(missing_ok=True)
    venv.create(FOLDER, symlinks=True, with_pip=True)
    install()
    compile_operators()
    MADE.write_text("\n".join([*PINNED, *OPERATORS]) + "\n", encoding="utf-8")


def main():
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    if packages := lacking():
        sys.exit("packages are lacking: apt-get install " + " ".join(packages))
    if is_made():
        print(f"{FOLDER} holds it already; remove that folder to make it anew")
        return
    try:
        make()
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"{FOLDER} could not be finished: {error}\nrun the same command to go on")
    print(f"{FOLDER} is ready: run.py has budget and deepspeed now")


if __name__ == "__main__":
    main()
