"""How a build compiles each source file, for tools that parse C++.

    commands = compile_commands.read(Path("build"))
    commands[Path("/src/policies/plan/plan_proto.cc")]["command"]
"""

import json
import re
import sys
from pathlib import Path

# GCC's precompiled headers mean nothing to Clang.
GCC_ONLY = ("-Winvalid-pch", "-fpch-preprocess")
INCLUDE = re.compile(r'#include "(.+)"')


def read(build):
    """Returns the entries of `build`'s compile_commands.json by source file, as
    if the build compiled each file alone and without precompiled headers."""
    database = build / "compile_commands.json"
    if not database.exists():
        sys.exit(f"{database} is missing: build first, or name a build with --build")
    commands = {}
    for entry in json.loads(database.read_text()):
        for source in sources_of(Path(entry["file"])):
            if build not in source.parents:
                command = entry["command"].replace(entry["file"], str(source))
                commands[source] = {**entry, "file": str(source),
                                    "command": without_gcc_only(command)}
    return commands


def sources_of(file):
    """Returns the files that CMake compiles together in `file`, or `file`."""
    if file.parent.name != "Unity":
        return [file]
    return [Path(name) for name in INCLUDE.findall(file.read_text())]


def without_gcc_only(command):
    words = command.split(" ")
    kept = []
    while words:
        word = words.pop(0)
        if word == "-include" and words[0].endswith("cmake_pch.hxx"):
            words.pop(0)
        elif word not in GCC_ONLY:
            kept.append(word)
    return " ".join(kept)
