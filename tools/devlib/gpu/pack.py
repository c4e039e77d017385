#!/usr/bin/env python3
"""Packs a folder that checks and times a CUDA device where nothing of ampc is installed.

    pack.py FOLDER --build BUILD [--models mlp]

Everything that needs the compiler happens here: kernels are recorded as the software device runs them,
plans are compiled, and the losses that each must give are taken from the CPU, with the band they may
leave it by (tools/bench/peers/losses.py says how that is derived). FOLDER/run.sh does the rest.
"""
import argparse
import array
import dataclasses
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PEERS = ROOT / "tools/bench/peers"
sys.path.insert(0, str(PEERS))
import losses  # noqa: E402

PRECISIONS = ("f32", "bf16", "f16")
PROGRAMS = ("ampc-rt", "ampc-bench-steps", "ampc-bench-device", "ampc-gpu-kernels")
# The C library is the machine's own: its loader belongs to it.
SYSTEM = ("linux-vdso", "ld-linux", "libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so")
STEPS, PROBES = 20, 3
# The oldest device of each precision: bf16 begins with sm_80.
TARGETS = {"f32": "cuda:sm_75", "bf16": "cuda:sm_80", "f16": "cuda:sm_75"}


@dataclasses.dataclass(frozen=True)
class Training:
    """A model at sizes that the software device trains too; `longest_sum` as in workloads.py."""

    name: str
    model: str
    sets: tuple
    longest_sum: int
    data: tuple = ()  # of --data; {data} is the packed folder's
    files: tuple = ()  # of examples/data


TRAININGS = (
    Training("mlp", "examples/mlp.amp", ("batch=64", "width=128", "hidden=256"), 64 * 128),
    Training("digits", "examples/digits.amp", ("batch=32", "channels=8", "hidden=32"), 32 * 64,
             ("pixels=csv:{data}/digits.csv#0-63", "labels=csv:{data}/digits.csv#64"), ("digits.csv",)),
    Training("char_gpt", "examples/char_gpt.amp", ("batch=4", "seq=32", "width=64", "heads=2", "layers=2"),
             4 * 32 * 64, ("tokens,labels=text:{data}/bible.txt",), ("bible.txt",)),
)
# What is timed: name, model, sizes.
TIMED = (
    ("mlp", "examples/mlp.amp", ()),
    ("gpt", "tools/bench/peers/models/gpt.amp", ("batch=8", "seq=1024")),
)


