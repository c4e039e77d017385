#!/usr/bin/env bash
# The first losses of the three examples at full size, with the same bits fused and unfused and at one
# and two threads, against the table test/proofs/golden.md. An example that the table lacks is written
# into it: after a change of an example, delete its line and run this again.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
ampc=${AMPC_BUILD_DIR:-build}/bin/ampc
table=test/proofs/golden.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# losses EXAMPLE OPTION...: the losses of its first five steps; the last state is at $work/state.
losses() {
  rm -rf "$work/out"
  "$ampc" train "examples/$1.amp" --steps 5 --log-every 1 --progress none --out "$work/out" "${@:2}" > /dev/null
  cp "$work/out/step-00000005.safetensors" "$work/state"
  sed -nE 's/^\{"step":[1-5],"loss":([^,]+),"lr".*/\1/p' "$work/out/metrics.jsonl" | xargs
}

for example in mlp char_gpt digits; do
  found=$(losses "$example")
  cp "$work/state" "$work/first"
  for options in "--opt-level 1" "--threads 1" "--threads 2"; do
    # shellcheck disable=SC2086
    other=$(losses "$example" $options)
    if [[ $other != "$found" ]] || ! cmp -s "$work/state" "$work/first"; then
      echo "$example $options: losses $other, expected $found and the same state" >&2
      failed=1
    fi
  done
  if ! grep -q "^| $example |" "$table"; then
    echo "| $example | ${found// / | } |" >> "$table"
    echo "$example: recorded $found"
    continue
  fi
  known=$(sed -n "s/^| $example | //; T; s/[| ]\+/ /gp" "$table" | xargs)
  # As test/train/GoldenTest.cpp: contractions may take another order on another machine.
  if ! awk -v a="$found" -v b="$known" 'BEGIN {
      n = split(a, x); if (n != split(b, y) || n != 5) exit 1
      for (i = 1; i <= n; ++i) { d = x[i] - y[i]; if (d < 0) d = -d; if (d > 4 * 5e-7 * y[i]) exit 1 }
    }'; then
    echo "$example: losses $found, expected $known" >&2
    failed=1
  else
    echo "$example: $found"
  fi
done
exit "$failed"
