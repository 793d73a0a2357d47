#!/usr/bin/env bash
# Builds what tests of the Helm chart need: helm, and a checker of manifests. Both come
# of Go modules whose versions and hashes tests/e2e/helm/decode has (go.mod, go.sum).
#
#   tools/go-tools.sh             build what is missing; print the directory
#   tools/go-tools.sh --find      only print the directory
#
# The directory is in the user's cache, one for each version of the sources. The exit
# status is 77 where Go is missing or too old, or the modules cannot be had; the tests
# then skip. The first build takes five minutes of processor time.
set -euo pipefail

module=$(cd "$(dirname "$0")/../tests/e2e/helm/decode" && pwd)

skip() {
  echo "go-tools: $1" >&2
  exit 77
}

# The directory for these sources.
directory() {
  local version
  version=$(cat "$0" "$module"/go.mod "$module"/go.sum "$module"/*.go | sha256sum)
  echo "${XDG_CACHE_HOME:-$HOME/.cache}/stowage/tools/helm-${version:0:16}"
}

go_is_new_enough() {
  local needed found
  needed=$(awk '$1 == "go" {print $2}' "$module/go.mod")
  found=$(go env GOVERSION) && found=${found#go}
  [[ $(printf '%s\n' "$needed" "$found" | sort -V | head -n 1) == "$needed" ]] ||
    skip "Go is $found, and the tests of the chart need $needed"
}

# helm takes the newest Kubernetes that it knows for its own when it renders without a
# cluster. Its makefile sets this from the version of client-go, as here.
kubernetes_flags() {
  local minor package
  minor=$(awk '$1 == "k8s.io/client-go" {split($2, part, "."); print part[2]}' \
    "$module/go.mod")
  for package in chartutil lint/rules; do
    printf -- '-X helm.sh/helm/v3/pkg/%s.k8sVersionMajor=1 ' "$package"
    printf -- '-X helm.sh/helm/v3/pkg/%s.k8sVersionMinor=%s ' "$package" "$minor"
  done
}

tools=$(directory)
if [[ -x $tools/helm && -x $tools/decode || ${1:-} == --find ]]; then
  echo "$tools"
  exit 0
fi

command -v go >/dev/null || skip "there is no Go, so the tests of the chart skip"
go_is_new_enough
cd "$module"
export GOFLAGS=-mod=readonly GOTOOLCHAIN=local
packages=(. helm.sh/helm/v3/cmd/helm)
echo "go-tools: fetching Go modules" >&2
go list -deps "${packages[@]}" >/dev/null ||
  skip "the Go modules cannot be had, so the tests of the chart skip"
echo "go-tools: building helm and the checker of manifests into $tools" >&2
mkdir -p "$tools"
nice -n 10 go build -buildvcs=false -ldflags "-s -w $(kubernetes_flags)" \
  -o "$tools/" "${packages[@]}"
find "${tools%/*}" -mindepth 1 -maxdepth 1 -name 'helm-*' -mtime +30 -exec rm -rf {} +
echo "$tools"
