#!/usr/bin/env bash
# Builds the Debian packages of Stowage, and a list of what is in each (SBOM).
#
#   tools/package.sh          build/packages/*.deb and *.cdx.json
#
# docs/packages.md says what they are.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/setup.sh
cmake --preset release >/dev/null
cmake --build --preset release --target \
  stowage stowaged stowage-agent stowage-trainer stowage_torch stowage_preload
rm -rf build/packages/*.deb build/packages/*.cdx.json
(cd build && cpack)
rm -rf build/packages/_CPack_Packages
/usr/bin/python3 tools/sbom.py build/packages/*.deb
ls -l build/packages/*.deb build/packages/*.cdx.json
