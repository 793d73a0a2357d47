#!/usr/bin/env bash
# Installs everything that it takes to build, test and run Stowage from Debian
# 12's own packages. You may run it again at any time: it installs what is
# missing, and does nothing if nothing is.
#
#   tools/setup.sh            install what is missing
#   tools/setup.sh --check    only say what is missing (exit status 1 if so)
set -euo pipefail

packages=(
  # To build.
  build-essential cmake ninja-build ccache mold pkg-config
  protobuf-compiler protobuf-compiler-grpc
  libtorch-dev libgrpc++-dev libgrpc-dev libprotobuf-dev libabsl-dev
  libmemkind-dev libnuma-dev liburing-dev
  prometheus-cpp-dev libmicrohttpd-dev libsqlite3-dev libpq-dev coinor-libcbc-dev
  libsystemd-dev libssl-dev libcurl4-openssl-dev zlib1g-dev libxxhash-dev libcli11-dev
  nlohmann-json3-dev libarchive-dev
  # To install and to pack.
  help2man file dpkg-dev lintian python3-debian
  # To test.
  libgtest-dev libgmock-dev libbenchmark-dev clang-format clang-tidy procps e2fsprogs
  prometheus python3-yaml postgresql sqlite3 python3-pyfuse3 python3-grpcio
  python3-protobuf systemd slurm-wlm munge libjemalloc2 libtcmalloc-minimal4
  # Virtual environments with other versions of PyTorch, and what torch.compile needs.
  python3-venv python3-dev
  # Tests build C++ extensions of PyTorch, which need it.
  pybind11-dev
  # To train. The reference BLAS that libtorch brings is 15 times slower.
  libopenblas0-openmp python3-torch python3-torchvision python3-numpy
  python3-matplotlib
)

fail() {
  echo "setup: $1" >&2
  exit 1
}

check_distribution() {
  [[ -r /etc/os-release ]] || fail "no /etc/os-release: this is not Debian 12"
  local id version
  id=$(. /etc/os-release && echo "${ID:-}")
  version=$(. /etc/os-release && echo "${VERSION_ID:-}")
  [[ $id == debian && $version == 12 ]] ||
    fail "this is ${id:-unknown} ${version:-}, and the packages are Debian 12's; \
use a Debian 12 machine or container (docker run -it debian:12)"
}

missing_packages() {
  local package status
  for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [[ $status == installed ]] || echo "$package"
  done
}

as_root() {
  if [[ $(id -u) -eq 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "installing packages needs root: run this as root, or install sudo"
  fi
}

apt() {
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 \
    -o Dpkg::Use-Pty=0 "$@"
}

check_distribution
mapfile -t missing < <(missing_packages)
if [[ ${#missing[@]} -eq 0 ]]; then
  echo "setup: all ${#packages[@]} packages are installed"
  exit 0
fi
echo "setup: missing: ${missing[*]}"
[[ ${1:-} != --check ]] || exit 1

apt update || fail "cannot reach the package mirrors; check the network and \
/etc/apt/sources.list, then run this again"
apt install --no-install-recommends "${missing[@]}" ||
  fail "installation failed; the lines above say why. Still missing: $(missing_packages | tr '\n' ' ')"

mapfile -t missing < <(missing_packages)
[[ ${#missing[@]} -eq 0 ]] || fail "still missing: ${missing[*]}"
echo "setup: all ${#packages[@]} packages are installed"
