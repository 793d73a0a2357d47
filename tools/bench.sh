#!/usr/bin/env bash
# Measures what docs/measurements.md reports, and writes it there. Leave the
# machine alone meanwhile: about ten minutes on two cores.
#
#   tools/bench.sh                   all benchmarks
#   tools/bench.sh --rounds 3        fewer rounds: quicker, less certain
set -euo pipefail
cd "$(dirname "$0")/.."

tools/setup.sh
cmake --preset release
cmake --build --preset release

/usr/bin/python3 tests/bench/resnet50.py --markdown docs/measurements.md "$@"
/usr/bin/python3 tests/bench/copies.py --markdown docs/measurements.md "$@"
cmake --build --preset release --target migrate_small_tensors
/usr/bin/python3 tests/bench/aggregation/aggregation.py \
  --markdown docs/measurements.md "$@"
