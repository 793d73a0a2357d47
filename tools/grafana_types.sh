#!/bin/bash
# Installs what deploy_schema_test checks dashboards with: Grafana's types and the
# TypeScript compiler, in the versions of tests/e2e/deploy/schema/package-lock.json.
# It needs npm and its registry, and writes to the user's cache alone.
set -euo pipefail

schema=$(cd "$(dirname "$0")/../tests/e2e/deploy/schema" && pwd)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/stowage/tools/grafana-types
mkdir -p "$folder"
cp "$schema/package.json" "$schema/package-lock.json" "$folder"
npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund
echo "installed in $folder"
