"""Trains the same models with ampc and with other frameworks, in turn. Run by ../peers.sh; see README.md."""
import argparse
import datetime
import importlib.metadata
import json
import os
import pathlib
import re
import shlex
import sys

import chart
import report
from processes import PEERS, PeerError
from workloads import ROOT, WORKLOADS

DOCUMENT, PICTURE = ROOT / "docs/performance.md", ROOT / "docs/peers.svg"
PACKAGES = {"PyTorch": "torch", "JAX": "jax", "ONNX Runtime": "onnxruntime-training"}


def names(allowed):
    def parse(value):
        chosen = value.split(",")
        wrong = [name for name in chosen if name not in allowed]
        if wrong:
            raise argparse.ArgumentTypeError(f"'{wrong[0]}' is none of {', '.join(allowed)}")
        return chosen

    return parse


def machine():
    """The processor and what matters of it."""
    info = pathlib.Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*:\s*(.*)", info)
    flags = set((re.search(r"^flags\s*:(.*)$", info, re.M) or [None, ""])[1].split())
    shown = [name for name in ("avx2", "avx512f", "avx512_bf16", "amx_bf16") if name in flags]
    return f"{model[1] if model else 'an unknown processor'} ({os.cpu_count()} threads; {', '.join(shown)})"


def versions():
    found = {}
    for name, package in PACKAGES.items():
        try:
            found[name] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            pass
    return found


def write(results):
    DOCUMENT.write_text(report.replaced(DOCUMENT.read_text(), report.text(results)))
    PICTURE.write_text(chart.svg(results))


def parse():
    parser = argparse.ArgumentParser(prog="tools/bench/peers.sh", description=__doc__.split(". ")[0])
    parser.add_argument("--workloads", type=names(WORKLOADS), default=list(WORKLOADS), metavar="NAMES")
    parser.add_argument("--precisions", type=names(("f32", "bf16")), default=["f32", "bf16"], metavar="NAMES")
    parser.add_argument("--threads", type=lambda value: [int(count) for count in value.split(",")], default=[1, 2],
                        metavar="COUNTS")
    parser.add_argument("--peers", type=names(PEERS), default=list(PEERS), metavar="NAMES")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--quick", action="store_true", help="1 round of 2 steps, 2 losses checked, 1 probe")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md and docs/peers.svg")
    parser.add_argument("--from", dest="source", metavar="RESULTS.json", help="measure nothing, use these")
    parser.add_argument("--folder", required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if min(options.threads) < 1 or max(options.threads) > len(os.sched_getaffinity(0)):
        parser.error(f"--threads: expected 1 to {len(os.sched_getaffinity(0))}, got {options.threads}")
    return options


def measure(options, folder):
    from rounds import Bench

    bench = Bench(folder, *((1, 2, 1, 2) if options.quick else (options.rounds, 10, 3, None)))
    shown = [word for word in sys.argv[1:] if word not in ("--folder", options.folder)]
    results = {"command": shlex.join(["tools/bench/peers.sh", *shown]), "machine": machine(),
               "date": datetime.date.today().isoformat(), "versions": versions(),
               "titles": {name: WORKLOADS[name].title for name in options.workloads}, "cases": []}
    for name in options.workloads:
        try:
            bench.prepare(WORKLOADS[name], options.precisions)
        except PeerError as error:
            raise SystemExit(f"peers: error: {name}: {error}") from None
        for precision in options.precisions:
            for threads in options.threads:
                print(f"{name}, {precision}, {threads} threads", flush=True)
                results["cases"].append(bench.case(options.peers, WORKLOADS[name], precision, threads,
                                                   lambda line: print(line, flush=True)))
                (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    print(f"results in {folder / 'results.json'}")
    return results


def main():
    options = parse()
    folder = pathlib.Path(options.folder)
    results = json.loads(pathlib.Path(options.source).read_text()) if options.source else measure(options, folder)
    print()
    print(report.text(results))
    if options.write:
        write(results)


if __name__ == "__main__":
    main()
