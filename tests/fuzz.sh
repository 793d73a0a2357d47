#!/usr/bin/env bash
# Builds the fuzzers and runs each of them for some minutes; says what they found.
#
#   tests/fuzz.sh --minutes 10 --jobs 2
#   tests/fuzz.sh --minutes 1 graph service
#   tests/fuzz.sh --help
#
# It needs clang-14 and libclang-rt-14-dev.
set -euo pipefail
cd "$(dirname "$0")/.."
exec /usr/bin/python3 tests/fuzz/fuzz.py "$@"
