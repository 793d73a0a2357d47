"""Finds the usage examples of headers and writes programs that contain them.

    example = example_of(Path("network/loopback.h").read_text())
    program = program_of("network", {"network/loopback.h": example}, ROOT)

The example of a header is the first indented block of its opening comment. A
program has each in a function of its own, in the namespace of its header:

    namespace stowage::examples::network::loopback_h {
    auto Example() { ... }
    }

Names that an example uses and does not declare are declared in
context/LIBRARY.h: in `examples` those that mean the same in the whole library,
in the namespace of a folder or of a header those that do not.
"""

import re
from dataclasses import dataclass
from pathlib import Path

CONTEXT = Path("tests/unit/examples/context")
# Folders whose examples, those in the folders below them included, are in one
# namespace: what they name is the same.
LAYERED = ("agents/jobs", "client_sdk/runtime")
INDENT = "//   "
NAMESPACE = re.compile(r"^namespace ([a-z_:]+) \{", re.M)
INCLUDE = re.compile(r"^#include.*$", re.M)


@dataclass
class Example:
    line: int  # of the header, at which the code begins
    code: str
    namespace: str  # of the header; empty: the global one


def example_of(text):
    """Returns the example in the text of a header, None where there is none."""
    lines = opening_comment(text)
    first = next((n for n in range(len(lines)) if begins_block(lines, n)), None)
    if first is None:
        return None
    end = first
    while end < len(lines) and (lines[end].startswith(INDENT)
                                or begins_block(lines, end + 1)):
        end += 1
    code = [line[len(INDENT):] for line in lines[first:end]]
    namespace = NAMESPACE.search(text)
    return Example(first + 1, "\n".join(code),
                   namespace.group(1) if namespace else "")


def opening_comment(text):
    lines = text.splitlines()
    end = next((n for n, line in enumerate(lines) if not line.startswith("//")),
               len(lines))
    return lines[:end]


def begins_block(lines, n):
    """Returns whether line `n` is indented and follows an empty one."""
    # The lines of a list are indented too, but follow one that is not empty.
    return (0 < n < len(lines) and lines[n].startswith(INDENT)
            and lines[n - 1] == "//")


def program_of(library, examples, root):
    """Returns the text of a program with the `examples`, which are by header."""
    context = CONTEXT / f"{library.replace('/', '_')}.h"
    headers = [*examples] + [context.as_posix()] * (root / context).exists()
    return "\n".join([f'#include "{header}"' for header in headers] +
                     [function_of(*item) for item in examples.items()])


def function_of(header, example):
    names = [example.namespace] if example.namespace else []
    folder, name = header.rsplit("/", 1)
    folder = next((l for l in LAYERED if folder.startswith(l + "/")), folder)
    names += ["examples", identifier(folder), identifier(name)]
    return "\n".join([
        f"namespace {'::'.join(names)} {{",
        "auto Example() {",
        f'#line {example.line} "{header}"',
        # An #include names a header as it is installed.
        INCLUDE.sub("", example.code),
        "}",
        "}",
    ])


def identifier(path):
    return re.sub(r"[/.]", "_", path)
