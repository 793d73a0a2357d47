#!/usr/bin/env python3
"""Runs clang-tidy with the checks of .clang-tidy over C++ files.

    tools/tidy.py                 the lines that the last commit and the working
                                  tree have changed
    tools/tidy.py --since main    the lines changed since another commit
    tools/tidy.py --all           every file of the build: an hour and more
    tools/tidy.py FILE...         these

Needs a build, whose compile commands it reads (--build, default: build). A
changed header is seen through the source file of its name. Ends with status 1
when clang-tidy found something.
"""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import compile_commands

ROOT = Path(__file__).resolve().parents[1]
HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")


def main():
    arguments = parse_arguments()
    commands = compile_commands.read(Path(arguments.build).resolve())
    lines = {}
    if arguments.all:
        files = sorted(commands)
    else:
        if not arguments.files:
            lines = changed_lines(arguments.since)
        changed = arguments.files or lines
        files = sorted({f for c in changed for f in sources_of(c, commands)})
    files = files[:arguments.limit] if arguments.limit else files
    findings = run(files, commands, lines, arguments.jobs)
    print("\n".join(findings + [f"tidy: {len(files)} files, {len(findings)} findings"]))
    return 1 if findings else 0


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--since", default="HEAD~1", metavar="COMMIT")
    parser.add_argument("--build", default=ROOT / "build", metavar="DIR")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=int, default=0,
                        help="look at so many files at most (0: no limit)")
    return parser.parse_args()


def changed_lines(since):
    """Returns the ranges of lines that changed, [first, last], by file."""
    diff = subprocess.run(
        ["git", "diff", "-U0", "-M", "--diff-filter=AMR", since, "--", "*.h", "*.cc"],
        cwd=ROOT, capture_output=True, text=True)
    if diff.returncode != 0:
        sys.exit(f"tidy: git cannot compare with {since}: {diff.stderr.strip()}")
    ranges = {}
    for line in diff.stdout.splitlines():
        if line.startswith("+++ b/"):
            file = line[len("+++ b/"):]
        hunk = HUNK.match(line)
        if hunk and hunk[2] != "0":
            first, count = int(hunk[1]), int(hunk[2] or 1)
            ranges.setdefault(file, []).append([first, first + count - 1])
    return ranges


def sources_of(changed, commands):
    path = (ROOT / changed).resolve()
    if path.suffix == ".h":
        path = path.with_suffix(".cc")
    return [path] if path in commands else []


def run(files, commands, lines, jobs):
    """Returns each finding once, in order of file; all findings if `lines` is
    empty."""
    line_filter = json.dumps([{"name": f, "lines": r} for f, r in lines.items()])
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "compile_commands.json").write_text(
            json.dumps([commands[f] for f in files]))

        def findings_of(file):
            output = subprocess.run(["clang-tidy", "-p", folder, "--quiet",
                                     f"--line-filter={line_filter}", file],
                                    capture_output=True, text=True).stdout
            # What does not compile is GCC's to say: Clang takes absl::StrFormat
            # with a format of ours for an error.
            return [l for l in output.splitlines()
                    if ": warning:" in l or
                    ": error:" in l and "[clang-diagnostic-error]" not in l]

        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            found = [l for lines in pool.map(findings_of, files) for l in lines]
    return list(dict.fromkeys(found))


if __name__ == "__main__":
    sys.exit(main())
