#!/usr/bin/env bash
# Builds the images of deploy/docker from the packages with buildah or Docker, and tests
# that they run. Needs root and a network; the base image is made of Debian's packages
# here, so that no registry is asked. Takes five minutes with Docker, and up to twenty with
# buildah.
#
#   tools/test-images.sh                   with buildah
#   tools/test-images.sh --engine docker   with a dockerd of its own, where it is installed
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "test-images: $1" >&2
  exit 1
}

engine=buildah
if [[ ${1:-} == "--engine" && $# -eq 2 ]]; then
  engine=$2
elif [[ $# -ne 0 ]]; then
  fail "usage: tools/test-images.sh [--engine buildah|docker]"
fi
[[ $(id -u) -eq 0 ]] || fail "images need root; run this with sudo"
case $engine in
  buildah)
    command -v buildah >/dev/null ||
      fail "buildah is missing; run apt-get install buildah" ;;
  docker)
    if ! command -v dockerd >/dev/null; then
      echo "test-images: skipped, as dockerd is missing; run apt-get install docker.io" >&2
      exit 0
    fi ;;
  *) fail "there is no engine $engine; name buildah or docker" ;;
esac
command -v mmdebstrap >/dev/null ||
  fail "mmdebstrap is missing; run apt-get install mmdebstrap"
tools/package.sh
export STOWAGE_IMAGE_ENGINE=$engine
exec /usr/bin/python3 tests/e2e/packages/images_test.py
