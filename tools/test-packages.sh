#!/usr/bin/env bash
# Packs Stowage, installs the packages in a fresh Debian 12 that boots in a
# container, and tests them there from installation to purge. Needs root; takes ten
# minutes the first time and two from then on.
#
#   tools/test-packages.sh
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ $(id -u) -ne 0 ]]; then
  echo "test-packages: containers need root; run this with sudo" >&2
  exit 1
fi
for program in mmdebstrap systemd-nspawn; do
  if ! command -v "$program" >/dev/null; then
    echo "test-packages: $program is missing; run apt-get install mmdebstrap systemd-container" >&2
    exit 1
  fi
done
tools/package.sh
exec /usr/bin/python3 tests/e2e/packages/system_test.py
