#!/usr/bin/env python3
"""Step time, compile time and memory of the examples, on this machine.

usage: tools/bench/steps.py [--steps 30] [--runs 3] [--precision f32] [EXAMPLE.amp ...]
Prints per example: cold compile seconds, best and median step in ms (`ampc bench`), planned and real
peak bytes of a training run.
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


def bench(model, steps, precision, options=()):
    """The one row of a comparison of `precision` with nothing."""
    done = subprocess.run([BIN / "ampc", "bench", model, "--compare", precision, "--steps", str(steps),
                           "--json", *options], check=True, capture_output=True, text=True,
                          env={**os.environ, "AMPC_CACHE": "off"})
    return json.loads(done.stdout)["rows"][0]


def memory(model, precision, scratch):
    """Planned and real peak bytes of three steps."""
    metrics = pathlib.Path(scratch) / "metrics.jsonl"
    metrics.unlink(missing_ok=True)
    subprocess.run([BIN / "ampc", "train", model, "--precision", precision, "--steps", "3",
                    "--metrics", metrics, "--progress", "none"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    summary = json.loads(metrics.read_text().splitlines()[-1])
    return summary["planned_peak_bytes"], summary["peak_bytes"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*",
                        default=[str(ROOT / "examples" / name) for name in EXAMPLES])
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--precision", default="f32")
    options = parser.parse_args()
    print(f"{'model':<14} {'compile s':>9} {'step ms best':>13} {'median':>9} "
          f"{'planned bytes':>14} {'real bytes':>12}")
    with tempfile.TemporaryDirectory() as scratch:
        for model in options.models:
            rows = [bench(model, options.steps, options.precision) for _ in range(options.runs)]
            planned, real = memory(model, options.precision, scratch)
            print(f"{pathlib.Path(model).stem:<14} "
                  f"{min(row['compile_s'] for row in rows):>9.2f} "
                  f"{min(row['step_ms']['best'] for row in rows):>13.3f} "
                  f"{statistics.median(row['step_ms']['median'] for row in rows):>9.3f} "
                  f"{planned:>14} {real:>12}")


if __name__ == "__main__":
    main()
