#!/usr/bin/env bash
# Trains ResNet-50 with all the memory it wants and again under 40 % of it, and
# shows that both compute the same bits. Works on a fresh Debian 12 machine.
#
#   tools/demo.sh [OUTPUT_DIRECTORY]     default: demo-output
set -euo pipefail
cd "$(dirname "$0")/.."

output=${1:-demo-output}
steps=10
python=/usr/bin/python3
stowage=build/bin/stowage
export OMP_WAIT_POLICY=passive

say() {
  printf '\n== %s\n' "$1"
}

train() {
  local name=$1
  shift
  "$@" "$python" tests/e2e/train/scripts/train_model.py resnet50 \
    --batch 16 --image 224 --steps "$steps" --out "$output/$name.digest.json"
}

say "Packages and build"
tools/setup.sh
cmake --preset release >/dev/null
cmake --build --preset release --target \
  bin/stowage bin/stowaged bin/stowage-agent \
  lib/libstowage_torch.so lib/libstowage_preload.so
mkdir -p "$output/slow"

say "PyTorch alone: $steps steps of ResNet-50, batch 16"
train alone env | tee "$output/alone.log"

say "Stowage without a limit: the step is captured as a graph"
train captured "$stowage" graph capture -o "$output/resnet50.json.gz" --

say "Stowage under 40 % of the tensor peak, slow tier: a file"
train limited "$stowage" run --fast 40% --slow "file:$output/slow" \
  --report "$output/limited.json" --plot "$output/step.svg" --

say "What happened"
"$python" tools/demo_summary.py "$output"
