#!/usr/bin/env python3
"""Cold and warm starts: how long compiling takes, and a start that finds its plan.

Per model, in a fresh cache each round, the seconds of whole processes by `--time-report`: `ampc compile`
of a model of which nothing is kept, of one whose kernels are (another `log_every` makes another plan of the
same kernels), and of one whose plan is; with --start also `ampc train` up to the end of its first step, the
plan kept. The best of --runs; `cpu` is the processor time of the first, which other programs disturb least.

usage: tools/bench/compile.py [--runs 3] [--precision f32] [--start] [MODEL.amp ...]
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("AMPC_BUILD_DIR", ROOT / "build")) / "bin"
MODELS = ["examples/mlp.amp", "examples/digits.amp", "examples/char_gpt.amp", "tools/bench/models/gpt12.amp"]


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def report(folder, *arguments):
    """The time report of a command whose cache is `folder`, and its processor time."""
    before = cpu()
    done = subprocess.run([BIN / "ampc", *arguments, "--time-report", "--json"], check=True, capture_output=True,
                          text=True, env={**os.environ, "AMPC_CACHE": folder})
    lines = [line for line in done.stderr.splitlines() if line.startswith('{"phases"')]
    return json.loads(lines[-1]), cpu() - before


def row(model, options):
    """Kernels, then the seconds of one round."""
    with tempfile.TemporaryDirectory() as scratch:
        cache = scratch + "/cache"

        def compiled(*more):
            return report(cache, "compile", model, "--precision", options.precision, "-o", scratch + "/plan.ampx",
                          "--force", *more)

        cold, cold_cpu = compiled()
        edited, _ = compiled("--set", "train.log_every=7")
        warm, warm_cpu = compiled()
        assert edited["kernels"]["kept"] == cold["kernels"]["needed"], "kernels were not kept"
        assert warm["plan"]["kept"] == 1, "the plan was not kept"
        times = [cold["kernels"]["needed"], cold["total_s"], cold_cpu, edited["total_s"], warm["total_s"], warm_cpu]
        if options.start:
            train = ["train", model, "--precision", options.precision, "--steps", "1", "--progress", "none"]
            report(cache, *train)
            started, _ = report(cache, *train)
            times.append(sum(phase["seconds"] for phase in started["phases"] if phase["phase"] != "training"))
        return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", default=[str(ROOT / name) for name in MODELS])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--precision", default="f32")
    parser.add_argument("--start", action="store_true")
    options = parser.parse_args()
    print(f"{'model':<10} {'kernels':>7} {'cold s':>8} {'cpu s':>7} {'edited s':>9} {'warm s':>8} {'cpu s':>7}"
          + (f" {'first step s':>13}" if options.start else ""))
    for model in options.models:
        best = [min(column) for column in zip(*(row(model, options) for _ in range(options.runs)))]
        print(f"{pathlib.Path(model).stem:<10} {best[0]:>7} {best[1]:>8.2f} {best[2]:>7.2f} {best[3]:>9.2f} "
              f"{best[4]:>8.3f} {best[5]:>7.3f}" + (f" {best[6]:>13.2f}" if options.start else ""), flush=True)


if __name__ == "__main__":
    main()
