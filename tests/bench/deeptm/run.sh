#!/usr/bin/env bash
# The learning test of DeepTM's DQN: trains on the papers' models with three
# seeds and fails unless every plan beats first-touch, lru and random weights.
#
#   tests/bench/deeptm/run.sh [BUILD_DIR] [flags of deeptm_learning]
#
# The reward curves are written to BUILD_DIR/deeptm_curve.csv, which
# tests/bench/deeptm/curves.py draws. Takes about half
# an hour on two cores.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
build=${1:-$root/build}
shift || true
cmake --build "$build" --target deeptm_learning
graphs=()
for model in alexnet mobilenet_v2 vgg19 resnet152 inception_v3; do
  graphs+=("$root/tools/stowage/suites/graphs/$model-b8.pb.gz")
done
exec "$build/bin/deeptm_learning" --curve "$build/deeptm_curve.csv" \
  --decisions "$@" "${graphs[@]}"
