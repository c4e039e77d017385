#!/usr/bin/env bash
# examples/mlp.amp at full size: 20 losses and every variable by compiled code and by the reference
# evaluator, and the same bits at 1 to 4 threads, fused and unfused. About six minutes on two cores.
# Writes the table test/proofs/mlp.md.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
AMPC_PROOF_FULL=1 "${AMPC_BUILD_DIR:-build}/bin/ampc-train-tests" | tee "$log"
{
  echo "# examples/mlp.amp at full size: compiled code and reference evaluator"
  echo
  echo "Written by \`tools/dev proofs mlp\`. The bound is the derived bound of the step's own loss plus a"
  echo "safety factor times the measured drift of the states (test/train/TwoPathTest.cpp)."
  echo
  echo "| step | compiled | reference | difference | bound |"
  echo "|---|---|---|---|---|"
  sed -nE 's/^step +([0-9]+) loss ([^ ]+) reference ([^ ]+) difference +([^ ]+) bound (.*)$/| \1 | \2 | \3 | \4 | \5 |/p' "$log"
  echo
  echo "| proof | result |"
  echo "|---|---|"
  sed -nE 's/^\[       OK \] ([A-Za-z.]+) .*/| \1 | holds |/p' "$log"
} > test/proofs/mlp.md
