#!/usr/bin/env bash
# Trains the same models with ampc and with other frameworks, in turn, and compares.
# usage: tools/bench/peers.sh [--workloads mlp,char_gpt,gpt,digits] [--precisions f32,bf16]
#   [--threads 1,2] [--peers NAMES] [--rounds N] [--quick] [--write] [--from RESULTS.json]
# AMPC_BUILD_DIR as in tools/dev. The first run fills BUILD/peers with the frameworks (about 2 GB).
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd -P)
here=$root/tools/bench/peers
export AMPC_BUILD_DIR=${AMPC_BUILD_DIR:-$root/build}
folder=${AMPC_PEERS_DIR:-$AMPC_BUILD_DIR/peers}
venv=$folder/venv
wanted=$(cat "$here"/requirements*.txt "$here/stand_ins.py" | sha256sum | cut -d " " -f 1)

fail() { printf 'peers: error: %s\n' "$1" >&2; exit 5; }

# An allocator that keeps pages, as PyTorch's guide asks for; without it peers use the system's.
fetch_allocator() (
  set -e
  mkdir -p "$folder/allocator"
  cd "$folder/allocator"
  apt-get -q download libtcmalloc-minimal4
  dpkg-deb -x libtcmalloc-minimal4_*.deb .
)

install_peers() {
  local program
  for program in python3 gcc readelf; do
    command -v "$program" >/dev/null || fail "$program was not found"
  done
  rm -rf "$venv"
  mkdir -p "$folder"
  python3 -m venv "$venv" || fail "python3 -m venv failed (Debian: the package python3-venv)"
  # One by one and without what they depend on: requirements.txt names all of it.
  "$venv/bin/python" -m pip install --quiet --no-deps --no-compile -r "$here/requirements.txt" || fail "pip install failed"
  "$venv/bin/python" "$here/stand_ins.py" "$venv" || fail "the stand-ins for CUDA could not be built"
  "$venv/bin/python" -m pip install --quiet --no-deps --no-compile -r "$here/requirements-onnxruntime.txt" ||
    printf 'peers: onnxruntime-training could not be installed\n' >&2
  (fetch_allocator) >/dev/null 2>&1 || printf 'peers: no tcmalloc: the system allocator is used\n' >&2
  printf '%s\n' "$wanted" >"$venv/made"
}

for program in ampc ampc-bench-steps ampc-bench-calibration; do
  [[ -x $AMPC_BUILD_DIR/bin/$program ]] || fail "$AMPC_BUILD_DIR/bin/$program was not found; run tools/dev build"
done
# One run at a time: another would disturb its times, or replace the frameworks under it.
mkdir -p "$folder"
exec 9>"$folder/lock"
flock --nonblock 9 || fail "another run uses $folder"
[[ -f $venv/made && $(<"$venv/made") == "$wanted" ]] || install_peers
if [[ -z ${PEERS_ALLOCATOR+x} ]]; then
  PEERS_ALLOCATOR=$(find "$folder/allocator" -name 'libtcmalloc_minimal.so.4' 2>/dev/null | head -n 1)
  export PEERS_ALLOCATOR
fi
exec "$venv/bin/python" "$here/compare.py" --folder "$folder" "$@"
