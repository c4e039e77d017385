#!/usr/bin/env bash
# The examples as they are written at eight memory budgets in f32, bf16 and f16, with and without
# accumulation: what is planned is what a session obtains, to the byte; and what a process with the
# runtime alone grows by (test/train/MemoryBudgetTest.cpp). Writes the table test/proofs/memory.md.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
AMPC_PROOF_MEMORY=1 "${AMPC_BUILD_DIR:-build}/bin/ampc-train-tests" \
  --gtest_filter='Examples/Budgets.*:ResidentMemory.*' | tee "$log"
{
  echo "# Memory budgets and what sessions obtain"
  echo
  echo "Written by \`tools/dev proofs memory\`. Bytes obtained at eight budgets, evenly from the smallest feasible one to what no"
  echo "budget needs; in every one the bytes planned beforehand are the same."
  echo
  echo "| example | precision | accumulate | smallest budget | obtained at the eight budgets, KiB | as planned |"
  echo "|---|---|---|---|---|---|"
  sed -nE 's/^budget ([^ ]+) ([^ ]+) accumulate ([^ ]+) bytes ([0-9]+) planned ([0-9]+) obtained ([0-9]+)$/\1 \2 \3 \4 \5 \6/p' "$log" |
    awk '{ key = $1 " | " $2 " | " $3
           if (!(key in first)) { order[++keys] = key; first[key] = $4 }
           list[key] = list[key] (list[key] ? ", " : "") int($6 / 1024)
           count[key]++; same[key] += $5 == $6 }
         END { for (i = 1; i <= keys; ++i) { key = order[i]
           printf "| %s | %d | %s | %d of %d |\n", key, first[key], list[key], same[key], count[key] } }'
  echo
  echo "What a process with the runtime alone grows by from before \`Session::open\` to its peak, two threads:"
  echo
  echo "| example | planned, MiB | grown, MiB |"
  echo "|---|---|---|"
  sed -nE 's/^resident ([^ ]+) planned ([^ ]+) grown (.*)$/| \1 | \2 | \3 |/p' "$log"
} > test/proofs/memory.md
