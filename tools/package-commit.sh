#!/usr/bin/env bash
# Builds the Debian packages of another commit, by that commit's own tools/package.sh,
# and prints the folder that has them. They are built once and kept by commit in
# ~/.cache/stowage/packages.
#
#   tools/package-commit.sh COMMIT
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "package-commit: $1" >&2
  exit 1
}

[[ $# -eq 1 ]] || fail "usage: tools/package-commit.sh COMMIT"
commit=$(git rev-parse --verify --quiet "$1^{commit}") || fail "there is no commit $1"
git cat-file -e "$commit:tools/package.sh" 2>/dev/null ||
  fail "$1 is older than tools/package.sh; name a commit that has it"
kept=${XDG_CACHE_HOME:-$HOME/.cache}/stowage/packages/$commit
if [[ ! -d $kept ]]; then
  sources=$kept.building
  rm -rf "$sources"
  mkdir -p "$(dirname "$kept")"
  git clone --quiet --no-checkout . "$sources"
  git -C "$sources" checkout --quiet --detach "$commit"
  "$sources/tools/package.sh" >&2
  mv "$sources/build/packages" "$sources/packages"
  find "$sources/packages" -mindepth 1 ! -name '*.deb' -delete
  mv "$sources/packages" "$kept"
  rm -rf "$sources"
fi
echo "$kept"
