#!/usr/bin/env bash
# Checks and times this machine's CUDA device with what stands in this folder (packed by
# `tools/dev gpu --pack`); needs CUDA's driver, NVRTC and cuBLASLt, and installs nothing.
# usage: run.sh [--quick]
#   --quick  times small plans for a moment: shows that it works (what the software device gets)
# Ends with `N passed, N failed, N skipped`. Without a device everything is skipped and that is no error.
set -uo pipefail
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd -P)
cd "$here" || exit 5
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0 skipped=0 quick=()
case ${1:-} in
"") ;;
--quick) quick=(--quick) ;;
*) echo "usage: run.sh [--quick]" >&2; exit 2 ;;
esac
# Kernels compiled here stay here.
export AMPC_CACHE=${AMPC_CACHE:-$scratch/kernels}

shopt -s nullglob
kernels=(kernels/*.kernels) trainings=(train/*.ampx) timed=(time/*.ampx)
launches=$(bin/ampc-gpu-kernels --count "${kernels[@]}") || { echo "gpu: error: the programs do not start here" >&2; exit 5; }
finish() {
  echo "$passed passed, $failed failed, $skipped skipped"
  [[ $failed == 0 ]]
}

# One kernel decides whether there is a device at all.
device=$(bin/ampc-bench-device --quick 2>"$scratch/why")
if [[ $? == 5 ]]; then
  echo "gpu: no CUDA device to check: $(tail -n 1 "$scratch/why")"
  skipped=$((launches + ${#trainings[@]} + ${#timed[@]}))
  finish
  exit
fi
echo "gpu: ${device%%$'\n'*}"
[[ $device != *"ampc software CUDA device"* ]] || quick=(--quick)

echo "gpu: $launches launches of kernels, expected bit for bit"
bin/ampc-gpu-kernels "${kernels[@]}" >"$scratch/kernels" 2>&1
grep -v ' passed, ' "$scratch/kernels" | head -n 40
counts=$(grep ' passed, ' "$scratch/kernels")
if [[ $counts =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
  passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
else
  failed=$((failed + launches))
fi

# Losses of a training beside those in FILE.expected: step, loss, how far it may be off.
compare() {
  awk '
    NR == FNR { expected[$1] = $2; allowed[$1] = $3; steps = NR; next }
    match($0, /"step":[0-9]+/) {
      step = substr($0, RSTART + 7, RLENGTH - 7)
      if (/"split"/ || !match($0, /"loss":[-+0-9.eE]+/)) next
      loss = substr($0, RSTART + 7, RLENGTH - 7)
      off = loss - expected[step]; if (off < 0) off = -off
      if (step in expected) seen++
      if (!(off <= allowed[step]) && !wrong)
        wrong = "loss " loss " at step " step ", expected " expected[step] " within " allowed[step]
      share = allowed[step] > 0 ? off / allowed[step] : (off > 0)
      if (share > worst) worst = share
    }
    END {
      if (!wrong && seen != steps) wrong = seen + 0 " losses, expected " steps
      if (wrong) { print wrong; exit 1 }
      printf "%d losses, at most %.2g of what is allowed off\n", seen, worst
    }' "$1" "$2"
}

for plan in "${trainings[@]}"; do
  name=${plan%.ampx}
  data=()
  while read -r line; do data+=(--data "$line"); done <"$name.data"
  if bin/ampc-rt train "$plan" --steps 20 --progress none --metrics "$scratch/metrics.jsonl" "${data[@]}" \
      >"$scratch/out" 2>&1; then
    said=$(compare "$name.expected" "$scratch/metrics.jsonl")
  else
    said=$(tail -n 1 "$scratch/out"; false)
  fi
  if [[ $? == 0 ]]; then passed=$((passed + 1)); else failed=$((failed + 1)); said="FAILED: $said"; fi
  echo "gpu: training $(basename "$name"): $said"
  rm -f "$scratch/metrics.jsonl"
done

[[ ${#quick[@]} == 0 ]] || timed=(train/mlp.[fb]*.ampx train/char_gpt.bf1[6].ampx)
bin/ampc-bench-device "${quick[@]}" "${timed[@]}" 2>&1 | tee "$scratch/times"
if [[ ${PIPESTATUS[0]} -le 1 ]]; then wrong=$(grep -c ': error: ' "$scratch/times"); else wrong=${#timed[@]}; fi
passed=$((passed + ${#timed[@]} - wrong)) failed=$((failed + wrong))
bench/gpu.sh "${quick[@]}" || failed=$((failed + 1))
finish
