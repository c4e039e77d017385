#!/usr/bin/env bash
# The three examples as they are written in bf16 and f16 beside f32: 500 steps, three seeds, every loss
# within the band that is derived from the format's rounding (test/train/PrecisionTest.cpp). About half
# an hour on two cores. Writes the table test/proofs/precision.md.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
AMPC_PROOF_PRECISION=1 "${AMPC_BUILD_DIR:-build}/bin/ampc-train-tests" --gtest_filter='Examples/Precision.*' | tee "$log"
{
  echo "# bf16 and f16 beside f32: 500 steps of each example, three seeds"
  echo
  echo "Written by \`tools/dev proofs precision\`. The band of a step is four times the widest drift so far of two f32 runs from"
  echo "weights that are each off by up to the format's unit roundoff times the root of the number of values that a"
  echo "step rounds to the format, plus that share of the loss itself. The share is the largest of all steps: below 1 every loss lies in its band."
  echo
  echo "| example | seed | precision | last loss | in f32 | largest distance | share of the band |"
  echo "|---|---|---|---|---|---|---|"
  sed -nE 's/^band ([^ ]+) seed ([^ ]+) ([^ ]+) last ([^ ]+) f32 ([^ ]+) largest ([^ ]+) share (.*)$/| \1 | \2 | \3 | \4 | \5 | \6 | \7 |/p' "$log"
} > test/proofs/precision.md
