"""Steps on a CUDA device beside other frameworks. Run by gpu.sh in a packed folder; see README.md."""
import argparse
import dataclasses
import importlib.util
import json
import os
import pathlib
import shutil
import statistics
import tempfile

import losses
from workloads import WORKLOADS, tokens

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE.parent
MODULES = {"PyTorch": "torch", "torch.compile": "torch", "JAX": "jax"}
GPT = WORKLOADS["gpt"]
# As pack.py compiles them: sizes that keep a GPU busy.
WORK = {
    "mlp": WORKLOADS["mlp"],
    "gpt": dataclasses.replace(GPT, title="GPT of 12 layers, width 768, 8 x 1024 tokens, AdamW",
                               network={**GPT.network, "seq": 1024}, inputs=tokens(8, 1024, 50304)),
}


def missing(peer):
    """Why a peer cannot run here; empty where it can."""
    for module in (MODULES[peer], "numpy"):
        if importlib.util.find_spec(module) is None:
            return f"{module} is not installed"
    return ""


class Case:
    """A workload in a precision: files, the exact losses and the bands, then rows."""

    def __init__(self, workload, precision, scratch, rounds, checked):
        self.workload, self.precision, self.scratch = workload, precision, scratch
        self.rounds, self.checked = rounds, checked

    def ampc(self, precision, weights, log="ampc.log"):
        from processes import start_ampc
        plan = FOLDER / f"time/{self.workload.name}.{precision}.ampx"
        return start_ampc(plan, weights, self.files, len(os.sched_getaffinity(0)), self.scratch,
                          self.scratch / log, device="cuda")

    def start(self, peer):
        from processes import start_peer
        if peer == "ampc":
            return self.ampc(self.precision, self.weights)
        task = {"peer": peer, "workload": self.workload.name, "precision": self.precision, "device": "cuda",
                "network": self.workload.network, "threads": len(os.sched_getaffinity(0)),
                "weights": str(self.weights), "data": self.files, "cache": str(self.scratch)}
        return start_peer(task, self.scratch / f"{peer.replace(' ', '')}.log")

    def losses(self, weights):
        process = self.ampc("f32", weights)
        process.read(600)
        found = process.ask(f"step {self.checked}")["losses"]
        process.stop()
        return [float("nan") if loss is None else loss for loss in found]

    def prepare(self, roundings):
        import data
        self.files = data.write_batches(self.workload, self.scratch)
        self.weights = self.scratch / "weights.safetensors"
        first = self.ampc("f32", None)
        first.read(600)
        first.ask(f"save {self.weights}")
        first.stop()
        initial = data.read_weights(self.weights)
        data.write_weights(self.weights, initial)
        self.exact, self.bands = self.losses(self.weights), []
        moved = self.scratch / "moved.safetensors"
        for precision in dict.fromkeys(("f32", self.precision)):
            # f32 counts once for each term of its longest sum.
            count = roundings[f"{self.workload.name}.{precision}"]
            count *= self.workload.longest_sum if precision == "f32" else 1
            off, runs = losses.perturbation(precision, count), []
            for probe in range(2):
                data.write_weights(moved, data.perturbed(initial, off, probe + 1))
                runs.append(self.losses(moved))
            self.bands.append(losses.band(self.exact, runs, precision, self.workload.longest_sum))

    def rows(self, peers):
        from processes import PeerError
        opened = []
        for peer in peers:
            row = {"peer": peer, "times": [], "why": missing(peer) if peer != "ampc" else ""}
            process = None
            if not row["why"]:
                try:
                    process = self.start(peer)
                    process.read(900)
                    found = process.ask(f"step {self.checked}")["losses"]
                    wrong = losses.refusal(found, self.exact, [self.bands[0], self.bands[-1]])
                    row["why"] = f"refused: {wrong}" if wrong else ""
                except PeerError as error:
                    row["why"], process = str(error), None
            opened.append((row, process))
        for number in range(self.rounds):
            alive = [entry for entry in opened if entry[1] and not entry[0]["why"]]
            shift = number % max(1, len(alive))
            for row, process in alive[shift:] + alive[:shift]:
                try:
                    row["times"] += process.ask(f"step {self.workload.turn}")["ms"]
                except PeerError as error:
                    row["why"] = str(error)
        for _, process in opened:
            if process:
                process.stop()
        return [row for row, _ in opened]


def table(title, rows):
    own = next((row for row in rows if row["peer"] == "ampc" and row["times"]), None)
    lines = [title, f"  {'':<14} {'best ms':>9} {'median':>9} {'of ampc':>8}"]
    for row in rows:
        if row["why"] or not row["times"]:
            lines.append(f"  {row['peer']:<14} not run: {row['why'] or 'no times'}")
            continue
        median = statistics.median(row["times"])
        share = f"{median / statistics.median(own['times']):8.2f}" if own else ""
        lines.append(f"  {row['peer']:<14} {min(row['times']):9.3f} {median:9.3f} {share}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="gpu.sh", description=__doc__.split(". ")[0])
    parser.add_argument("--quick", action="store_true", help="only say which peers are here")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--precisions", default="f32,bf16")
    options = parser.parse_args()
    peers = ["ampc", *MODULES]
    # ampc's batches are written by numpy too; its times alone stand in the table of plans.
    if options.quick or missing("PyTorch").startswith("numpy") or all(missing(peer) for peer in MODULES):
        reasons = {peer: missing(peer) or "not asked for (--quick)" for peer in MODULES}
        print(table("beside other frameworks", [{"peer": peer, "why": why, "times": []} for peer, why in reasons.items()]))
        return
    # Processes of this folder, not of a build.
    os.environ["AMPC_BUILD_DIR"] = str(FOLDER)
    roundings = json.loads((HERE / "roundings.json").read_text())
    for workload in WORK.values():
        for precision in options.precisions.split(","):
            scratch = pathlib.Path(tempfile.mkdtemp())
            try:
                case = Case(workload, precision, scratch, options.rounds, 10)
                case.prepare(roundings)
                print(table(f"{workload.title}, {precision}", case.rows(peers)), flush=True)
            finally:
                shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
