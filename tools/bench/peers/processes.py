"""Peers as processes: started on the same processors, told to take steps, asked for memory."""
import contextlib
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BIN = pathlib.Path(os.environ.get("AMPC_BUILD_DIR", ROOT / "build")) / "bin"
SCRIPTS = {"PyTorch": "peer_torch.py", "torch.compile": "peer_torch.py", "JAX": "peer_jax.py",
           "ONNX Runtime": "peer_onnxruntime.py"}
PEERS = ["ampc", *SCRIPTS]


class PeerError(Exception):
    """A peer that ended, or did not answer in time; the text is what stands in its row."""


def environment(threads, cache, device="cpu"):
    """Threads bound to processors; no allocator that gives pages back at each step; caches in `cache`."""
    own = dict(os.environ)
    own.update({
        "OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads),
        "OMP_PROC_BIND": "close", "OMP_PLACES": "threads", "OMP_SCHEDULE": "static",
        "TORCHINDUCTOR_CACHE_DIR": str(cache / "inductor"), "AMPC_CACHE": str(cache / "ampc"),
        "XDG_CACHE_HOME": str(cache), "JAX_PLATFORMS": device,
    })
    if device == "cpu":
        own["CUDA_VISIBLE_DEVICES"] = ""
    allocator = os.environ.get("PEERS_ALLOCATOR", "")
    if allocator:
        own["LD_PRELOAD"] = allocator
    return own


def processors(threads):
    return sorted(os.sched_getaffinity(0))[:threads]


class Process:
    """A program that answers each line with one of JSON."""

    def __init__(self, name, command, threads, cache, log, device="cpu"):
        self.name, self.log = name, pathlib.Path(log)
        own = environment(threads, pathlib.Path(cache), device)
        if name == "ampc" or name == "calibration":
            # Their threads are their own: OpenMP's settings would hold the whole process to one processor.
            for key in ("LD_PRELOAD", "OMP_PROC_BIND", "OMP_PLACES"):
                own.pop(key, None)
        chosen = processors(threads)
        self.errors = open(self.log, "wb")
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, env=own,
            start_new_session=True, preexec_fn=lambda: os.sched_setaffinity(0, chosen))
        self.rest = b""

    def reason(self):
        """The last line of its errors that says something."""
        lines = [line.strip() for line in self.log.read_text(errors="replace").splitlines() if line.strip()]
        return lines[-1][:200] if lines else f"it ended with {self.process.poll()} and said nothing"

    def read(self, timeout):
        end = time.monotonic() + timeout
        while b"\n" not in self.rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                self.stop()
                raise PeerError(f"no answer in {timeout:.0f} s")
            piece = os.read(self.process.stdout.fileno(), 1 << 16)
            if not piece:
                self.stop()
                raise PeerError(self.reason())
            self.rest += piece
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def ask(self, line, timeout=1200):
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            self.stop()
            raise PeerError(self.reason()) from None
        return self.read(timeout)

    def peak_bytes(self):
        """Most that was resident at once, by the system's count."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))

    def stop(self):
        """Ends it and what it started, as inductor starts compilers."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for file in (self.process.stdin, self.process.stdout, self.errors):
            with contextlib.suppress(BrokenPipeError):
                file.close()


def compile_ampc(workload, precision, threads, plan, cache):
    """Compiles a plan; seconds."""
    command = [str(BIN / "ampc"), "compile", str(workload.model), "--entry", "train", "--precision", precision,
               "--threads", str(threads), "--force", "-o", str(plan)]
    for entry in workload.sets:
        command += ["--set", entry]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env=environment(threads, pathlib.Path(cache)))
    if done.returncode:
        raise PeerError((done.stderr.strip().splitlines() or ["ampc compile failed"])[0])
    return time.perf_counter() - start


def start_ampc(plan, weights, data, threads, cache, log, device="cpu"):
    command = [str(BIN / "ampc-bench-steps"), str(plan), "--threads", str(threads)]
    if weights:
        command += ["--weights", str(weights)]
    for name, path in data.items():
        command += ["--data", f"{name}={path}"]
    return Process("ampc", command, threads, cache, log, device)


def start_peer(task, log):
    command = [sys.executable, str(HERE / SCRIPTS[task["peer"]]), json.dumps(task)]
    return Process(task["peer"], command, task["threads"], task["cache"], log, task.get("device", "cpu"))


def start_calibration(threads, scratch):
    command = [str(BIN / "ampc-bench-calibration"), "--threads", str(threads)]
    return Process("calibration", command, threads, scratch, scratch / "calibration.log")
