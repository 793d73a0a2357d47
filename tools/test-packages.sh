#!/usr/bin/env bash
# Packs Stowage, installs the packages in a fresh Debian 12 that boots in a
# container, and tests them there from installation to purge. Needs root; takes ten
# minutes the first time and two from then on.
#
#   tools/test-packages.sh
#   tools/test-packages.sh --from [COMMIT]   upgrades from packages of a commit instead
#
# The default is the first commit that packs anything. Its packages take as long as a
# build, and are kept.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "test-packages: $1" >&2
  exit 1
}

[[ $(id -u) -eq 0 ]] || fail "containers need root; run this with sudo"
programs=(mmdebstrap systemd-nspawn)
commit=
if [[ ${1:-} == "--from" && $# -le 2 ]]; then
  programs+=(ip)
  commit=${2:-$(git log --diff-filter=A --format=%H -- tools/package.sh | tail -n 1)}
  [[ -n $commit ]] || fail "git does not know the first commit that packs; name one"
elif [[ $# -ne 0 ]]; then
  fail "usage: tools/test-packages.sh [--from [COMMIT]]"
fi
for program in "${programs[@]}"; do
  command -v "$program" >/dev/null ||
    fail "$program is missing; run apt-get install mmdebstrap systemd-container iproute2"
done
if [[ -n $commit ]]; then
  STOWAGE_OLD_PACKAGES=$(tools/package-commit.sh "$commit")
  export STOWAGE_OLD_PACKAGES
fi
tools/package.sh
[[ -z $commit ]] || exec /usr/bin/python3 tests/e2e/packages/upgrade_test.py
exec /usr/bin/python3 tests/e2e/packages/system_test.py
