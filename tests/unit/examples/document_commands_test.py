"""The commands in README.md and docs/ exist, and so do their options.

A command is a line of a fenced block or a code span that begins with one of
PROGRAMS, one of BENCHES or the path of a script. The subcommands and options of
a program are those that `--help` tells; those of a script or a bench, which not
every build has, stand in its source.
"""

import functools
import os
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(
    os.environ.get("STOWAGE_SOURCE_DIR",
                   Path(__file__).resolve().parents[3]))
BUILD = Path(os.environ.get("STOWAGE_BINARY_DIR", ROOT / "build"))
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))

PROGRAMS = ("stowage", "stowaged", "stowage-agent")
BENCHES = {
    "planners": "tests/bench/planners.cc",
    "judge_learned_prices": "tests/bench/learned_prices/judge.cc",
    "train_learned_prices": "tests/bench/learned_prices/train.cc",
    "tests/fuzz.sh": "tests/fuzz/fuzz.py",
    "tests/soak.sh": "tests/soak/soak.py",
}
# The pages that list every flag of a program in a table.
FLAG_TABLES = {
    "docs/reference-agent.md": "stowage-agent",
    "docs/reference-stowaged.md": "stowaged",
}

FENCED = re.compile(r"^```\w*\n(.*?)^```$", re.M | re.S)
SPAN = re.compile(r"`([^`\n]+(?:\n[^`\n]+)?)`")
OPTION = re.compile(r"(?<![\w-])--?[a-zA-Z][\w-]*")
SCRIPT = re.compile(r"(tests|tools)/\S+(\.py|\.sh|/figures)")
TABLE_FLAGS = re.compile(r"^\| (`--.*?) \|", re.M)


def commands_of(document):
    """Returns each command of a document as a list of words."""
    blocks = FENCED.findall(document)
    # A line that is indented or follows a backslash continues the one before.
    lines = [re.sub(r"\\?\n +", " ", block).splitlines() for block in blocks]
    spans = SPAN.findall(FENCED.sub("", document))
    return [words for text in [*sum(lines, []), *spans]
            if (words := words_of_command(text))]


def words_of_command(text):
    # Of `[--fast LIMIT]` and `(--fast LIMIT | --fast-bytes SIZE)` all is words.
    words = re.sub(r"[\[\]()|,]", " ", text).split()
    if words and words[0] in ("$", "python3", "build/bin/stowage"):
        words[0:1] = ["stowage"] if words[0] == "build/bin/stowage" else []
    # What stands behind is the command line of another program.
    words = words[:words.index("--")] if "--" in words else words
    known = words and (words[0] in PROGRAMS or words[0] in BENCHES or
                       SCRIPT.fullmatch(words[0]))
    return words if known else []


def problem_of(words):
    """Returns what is wrong with a command, None where nothing is."""
    return (problem_of_program(words)
            if words[0] in PROGRAMS else problem_of_source(words))


def problem_of_source(words):
    source = ROOT / BENCHES.get(words[0], words[0])
    if source.is_dir():  # a package
        source = source / "__main__.py"
    if not source.exists():
        return f"{words[0]} does not exist"
    unknown = [option for option in OPTION.findall(" ".join(words[1:]))
               if not has_option(source, option)]
    return f"{words[0]} has no option {', '.join(unknown)}" if unknown else None


def has_option(source, option):
    text, name = source.read_text(encoding="utf-8"), option.lstrip("-")
    # A flag of Abseil's; --no before the name of one that is a bool.
    return f'"{option}"' in text or re.search(
        rf"ABSL_FLAG\([\w:<>]+,\s*{name.removeprefix('no')},", text)


def problem_of_program(words):
    command, rest = words[:1], words[1:]
    while rest and rest[0] in subcommands_of(tuple(command)):
        command.append(rest.pop(0))
    if subcommands_of(tuple(command)) and rest and re.fullmatch("[a-z]+", rest[0]):
        return f"{' '.join(command)} has no subcommand {rest[0]}"
    unknown = set(OPTION.findall(" ".join(rest))) - options_of(tuple(command))
    if unknown:
        return f"{' '.join(command)} has no option {', '.join(sorted(unknown))}"
    return None


def subcommands_of(command):
    _, _, listed = help_of(command).partition("\nSubcommands:\n")
    return re.findall(r"^  ([a-z]+) ", listed, re.M)


def options_of(command):
    return set(OPTION.findall(help_of(command))) | {"--help", "--version"}


@functools.lru_cache(maxsize=None)
def help_of(command):
    program, *subcommands = command
    return subprocess.run([BUILD / "bin" / program, *subcommands, "--help"],
                          capture_output=True,
                          text=True,
                          check=True).stdout


class DocumentCommandsTest(unittest.TestCase):

    def test_commands_exist(self):
        count = 0
        for path in DOCUMENTS:
            for words in commands_of(path.read_text(encoding="utf-8")):
                count += 1
                with self.subTest(path.name, command=" ".join(words)):
                    self.assertIsNone(problem_of(words))
        self.assertGreater(count, 20)

    def test_tables_list_every_flag(self):
        for page, program in FLAG_TABLES.items():
            text = (ROOT / page).read_text(encoding="utf-8")
            rows = " ".join(TABLE_FLAGS.findall(text))
            with self.subTest(page):
                # Only help has a short form.
                self.assertEqual(options_of((program,)) - {"-h"},
                                 set(OPTION.findall(rows)))

    def test_a_command_may_go_on_in_the_next_line(self):
        self.assertEqual(
            [["stowage", "run", "--fast", "LIMIT", "--slow", "TIER"]],
            commands_of("```\nstowage run [--fast LIMIT]\n            [--slow TIER] -- A --b\n```\n"))

    def test_reports_what_does_not_exist(self):
        self.assertEqual("stowage run has no option --quick",
                         problem_of(["stowage", "run", "--quick"]))
        self.assertEqual("stowage has no subcommand walk",
                         problem_of(["stowage", "walk"]))
        self.assertEqual("planners has no option --quick",
                         problem_of(["planners", "--quick"]))
        self.assertEqual("tests/none.py does not exist",
                         problem_of(["tests/none.py"]))


if __name__ == "__main__":
    unittest.main()
