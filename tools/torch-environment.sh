#!/usr/bin/env bash
# Makes a virtual environment with a PyTorch of PyPI for tests, and prints its
# interpreter.
#
#   tools/torch-environment.sh 2.15.0          make it if it is missing
#   tools/torch-environment.sh --find 2.15.0   only print where it is
#   tools/torch-environment.sh --newest        print the newest version that is tested
#
# It lies in the user's cache. The exit status is 77 where it cannot be had; the tests
# that need it then skip. It takes 5 GB and two minutes.
set -euo pipefail

newest=2.15.0

skip() {
  echo "torch-environment: $1" >&2
  exit 77
}

find_only=
case ${1:-} in
  --newest) echo "$newest"; exit ;;
  --find) find_only=1; shift ;;
esac
version=${1:?"torch-environment needs a version of PyTorch, as $newest"}
[[ $version =~ ^2\.[0-9.]+$ ]] ||
  { echo "torch-environment: '$version' is no version as $newest" >&2; exit 2; }

environment=${XDG_CACHE_HOME:-$HOME/.cache}/stowage/torch-$version
python=$environment/bin/python3
if [[ -e $environment/complete ]]; then
  echo "$python"
  exit
elif [[ $find_only ]]; then
  skip "there is no environment with PyTorch $version; tools/torch-environment.sh $version makes it"
fi

rm -rf "$environment"
/usr/bin/python3 -m venv "$environment" >&2 ||
  skip "python3 makes no virtual environments: apt-get install python3-venv"
# torchvision names the one version of PyTorch that it is for.
"$environment/bin/pip" install --quiet --disable-pip-version-check \
  "torch==$version" torchvision numpy >&2 ||
  skip "pip cannot install PyTorch $version; the line above says why"
touch "$environment/complete"
echo "$python"
