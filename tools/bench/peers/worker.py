"""The loop of a peer's process: it says what it is, then answers commands, JSON a line.

Its one argument is what `processes.Process` writes: workload, precision, threads, weights, data, cache.
`ampc-bench-steps` answers the same commands.
"""
import json
import os
import sys
import time


def resident_bytes(key="VmRSS"):
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith(key + ":"):
                return int(line.split()[1]) * 1024
    return 0


def serve(make):
    """`make(task)` gives a function from a batch's number to a loss, which returns when the step is done."""
    task = json.loads(sys.argv[1])
    # What a library prints must not stand between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(answer):
        print(json.dumps(answer), file=answers, flush=True)

    start_bytes = resident_bytes()
    start = time.perf_counter()
    step = make(task)
    say({"open_s": time.perf_counter() - start, "start_bytes": start_bytes})
    number = 0
    for line in sys.stdin:
        verb, count = line.split()
        if verb != "step":
            raise SystemExit(f"expected 'step N', got {line!r}")
        times, losses = [], []
        for _ in range(int(count)):
            start = time.perf_counter()
            loss = step(number)
            times.append((time.perf_counter() - start) * 1e3)
            losses.append(loss if loss == loss and abs(loss) != float("inf") else None)
            number += 1
        say({"ms": times, "losses": losses})
