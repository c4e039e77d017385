"""One case, a workload in a precision on some threads: exact losses, then peers in turn."""
import json
import os
import pathlib
import shutil
import statistics
import subprocess

import data
import losses
from processes import (BIN, PeerError, compile_ampc, environment, processors, start_ampc, start_calibration,
                       start_peer)


class Bench:
    """What the cases of a run share: a folder of files, and how long to measure."""

    def __init__(self, folder, rounds, checked, probes, turns):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.rounds, self.checked, self.probes, self.turns = rounds, checked, probes, turns
        self.prepared = {}

    def plan(self, workload, precision, threads):
        return self.folder / f"{workload.name}.{precision}.{threads}.ampx"

    def prepare(self, workload, precisions):
        """Data, initial weights, the exact losses and the bands of a workload, all on all processors."""
        if workload.name in self.prepared:
            return self.prepared[workload.name]
        threads = len(processors(os.cpu_count()))
        files = data.write_batches(workload, self.folder)
        plan = self.plan(workload, "f32", threads)
        compile_ampc(workload, "f32", threads, plan, self.folder)
        weights = self.folder / f"{workload.name}.safetensors"
        first = start_ampc(plan, None, files, threads, self.folder, self.folder / "weights.log")
        first.read(600)
        first.ask(f"save {weights}")
        first.stop()
        initial = data.read_weights(weights)
        data.write_weights(weights, initial)

        def run(start):
            process = start_ampc(plan, start, files, threads, self.folder, self.folder / "exact.log")
            process.read(600)
            found = process.ask(f"step {self.checked}")["losses"]
            process.stop()
            return [float("nan") if loss is None else loss for loss in found]

        exact, bands = run(weights), {}
        moved = self.folder / "moved.safetensors"
        for precision in dict.fromkeys(("f32", *precisions)):
            count = losses.roundings(self.explain(workload, precision), precision, workload.longest_sum)
            off = losses.perturbation(precision, count)
            runs = []
            for probe in range(self.probes):
                data.write_weights(moved, data.perturbed(initial, off, probe + 1))
                runs.append(run(moved))
            bands[precision] = losses.band(exact, runs, precision, workload.longest_sum)
        self.prepared[workload.name] = (files, weights, exact, bands)
        return self.prepared[workload.name]

    def explain(self, workload, precision):
        command = [str(BIN / "ampc"), "explain", str(workload.model), "--precision", precision, "--json"]
        for entry in workload.sets:
            command += ["--set", entry]
        done = subprocess.run(command, capture_output=True, text=True, env=environment(1, self.folder))
        if done.returncode:
            raise PeerError((done.stderr.strip().splitlines() or ["ampc explain failed"])[0])
        return json.loads(done.stdout)

    def start(self, peer, workload, precision, threads, cache):
        """A peer ready for steps, its first step taken: the process, that step's answer, seconds, bytes."""
        files, weights, _, _ = self.prepared[workload.name]
        log = self.folder / f"{peer.replace(' ', '')}.log"
        seconds = 0.0
        if peer == "ampc":
            plan = self.plan(workload, precision, threads)
            seconds = compile_ampc(workload, precision, threads, plan, cache)
            process = start_ampc(plan, weights, files, threads, cache, log)
        else:
            process = start_peer({"peer": peer, "workload": workload.name, "precision": precision,
                                  "threads": threads, "weights": str(weights), "data": files,
                                  "cache": str(cache)}, log)
        opened = process.read(900)
        answer = process.ask("step 1")
        return process, answer, seconds + opened["open_s"] + answer["ms"][0] * 1e-3, opened.get("start_bytes")

    def open_row(self, peer, workload, precision, threads):
        """A row with both compile times and the first losses, and its process, which is None if it failed."""
        _, _, exact, bands = self.prepared[workload.name]
        row = {"peer": peer, "times": []}
        cache = self.folder / "cache"
        shutil.rmtree(cache, ignore_errors=True)
        cache.mkdir()
        try:
            process, _, row["cold_s"], _ = self.start(peer, workload, precision, threads, cache)
            process.stop()
            process, answer, row["warm_s"], row["start_bytes"] = self.start(peer, workload, precision, threads, cache)
            row["losses"] = answer["losses"]
            if self.checked > 1:
                row["losses"] = answer["losses"] + process.ask(f"step {self.checked - 1}")["losses"]
        except PeerError as error:
            row["failed"] = str(error)
            return row, None
        row["refused"] = losses.refusal(row["losses"], exact, [bands["f32"], bands[precision]])
        return row, process

    def case(self, peers, workload, precision, threads, say):
        self.prepare(workload, (precision,))
        opened = []
        for peer in peers:
            row, process = self.open_row(peer, workload, precision, threads)
            state = row.get("failed") or row.get("refused") or f"first step {row['cold_s']:.2f} / {row['warm_s']:.2f} s"
            say(f"  {peer}: {state}")
            opened.append((row, process))
        loads = self.take_rounds(opened, workload, threads, say)
        for row, process in opened:
            if process:
                self.finish(row, process)
            row.pop("times")
        return {"workload": workload.name, "precision": precision, "threads": threads, "calibration": loads,
                "exact": self.prepared[workload.name][2], "rows": [row for row, _ in opened]}

    def take_rounds(self, opened, workload, threads, say):
        """Rounds in which each peer takes a turn, another one first each time; what the machine gave in each."""
        calibration, loads = start_calibration(threads, self.folder), []
        turn = self.turns or workload.turn
        for number in range(self.rounds):
            loads.append(calibration.ask("measure"))
            alive = [entry for entry in opened if entry[1] and not entry[0].get("failed")]
            shift = number % max(1, len(alive))
            told = []
            for row, process in alive[shift:] + alive[:shift]:
                try:
                    times = process.ask(f"step {turn}")["ms"]
                except PeerError as error:
                    row["failed"] = str(error)
                    continue
                row["times"] += times
                told.append(f"{row['peer']} {min(times):.4g}")
            say(f"  round {number + 1}: {loads[-1]['stream_gbs']:.1f} GB/s, {loads[-1]['fma_gflops']:.0f} GFLOP/s; "
                f"best ms {', '.join(told)}")
        calibration.stop()
        return loads

    @staticmethod
    def finish(row, process):
        if not row.get("failed"):
            row["peak_bytes"] = process.peak_bytes()
            row["best_ms"], row["median_ms"] = min(row["times"]), statistics.median(row["times"])
            if row["peer"] == "ampc":
                row["planned_bytes"] = process.ask("memory")["planned_bytes"]
        process.stop()
