"""The usage examples of headers compile."""

import json
import os
import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

from header_examples import Example, example_of, program_of

ROOT = Path(
    os.environ.get("STOWAGE_SOURCE_DIR",
                   Path(__file__).resolve().parents[3]))
BUILD = Path(os.environ.get("STOWAGE_BINARY_DIR", ROOT / "build"))

# Folder whose examples are compiled in one program -> the target that is
# compiled with the flags that they need. The longest folder counts.
LIBRARIES = {
    "agents": "stowage_telemetry",
    "client_sdk/cpp": "stowage_client",
    "client_sdk/preload": "stowage_preload",
    "client_sdk/runtime": "stowage_runtime",
    "client_sdk/session": "stowage_runtime",
    "client_sdk/torch": "stowage_torch",
    "network": "stowage_http",
    "policies": "stowage_policies",
    # Its function Search() has the name of a class of policies/search.
    "policies/autotm": "stowage_policies",
    "server": "stowage_server",
    "tests": "agent_test",
    "timing": "stowage_timing",
    "tools": "stowage_tools",
}
# Targets that a build may leave out.
OPTIONAL = ("stowage_torch",)
SOURCE_FOLDERS = ("agents", "client_sdk", "network", "policies", "server", "tests",
                  "timing", "tools")

# Headers whose first indented block is no code, and those of this folder, which
# are parts of programs.
NOT_CODE = ("client_sdk/session/session.h", "client_sdk/torch/torch_version.h",
            "tests/unit/examples/")
# Headers with a class that no user names.
WITHOUT_EXAMPLE = ("client_sdk/runtime/job_lock.h",)
CLASS = re.compile(r"^class [^;]*?\{", re.M)


def headers():
    """Returns the text of every header by its path."""
    paths = [p for folder in SOURCE_FOLDERS for p in (ROOT / folder).rglob("*.h")]
    return {
        p.relative_to(ROOT).as_posix(): p.read_text(encoding="utf-8")
        for p in sorted(paths)
    }


def examples_by_library():
    found = {library: {} for library in LIBRARIES}
    for header, text in headers().items():
        example = example_of(text)
        if example is not None and not header.startswith(NOT_CODE):
            found[library_of(header)][header] = example
    return found


def library_of(header):
    return max((l for l in LIBRARIES if header.startswith(l + "/")), key=len)


def flags_by_target():
    """Returns by target how its sources are compiled, without input and output."""
    flags = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        # How headers are precompiled is not how sources are compiled.
        if Path(entry["file"]).name.startswith("cmake_pch"):
            continue
        words = shlex.split(entry["command"])
        target = re.search(r"CMakeFiles/([^/]+)\.dir/",
                           words[words.index("-o") + 1]).group(1)
        for option in ("-o", "-c"):
            at = words.index(option)
            del words[at:at + 2]
        flags[target] = words
    return flags


def errors_of(program, flags):
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory) / "examples.cc"
        source.write_text(program, encoding="utf-8")
        result = subprocess.run([*flags, "-fsyntax-only", "-w", source],
                                cwd=BUILD,
                                capture_output=True,
                                text=True,
                                check=False)
    return result.stderr if result.returncode != 0 else ""


class HeaderExamplesTest(unittest.TestCase):
    maxDiff = None

    def test_examples_compile(self):
        flags = flags_by_target()
        for library, examples in examples_by_library().items():
            with self.subTest(library):
                self.assertTrue(examples)
                target = LIBRARIES[library]
                if target in OPTIONAL and target not in flags:
                    continue
                errors = errors_of(program_of(library, examples, ROOT),
                                   flags[target])
                self.assertEqual("", errors)

    def test_headers_of_classes_have_examples(self):
        without = [
            header for header, text in headers().items()
            if CLASS.search(text) and example_of(text) is None
        ]
        self.assertEqual(list(WITHOUT_EXAMPLE), without)

    def test_an_error_names_the_line_of_the_header(self):
        example = Example(7, "Undeclared();", "stowage")
        program = program_of("nowhere", {"network/host_port.h": example}, ROOT)
        self.assertIn("network/host_port.h:7",
                      errors_of(program,
                                flags_by_target()[LIBRARIES["network"]]))


class ExampleOfTest(unittest.TestCase):

    def test_is_the_first_block(self):
        example = example_of("// A list.\n//\n//   List list;\n//   list.Add(1);\n"
                             "//\n// It grows:\n//\n//   1, 2, 4\n"
                             "namespace stowage {\n")
        self.assertEqual(Example(3, "List list;\nlist.Add(1);", "stowage"),
                         example)

    def test_may_have_empty_lines(self):
        example = example_of("// A list.\n//\n//   List list;\n//\n//   list.Add(1);\n")
        self.assertEqual("List list;\n\nlist.Add(1);", example.code)

    def test_is_no_item_of_a_list(self):
        self.assertIsNone(example_of("// Rules:\n//  * One, which goes\n//    on.\n"))

    def test_is_in_the_opening_comment(self):
        self.assertIsNone(example_of("// A list.\n#ifndef A\n//\n//   List list;\n"))


if __name__ == "__main__":
    unittest.main()
