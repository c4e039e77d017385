#!/usr/bin/env bash
# Generated kernels beside STREAM-like loops in one process.
# usage: tools/bench/kernels.sh [THREADS] ; AMPC_BUILD_DIR as in tools/dev
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd -P)
bin=${AMPC_BUILD_DIR:-$root/build}/bin
threads=${1:-0}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for model in "$root"/tools/bench/models/*.amp; do
  name=$(basename "$model" .amp)
  "$bin/ampc" compile "$model" --entry infer -o "$scratch/$name.ampx" >/dev/null
  printf '== %s\n' "$name"
  "$bin/ampc-bench-kernels" "$scratch/$name.ampx" --threads "$threads"
done
