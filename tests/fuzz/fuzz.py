"""Builds the fuzzers, runs each of them for some time and tells what they found.

    tests/fuzz.sh [--minutes 10] [--jobs 2] [--out DIRECTORY] [FUZZER...]

What libFuzzer learns is kept in build-fuzz/corpora, and the next run goes on from
there. The exit status is 1 if a fuzzer found something: an input that ends it, that
takes longer than 30 s or more than 3 GB, or a leak. The table names the file of that
input, and running the fuzzer with it alone shows the finding again.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import re
import subprocess
import sys
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
BUILD = SOURCE / "build-fuzz"
CORPUS = SOURCE / "tests/fuzz/corpus"
SUPPRESSIONS = SOURCE / "tests/fuzz/leak_suppressions.txt"
MAX_INPUT_BYTES = 8192
SLOW_INPUT_S = 30
MEMORY_MB = 3000
# Numbers at whose edges things break, and names of scripts and traces.
WORDS = (
    "9223372036854775807", "-9223372036854775808", "1152921504606846976", "1e308",
    "nan", "inf", "-1", "@graph_id", "@plan_id", "@policy_id", "@next_page_token",
    "aten::mm", "ctrl_deps", "op_schema", "inputs", "outputs", "values", "shapes")


@dataclasses.dataclass
class Result:
    """What a run of a fuzzer came to."""
    fuzzer: str
    executions: int
    coverage: int
    seconds: int
    failed: bool
    findings: list


def build():
    """Builds the fuzzers; ends the program if that fails."""
    for command in (["cmake", "--preset", "fuzz"],
                    ["cmake", "--build", "--preset", "fuzz"]):
        done = subprocess.run(command, cwd=SOURCE, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            sys.exit(f"fuzz: {' '.join(command)} failed:\n{done.stdout[-4000:]}")


def write_dictionary(path):
    """Writes the words of which inputs consist: names in protos, and WORDS."""
    words = set(WORDS)
    for proto in (SOURCE / "proto/stowage/v1").glob("*.proto"):
        text = re.sub(r"//.*", "", proto.read_text())
        words |= set(re.findall(r"\b(\w+) = \d+", text))
        words |= set(re.findall(r"\brpc (\w+)", text))
    path.write_text("".join(f'"{word}"\n' for word in sorted(words)))


def number_in(log, pattern):
    """Returns the last number that the pattern finds in the log; 0: none."""
    found = re.findall(pattern, log)
    return int(found[-1]) if found else 0


def run(fuzzer, minutes, out):
    """Runs a fuzzer; returns its Result."""
    found = out / "findings" / fuzzer
    corpus = BUILD / "corpora" / fuzzer
    for directory in (found, corpus):
        directory.mkdir(parents=True, exist_ok=True)
    before = set(found.iterdir())
    command = [
        str(BUILD / "fuzzers" / f"{fuzzer}_fuzzer"),
        f"-max_total_time={round(60 * minutes)}", f"-max_len={MAX_INPUT_BYTES}",
        f"-timeout={SLOW_INPUT_S}", f"-report_slow_units={SLOW_INPUT_S}", f"-rss_limit_mb={MEMORY_MB}",
        f"-dict={BUILD / 'fuzz.dict'}", f"-artifact_prefix={found}/",
        "-print_final_stats=1", str(corpus), str(CORPUS / fuzzer)]
    log_path = out / f"{fuzzer}.log"
    began = time.monotonic()
    environment = dict(os.environ, LSAN_OPTIONS=f"suppressions={SUPPRESSIONS}")
    with open(log_path, "w", encoding="utf-8") as log:
        done = subprocess.run(command, stdout=log, stderr=log, check=False,
                              env=environment)
    log = log_path.read_text(encoding="utf-8", errors="replace")
    return Result(fuzzer, number_in(log, r"number_of_executed_units: *(\d+)"),
                  number_in(log, r"cov: (\d+)"), round(time.monotonic() - began),
                  done.returncode != 0, sorted(set(found.iterdir()) - before))


def tell(results, out):
    """Prints a table, and where findings are."""
    print(f"{'fuzzer':<16}{'executions':>12}{'a second':>10}{'edges':>8}  found")
    for result in results:
        rate = result.executions // max(1, result.seconds)
        found = ", ".join(p.name.split("-")[0] for p in result.findings)
        if result.failed and not found:
            found = "it failed"
        print(f"{result.fuzzer:<16}{result.executions:>12}{rate:>10}"
              f"{result.coverage:>8}  {found or 'nothing'}")
    for result in results:
        if result.failed:
            print(f"\n{result.fuzzer}: {out / (result.fuzzer + '.log')} says what; "
                  "again:")
        for path in result.findings:
            print(f"  {BUILD / 'fuzzers' / (result.fuzzer + '_fuzzer')} {path}")


def main():
    """Runs what the command line says; returns the exit status."""
    all_fuzzers = sorted(path.name for path in CORPUS.iterdir())
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fuzzers", nargs="*", metavar="FUZZER",
                        help=f"default: all, which are {' '.join(all_fuzzers)}")
    parser.add_argument("--minutes", type=float, default=10, help="for each fuzzer")
    parser.add_argument("--jobs", type=int, default=2, help="fuzzers at a time")
    parser.add_argument("--out", type=Path, default=BUILD / "fuzz",
                        help="directory for logs and findings")
    arguments = parser.parse_args()
    unknown = set(arguments.fuzzers) - set(all_fuzzers)
    if unknown:
        parser.error(f"there is no fuzzer {' '.join(sorted(unknown))}; "
                     f"name some of {' '.join(all_fuzzers)}")
    build()
    write_dictionary(BUILD / "fuzz.dict")
    out = arguments.out.resolve()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(lambda name: run(name, arguments.minutes, out),
                                arguments.fuzzers or all_fuzzers))
    tell(results, out)
    return int(any(result.failed for result in results))


if __name__ == "__main__":
    sys.exit(main())
