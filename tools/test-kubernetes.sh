#!/usr/bin/env bash
# Runs node agents as drivers of a real Kubernetes cluster on loopback: its scheduler
# allocates claims, and jobs run under them. docs/kubernetes-claims.md says more.
#
#   tools/test-kubernetes.sh                 build what is missing, then test
#   tools/test-kubernetes.sh --build         build the cluster's programs alone
#   tools/test-kubernetes.sh ClusterTest.test_nothing_of_a_claim_is_left
#
# etcd and Kubernetes are built once, from the Go modules of
# tests/e2e/kubernetes/cluster, into the user's cache: about 20 minutes of processor
# time. The exit status is 77 where Go is missing or too old, the modules cannot be had,
# or the user is not root, who alone may mount what containers have mounted.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
module=$root/tests/e2e/kubernetes/cluster
build=${STOWAGE_BINARY_DIR:-$root/build}

skip() {
  echo "test-kubernetes: $1" >&2
  exit 77
}

# The directory for these versions of the modules.
directory() {
  local version
  version=$(cat "$module"/go.mod "$module"/go.sum "$module"/*/*.go | sha256sum)
  echo "${XDG_CACHE_HOME:-$HOME/.cache}/stowage/kubernetes-${version:0:16}"
}

check_go() {
  command -v go >/dev/null || skip "there is no Go, so the cluster is not built"
  local needed found
  needed=$(awk '$1 == "go" {print $2}' "$module/go.mod")
  found=$(go env GOVERSION) && found=${found#go}
  [[ $(printf '%s\n' "$needed" "$found" | sort -V | head -n 1) == "$needed" ]] ||
    skip "Go is $found, and the cluster needs $needed"
}

# build_program NAME PACKAGE: the API server says by its version what it serves.
build_program() {
  local version flags=-X\ k8s.io/component-base/version
  [[ ! -x $programs/$1 ]] || return 0
  echo "test-kubernetes: building $1 into $programs" >&2
  version=$(awk '$1 == "k8s.io/kubernetes" {print $2}' "$module/go.mod")
  local minor=${version#v1.}
  (cd "$module" && nice -n 10 go build -trimpath -buildvcs=false \
    -ldflags "-s -w $flags.gitVersion=$version $flags.gitMajor=1 \
$flags.gitMinor=${minor%%.*}" -o "$programs/$1" "$2")
}

build_cluster() {
  local name
  check_go
  export GOFLAGS=-mod=readonly GOTOOLCHAIN=local CGO_ENABLED=0
  (cd "$module" && go list -deps "${packages[@]}" >/dev/null) ||
    skip "the Go modules cannot be had, so the cluster is not built"
  mkdir -p "$programs"
  for name in "${!packages[@]}"; do
    build_program "$name" "${packages[$name]}"
  done
}

declare -A packages=(
  [inject]=./inject
  [claims]=./claims
  [etcd]=go.etcd.io/etcd/server/v3
  [kube-apiserver]=k8s.io/kubernetes/cmd/kube-apiserver
  [kube-scheduler]=k8s.io/kubernetes/cmd/kube-scheduler
)
programs=$(directory)
build_cluster
[[ ${1:-} != --build ]] || exit 0
[[ $(id -u) -eq 0 ]] || skip "only root may mount what containers have mounted"
[[ -x $build/bin/stowage-agent ]] ||
  { echo "test-kubernetes: build the project first: tools/test.sh --build" >&2; exit 1; }
export STOWAGE_SOURCE_DIR=$root STOWAGE_BINARY_DIR=$build STOWAGE_KUBERNETES=$programs
exec /usr/bin/python3 "$module/cluster_test.py" "$@"
