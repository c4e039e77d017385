#!/usr/bin/env python3
"""Step time, compile time and memory of the examples, on this machine.

usage: tools/bench/steps.py [--steps 30] [--runs 3] [EXAMPLE.amp ...]
Prints per example: cold compile seconds, best and median step in ms (from the metrics rows),
planned and real peak bytes.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("AMPC_BUILD_DIR", ROOT / "build")) / "bin"
EXAMPLES = ["mlp.amp", "digits.amp", "char_gpt.amp"]


def run_once(model, steps, scratch):
    metrics = pathlib.Path(scratch) / "metrics.jsonl"
    metrics.unlink(missing_ok=True)
    subprocess.run([BIN / "ampc", "train", model, "--steps", str(steps), "--log-every", "1",
                    "--metrics", metrics, "--progress", "none"],
                   check=True, stdout=subprocess.DEVNULL)
    rows = [json.loads(line) for line in metrics.read_text().splitlines()]
    summary = rows[-1]
    train = [row for row in rows if "step" in row and "split" not in row]
    # The first steps touch the memory.
    rates = [row["samples_per_s"] for row in train[3:]]
    return summary, rates


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*",
                        default=[str(ROOT / "examples" / name) for name in EXAMPLES])
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print(f"{'model':<14} {'compile s':>9} {'samples/s best':>15} {'median':>10} "
          f"{'planned bytes':>14} {'real bytes':>12}")
    with tempfile.TemporaryDirectory() as scratch:
        for model in options.models:
            runs = [run_once(model, options.steps, scratch) for _ in range(options.runs)]
            rates = [rate for _, run in runs for rate in run]
            summary = runs[0][0]
            print(f"{pathlib.Path(model).stem:<14} "
                  f"{min(run['compile_s'] for run, _ in runs):>9.2f} "
                  f"{max(rates):>15.1f} {statistics.median(rates):>10.1f} "
                  f"{summary['planned_peak_bytes']:>14} {summary['peak_bytes']:>12}")


if __name__ == "__main__":
    main()
