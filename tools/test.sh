#!/usr/bin/env bash
# Builds Stowage and runs its tests; works on a fresh Debian 12 machine.
#
#   tools/test.sh                 everything, release build
#   tools/test.sh --label unit    only the tests that carry the label
#                                 (unit, conformance, e2e, train)
#   tools/test.sh --torch 2.15.0  the training tests with that version of PyTorch, of
#                                 PyPI: in a virtual environment in the user's cache
#   tools/test.sh --asan          unit and conformance tests under the address
#                                 and undefined-behaviour sanitizers
#   tools/test.sh --tsan          the same under the thread sanitizer
#
# Two tests run at a time.
set -euo pipefail

usage() {
  sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"
}

preset=release
label=
torch=
while [[ $# -gt 0 ]]; do
  case $1 in
    --label)
      label=${2:?"--label needs the name of a label"}
      shift 2
      ;;
    "--torch")
      torch=${2:?"--torch needs a version of PyTorch"}
      label=train
      shift 2
      ;;
    --asan | --tsan)
      preset=${1#--}
      label=${label:-unit|conformance}
      shift
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      echo "test: unknown argument '$1'; see --help" >&2
      exit 2
      ;;
  esac
done

cd "$(dirname "$0")/.."
case $preset in
  release) build=build ;;
  *) build=build-$preset ;;
esac

tools/setup.sh

# The version of PyTorch, of PyPI, that training tests need; empty: none. Its environment
# is downloaded while the compiler works.
pypi=$torch
if [[ $preset == release && ${label:-train} =~ ^(e2e|train)$ ]]; then
  pypi=${torch:-$(tools/torch-environment.sh --newest)}
  timeout 600 tools/torch-environment.sh "$pypi" >/dev/null &
  downloading=$!
fi

cmake --preset "$preset"
cmake --build --preset "$preset"

# Builds the plug-in for that PyTorch, where the programs of the build find it.
make_plugin() {
  local found
  wait "$downloading" && found=$(tools/torch-environment.sh --find "$pypi") &&
    "$build/bin/stowage" plugin build --python "$found" --output "$build/lib/stowage"
}

python=/usr/bin/python3
if [[ $pypi ]] && ! make_plugin; then
  [[ -z $torch ]] || { echo "test: no PyTorch $torch; the line above says why" >&2; exit 1; }
  echo "test: no PyTorch of PyPI within 10 minutes (the line above says why); its tests skip"
elif [[ $torch ]]; then
  python=$(tools/torch-environment.sh --find "$torch")
fi
export STOWAGE_TEST_PYTHON=$python

# What tests of the Helm chart need, where there is Go; else they skip.
if [[ $preset == release && ${label:-e2e} == e2e ]]; then
  timeout 600 tools/go-tools.sh ||
    echo "test: no helm within 10 minutes (the line above says why); its tests skip"
fi

# Spinning OpenMP threads starve whatever else the tests run.
export OMP_WAIT_POLICY=passive
log=$build/ctest.log
status=0
ctest --test-dir "$build" --output-on-failure --no-tests=error -j 2 \
  ${label:+-L "$label"} | tee "$log" || status=$?

summary=$(grep -E '^[0-9]+% tests passed' "$log" || echo "no test ran to its end")
skipped=$(grep -cE '\*\*\*Skipped' "$log" || true)
echo "test: $summary; $skipped skipped ($preset build)"
exit "$status"
