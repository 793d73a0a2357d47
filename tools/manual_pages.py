#!/usr/bin/python3
"""Writes a manual page of each program and of each command of `stowage`.

    tools/manual_pages.py build/bin build/share/man

help2man makes them of what the programs say of themselves; deploy/man has what
they do not say. `cmake --install` runs this.
"""

import gzip
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

MAN_DIR = pathlib.Path(__file__).resolve().parent.parent / "deploy/man"


def output_of(*command):
    return subprocess.run([str(part) for part in command], check=True,
                          capture_output=True, text=True).stdout


def write_page(folder, name, section, text):
    path = folder / f"man{section}" / f"{name}.{section}.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def program_page(program, section, version):
    return output_of("help2man", "--no-info", f"--section={section}",
                     f"--version-string={version}",
                     f"--include={MAN_DIR / program.name}.h2m", program)


def command_page(command, summary, version, stowage, folder):
    """Returns the page of a command. help2man wants a program of its name."""
    program = folder / command.replace(" ", "-")
    words = " ".join([shlex.quote(str(stowage)), *command.split()[1:]])
    program.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
    program.chmod(0o755)
    include = folder / "see-also.h2m"
    include.write_text("[SEE ALSO]\n.BR stowage (1)\n")
    return output_of("help2man", "--no-info", "--section=1",
                     f"--version-string={version}", f"--name={summary}",
                     f"--include={include}", program)


def main():
    programs, pages = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    stowage = programs / "stowage"
    version = output_of(stowage, "--version").split()[-1]
    write_page(pages, "stowage", 1, program_page(stowage, 1, version))
    for name in ("stowaged", "stowage-agent"):
        write_page(pages, name, 8, program_page(programs / name, 8, version))
    write_page(pages, "stowage-trainer", 8,
               (MAN_DIR / "stowage-trainer.8").read_text())
    with tempfile.TemporaryDirectory() as folder:
        for entry in json.loads(output_of(stowage, "completion", "json")):
            page = command_page(entry["command"], entry["help"], version, stowage,
                                pathlib.Path(folder))
            write_page(pages, entry["command"].replace(" ", "-"), 1, page)


if __name__ == "__main__":
    main()
