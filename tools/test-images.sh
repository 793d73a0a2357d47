#!/usr/bin/env bash
# Builds the images of deploy/docker from the packages with buildah, and tests that
# they run. Needs root and a network; the base image is made of Debian's packages
# here, so that no registry is asked. Takes ten minutes.
#
#   tools/test-images.sh
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ $(id -u) -ne 0 ]]; then
  echo "test-images: images need root; run this with sudo" >&2
  exit 1
fi
for program in buildah mmdebstrap; do
  if ! command -v "$program" >/dev/null; then
    echo "test-images: $program is missing; run apt-get install buildah mmdebstrap" >&2
    exit 1
  fi
done
tools/package.sh
exec /usr/bin/python3 tests/e2e/packages/images_test.py
