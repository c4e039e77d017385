#!/usr/bin/env python3
"""What loss scaling, finite tests and clipping add to a step, on this machine.

usage: tools/bench/scaling.py [--steps 20] [--runs 8] [--precision f32] [EXAMPLE.amp]
Runs the model (default: char_gpt) with all three and with none of them in turn, and prints the ratio of
the best and of the median step times.
"""
import argparse
import pathlib
import statistics

from steps import ROOT, bench

VARIANTS = {
    "none": ["--set", "train.clip_norm=none", "--set", "train.nonfinite=ignore", "--loss-scale", "off",
             "--unsafe-precision"],
    "all": ["--set", "train.clip_norm=1.0", "--set", "train.nonfinite=skip", "--loss-scale", "dynamic"],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", default=str(ROOT / "examples" / "char_gpt.amp"))
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--precision", default="f32")
    options = parser.parse_args()
    times = {name: [] for name in VARIANTS}
    for _ in range(options.runs):
        for name, extra in VARIANTS.items():
            row = bench(options.model, options.steps, options.precision, extra)
            times[name].append(row["step_ms"])
    best = {name: min(row["best"] for row in rows) for name, rows in times.items()}
    median = {name: statistics.median(row["median"] for row in rows) for name, rows in times.items()}
    print(f"{pathlib.Path(options.model).stem}, {options.precision}: without {best['none']:.3f} ms, with "
          f"{best['all']:.3f} ms at best: {best['all'] / best['none'] - 1:+.1%}; median "
          f"{median['none']:.3f} and {median['all']:.3f}: {median['all'] / median['none'] - 1:+.1%}")


if __name__ == "__main__":
    main()
