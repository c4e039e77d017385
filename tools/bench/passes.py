#!/usr/bin/env python3
"""Compile time against the size of the graph: are the passes near linear?

For each number of layers a model of small residual layers is compiled to stage placed (no code
generation) with its training step; prints the operations of the step, the seconds of the whole
command (best of --runs) and the seconds per thousand operations.

usage: tools/bench/passes.py [--layers 100,300,1000] [--runs 3]
"""
import argparse
import os
import pathlib
import re
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("AMPC_BUILD_DIR", ROOT / "build")) / "bin"

MODEL = """
model deep {{
  dim batch = 4
  input x: f32[batch, 8]
  target y: f32[batch, 8]
  h = x
  repeat {layers} {{ h = h + tanh(linear(h, 8)) }}
  loss = mse(h, y)
}}
train {{ optimizer = adamw(lr = 1e-3) }}
data {{
  x = normal(1)
  y = normal(2)
}}
"""


def compile_to(stage, model, out):
    start = time.perf_counter()
    subprocess.run([BIN / "ampc", "compile", model, "--emit", stage, "-o", out, "--force"],
                   check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--layers", default="100,300,1000,3000")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print(f"{'layers':>7} {'step ops':>9} {'seconds':>8} {'ms/1000 ops':>12}")
    with tempfile.TemporaryDirectory() as scratch:
        for layers in map(int, options.layers.split(",")):
            model = pathlib.Path(scratch) / "deep.amp"
            out = pathlib.Path(scratch) / "deep.mlir"
            model.write_text(MODEL.format(layers=layers))
            compile_to("step", model, out)
            step = re.search(r"func\.func @train_step.*?\n  }", out.read_text(), re.S).group(0)
            ops = len(re.findall(r"\bamp\.\w+", step))
            seconds = min(compile_to("placed", model, out) for _ in range(options.runs))
            print(f"{layers:>7} {ops:>9} {seconds:>8.3f} {seconds / ops * 1e6:>12.1f}")


if __name__ == "__main__":
    main()
