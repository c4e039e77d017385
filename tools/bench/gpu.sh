#!/usr/bin/env bash
# Steps of an MLP and of a GPT of 12 layers on a CUDA device: ampc beside PyTorch, torch.compile and
# JAX, where python3 has them; what is missing is a row that says so. Installs nothing. Runs in a
# folder that `tools/dev gpu --pack FOLDER` made: FOLDER/bench/gpu.sh
# usage: bench/gpu.sh [--quick] [--rounds N] [--precisions f32,bf16]
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd -P)
if [[ ! -f $here/roundings.json ]]; then
  echo "gpu: error: this is the tree's; tools/dev gpu --pack FOLDER makes a folder to run it in" >&2
  exit 2
fi
command -v python3 >/dev/null || { echo "gpu: beside other frameworks: python3 was not found, nothing is compared"; exit 0; }
exec python3 -B "$here/gpu.py" "$@"
