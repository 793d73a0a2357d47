#!/usr/bin/env bash
# Trains mixed jobs on one host for a long time, with a fault a minute, and checks
# that no bit is wrong and that nothing is left behind.
#
#   tests/soak.sh --minutes 120
#   tests/soak.sh --minutes 5 --fault-every 15 --seed 7
#   tests/soak.sh --help
#
# It uses what tools/test.sh has built.
set -euo pipefail
cd "$(dirname "$0")/.."
export OMP_WAIT_POLICY=passive
exec /usr/bin/python3 tests/soak/soak.py "$@"