class Packer:
    def __init__(self, folder, build, models):
        self.folder, self.build, self.models = folder, build, models
        self.bin = build / "bin"
        self.scratch = folder / "scratch"
        self.environment = {**os.environ, "AMPC_CUDA_LIBRARIES": str(build / "hostgpu"),
                            "AMPC_HOSTGPU_CACHE": str(build / "hostgpu/cache")}

    def run(self, *command, **extra):
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                              env={**self.environment, **extra}, cwd=ROOT)
        if done.returncode:
            raise SystemExit(f"gpu: error: {' '.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def say(self, text):
        print(f"gpu: {text}", flush=True)

    def programs(self):
        for part in ("bin", "lib"):
            (self.folder / part).mkdir()
        for program in PROGRAMS:
            shutil.copy2(self.bin / program, self.folder / "bin")
            for line in self.run("ldd", self.bin / program).splitlines():
                name, arrow, rest = line.strip().partition(" => ")
                if arrow and not name.startswith(SYSTEM) and not (self.folder / "lib" / name).exists():
                    shutil.copy2(rest.split(" (")[0], self.folder / "lib" / name)
        shutil.copy2(HERE / "run.sh", self.folder)
        for program in PROGRAMS:
            for line in self.run("ldd", self.folder / "bin" / program).splitlines():
                name, _, found = line.strip().partition(" => ")
                if found and not name.startswith(SYSTEM) and not found.startswith(str(self.folder)):
                    raise SystemExit(f"gpu: error: {program} takes {name} from outside the folder: {found}")

    def kernels(self):
        """The launches of test/kernels, as the software device gives them."""
        (self.folder / "kernels").mkdir()
        for name, program in (("programs", "ampc-cuda-kernel-tests"), ("models", "ampc-model-kernel-tests")):
            self.say(f"recording {program}")
            self.run(self.bin / program, AMPC_RECORD_KERNELS=str(self.folder / f"kernels/{name}.kernels"))

    def compile(self, model, sets, precision, target, plan):
        settings = [word for entry in sets for word in ("--set", entry)]
        self.run(self.bin / "ampc", "compile", ROOT / model, "--entry", "train", "--precision", precision,
                 "--target", target, "--force", "-o", plan, *settings)

    def roundings(self, model, sets, precision, longest_sum):
        settings = [word for entry in sets for word in ("--set", entry)]
        said = self.run(self.bin / "ampc", "explain", ROOT / model, "--precision", precision, "--json", *settings)
        return losses.roundings(json.loads(said), precision, longest_sum)

    def losses_of(self, training, plan, weights=None):
        metrics = self.scratch / "metrics.jsonl"
        metrics.unlink(missing_ok=True)
        data = [word for entry in training.data
                for word in ("--data", entry.format(data=self.folder / "data"))]
        self.run(self.bin / "ampc-rt", "train", plan, "--steps", STEPS, "--progress", "none", "--metrics", metrics,
                 *data, *(("--weights", weights) if weights else ()))
        rows = map(json.loads, metrics.read_text().splitlines())
        return [row["loss"] for row in rows if "loss" in row and "step" in row and "split" not in row]

    def training(self, training):
        """Plans, and for each step its loss on the CPU and the band around it."""
        where = self.folder / "train"
        exact_plan, weights = self.scratch / "exact.ampx", self.scratch / "weights.safetensors"
        self.compile(training.model, training.sets, "f32", "cpu", exact_plan)
        weights.unlink(missing_ok=True)
        subprocess.run([self.bin / "ampc-bench-steps", exact_plan], input=f"save {weights}\n", text=True, check=True,
                       stdout=subprocess.DEVNULL)
        exact = self.losses_of(training, exact_plan)
        for precision in PRECISIONS:
            name = f"{training.name}.{precision}"
            count = self.roundings(training.model, training.sets, precision, training.longest_sum)
            off = losses.perturbation(precision, count)
            probes = []
            for probe in range(PROBES):
                moved = self.scratch / "moved.safetensors"
                perturb(weights, moved, off, probe + 1)
                probes.append(self.losses_of(training, exact_plan, moved))
            band = losses.band(exact, probes, precision, training.longest_sum)
            expected = exact
            if precision != "f32":
                self.compile(training.model, training.sets, precision, "cpu", self.scratch / "plan.ampx")
                expected = self.losses_of(training, self.scratch / "plan.ampx")
            # Both runs err: the CPU's and the device's.
            lines = [f"{step + 1} {loss!r} {2 * width!r}" for step, (loss, width) in enumerate(zip(expected, band))]
            (where / f"{name}.expected").write_text("\n".join(lines) + "\n")
            (where / f"{name}.data").write_text("".join(entry.format(data="data") + "\n" for entry in training.data))
            self.compile(training.model, training.sets, precision, TARGETS[precision], where / f"{name}.ampx")

    def trainings(self):
        (self.folder / "train").mkdir()
        (self.folder / "data").mkdir()
        for training in (entry for entry in TRAININGS if entry.name in self.models):
            lacking = [name for name in training.files if not (ROOT / "examples/data" / name).exists()]
            if lacking:
                self.say(f"{training.name} is left out: examples/data lacks {', '.join(lacking)} (tools/dev data)")
                continue
            self.say(f"training {training.name} on the CPU")
            for name in training.files:
                shutil.copy2(ROOT / "examples/data" / name, self.folder / "data")
            self.training(training)

    def timed(self):
        (self.folder / "time").mkdir()
        counts = {}
        for name, model, sets in (entry for entry in TIMED if entry[0] in self.models):
            self.say(f"compiling {name} to be timed")
            for precision in PRECISIONS:
                self.compile(model, sets, precision, TARGETS[precision], self.folder / f"time/{name}.{precision}.ampx")
                counts[f"{name}.{precision}"] = self.roundings(model, sets, precision, 1)
        bench = self.folder / "bench"
        bench.mkdir()
        for file in PEERS.glob("*.py"):
            shutil.copy2(file, bench)
        shutil.copy2(ROOT / "tools/bench/gpu.sh", bench)
        (bench / "roundings.json").write_text(json.dumps(counts) + "\n")

    def pack(self):
        self.programs()
        self.scratch.mkdir()
        self.trainings()
        self.timed()
        self.kernels()
        shutil.rmtree(self.scratch)


def perturb(source, target, off, seed):
    """Weights that are each off by up to `off` times themselves; all of them are f32."""
    draw = random.Random(seed)
    content = source.read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + size])
    kept, parts, offset = {}, [], 0
    for name, entry in header.items():
        if name == "__metadata__" or name.startswith("ampc."):
            continue
        begin, end = entry["data_offsets"]
        values = array.array("f", content[8 + size + begin:8 + size + end])
        for index, value in enumerate(values):
            values[index] = value * (1 + draw.uniform(-off, off))
        kept[name] = {**entry, "data_offsets": [offset, offset + len(values) * 4]}
        offset += len(values) * 4
        parts.append(values.tobytes())
    text = json.dumps(kept).encode()
    text += b" " * (-len(text) % 8)
    target.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))


def main():
    parser = argparse.ArgumentParser(prog="tools/dev gpu --pack")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    known = list(dict.fromkeys([entry.name for entry in TRAININGS] + [entry[0] for entry in TIMED]))
    parser.add_argument("--models", default=",".join(known), help=f"of {', '.join(known)}")
    options = parser.parse_args()
    models = options.models.split(",")
    if unknown := [name for name in models if name not in known]:
        parser.error(f"--models: '{unknown[0]}' is none of {', '.join(known)}")
    folder = options.folder.resolve()
    if folder.exists() and any(folder.iterdir()) and not (folder / "run.sh").exists():
        raise SystemExit(f"gpu: error: {folder} holds something else; name another folder")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    Packer(folder, options.build.resolve(), models).pack()
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    print(f"gpu: {folder}: {size / 2 ** 20:.0f} MiB; on the machine with a GPU: {folder.name}/run.sh")


if __name__ == "__main__":
    main()
