#!/usr/bin/env bash
# Runs node agents as drivers of a real Kubernetes cluster on loopback: its scheduler
# allocates claims, and jobs run under them. docs/kubernetes-claims.md says more.
#
#   tools/test-kubernetes.sh                 build what is missing, then test
#   tools/test-kubernetes.sh --build         build the cluster's programs alone
#   tools/test-kubernetes.sh ClusterTest.test_nothing_of_a_claim_is_left
#   tools/test-kubernetes.sh --pods          install the chart in a cluster with a kubelet
#                                            and containerd, and train in its pods
#
# etcd, Kubernetes and, for --pods, containerd and CoreDNS are built once, from the Go
# modules of tests/e2e/kubernetes/cluster, into the user's cache: about 20 minutes of
# processor time, and as much again for --pods. That also packs Stowage and builds images
# of the packages, with buildah. The exit status is 77 where Go is missing or too old, the
# modules cannot be had, the user is not root, or a program of Debian is missing.
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

# need PROGRAM...: those that Debian has.
need() {
  local program
  for program in "$@"; do
    command -v "$program" >/dev/null || skip "$program is missing; run apt-get install \
buildah mmdebstrap runc containernetworking-plugins nftables iproute2"
  done
}

declare -A packages=(
  [inject]=./inject
  [claims]=./claims
  [etcd]=go.etcd.io/etcd/server/v3
  [kube-apiserver]=k8s.io/kubernetes/cmd/kube-apiserver
  [kube-scheduler]=k8s.io/kubernetes/cmd/kube-scheduler
)
test=cluster_test.py
if [[ ${1:-} == "--pods" ]]; then
  shift
  test=pods_test.py
  need buildah mmdebstrap runc nft ip /usr/lib/cni/bridge
  for name in kube-controller-manager kube-proxy kubectl kubelet; do
    packages[$name]=k8s.io/kubernetes/cmd/$name
  done
  for name in containerd containerd-shim-runc-v2 ctr; do
    packages[$name]=github.com/containerd/containerd/v2/cmd/$name
  done
  packages[dns]=./dns
fi
programs=$(directory)
build_cluster
[[ ${1:-} != --build ]] || exit 0
[[ $(id -u) -eq 0 ]] || skip "only root may mount what containers have mounted"
[[ -x $build/bin/stowage-agent ]] ||
  { echo "test-kubernetes: build the project first (CONTRIBUTING.md)" >&2; exit 1; }
export STOWAGE_SOURCE_DIR=$root STOWAGE_BINARY_DIR=$build STOWAGE_KUBERNETES=$programs
apart=()
if [[ $test == pods_test.py ]]; then
  tools=$("$root/tools/go-tools.sh") || skip "there is no helm (the line above says why)"
  export PATH=$tools:$PATH STOWAGE_IMAGES=$build/images
  "$root/tools/package.sh"
  /usr/bin/python3 "$module/node_images.py" "$STOWAGE_IMAGES"
  # Nothing of the cluster survives the test, whatever ends it.
  apart=(unshare --net --mount --pid --fork --kill-child --mount-proc)
fi
exec "${apart[@]}" /usr/bin/python3 "$module/$test" "$@"
