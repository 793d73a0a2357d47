#!/usr/bin/env bash
# Packs Stowage and does what docs/quickstart.md says in fresh hosts of Debian 12 that
# boot in containers. Needs root; takes ten minutes more the first time.
#
#   tools/test-quickstart.sh
#   tools/test-quickstart.sh QuickstartTest.test_a_cluster_of_hosts
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ $(id -u) -ne 0 ]]; then
  echo "test-quickstart: containers need root; run this with sudo" >&2
  exit 1
fi
for program in mmdebstrap systemd-nspawn ip; do
  if ! command -v "$program" >/dev/null; then
    echo "test-quickstart: $program is missing; run apt-get install mmdebstrap systemd-container iproute2" >&2
    exit 1
  fi
done
tools/package.sh
exec /usr/bin/python3 tests/e2e/packages/quickstart_test.py "$@"
