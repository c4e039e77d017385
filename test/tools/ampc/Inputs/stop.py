"""Stops `ampc train` by signals at many times: stop.py AMPC MODEL FOLDER. Every run must end as the
signal asks, leave nothing half-written, and continue to the bits of a run that was not stopped."""
import os
import random
import shutil
import signal
import subprocess
import sys
import time

ampc, model, folder = sys.argv[1:4]
random.seed(5)
STEPS = 4000
FINAL = "step-%08d.safetensors" % STEPS
temporary = os.path.join(folder, "tmp")


def command(out, *more, save_every=200):
    return [ampc, "train", model, "--out", os.path.join(folder, out), "--steps", str(STEPS),
            "--save-every", str(save_every), "--progress", "none", *more]


def start(out, *more, **settings):
    shutil.rmtree(os.path.join(folder, out), ignore_errors=True)
    os.makedirs(temporary, exist_ok=True)
    return subprocess.Popen(command(out, *more, **settings), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, env={**os.environ, "TMPDIR": temporary})


def end(process, what):
    """The exit code as a shell shows it, and the output."""
    try:
        text = process.communicate(timeout=60)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        sys.exit("%s: runs on" % what)
    code = process.returncode
    return (128 - code if code < 0 else code), text


def check(condition, what, text=""):
    if not condition:
        sys.exit("FAILED %s\n%s" % (what, text))


def final(out):
    with open(os.path.join(folder, out, FINAL), "rb") as file:
        return file.read()


def check_continues(out, what, *more):
    """Only whole files, and a last state that leads to the bits of the whole run."""
    names = os.listdir(os.path.join(folder, out))
    for name in names:
        check(name in ("last", "metrics.jsonl") or name.startswith("step-"), what, name)
    last = os.path.join(folder, out, "last")
    check(os.path.exists(last), what + ": no last state", str(names))
    if FINAL in names: # it was at its end before the signal
        check(final(out) == whole, what + ": other bits than the whole run")
        return
    done = subprocess.run(command(out + "-rest", "--resume", last, "--force", *more),
                          capture_output=True, text=True)
    check(done.returncode == 0, what + ": resumed", done.stderr)
    check(final(out + "-rest") == whole, what + ": other bits than the whole run")


def wait_for_state(out, process):
    """Until there is a state to continue from."""
    while process.poll() is None and not os.path.exists(os.path.join(folder, out, "last")):
        time.sleep(0.001)


process = start("whole")
code, text = end(process, "whole")
check(code == 0, "whole", text)
whole = final("whole")

# One signal while it trains: the state of the last window is saved.
for number, kind in ((signal.SIGINT, "once"), (signal.SIGTERM, "terminated")):
    for i in range(2):
        process = start(kind)
        wait_for_state(kind, process)
        time.sleep(random.random() * 0.05)
        process.send_signal(number)
        code, text = end(process, kind)
        check(code in (0, 130), kind, text)
        check(code == 0 or "interrupted after step" in text, kind, text)
        check_continues(kind, kind)
print("one signal: the state is saved and continues")

# Two at once: the second may end the process at any point of the saving.
for i in range(6):
    process = start("twice")
    wait_for_state("twice", process)
    process.send_signal(signal.SIGINT)
    time.sleep(random.random() * 0.003)
    process.send_signal(signal.SIGINT)
    code, text = end(process, "twice")
    check(code in (0, 130), "twice", "%d %s" % (code, text))
    check_continues("twice", "twice")
print("two signals: the last state continues")

# While it compiles: nothing is written, nothing stays behind.
for delay in (0.01, 0.03, 0.06, 0.1):
    process = start("early")
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    code, text = end(process, "early")
    check(code == 130 or os.path.exists(os.path.join(folder, "early", FINAL)), "early", text)
    check(os.listdir(temporary) == [], "early", "left: %s" % os.listdir(temporary))
print("a signal while it compiles: nothing stays behind")

# While it validates: every tenth window, for far longer than the windows take.
for i in range(3):
    process = start("valid", "--validate-every", "10")
    wait_for_state("valid", process)
    time.sleep(random.random() * 0.2)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    code, text = end(process, "valid")
    check(code == 130 and "interrupted after step" in text, "valid", text)
    check(time.monotonic() - sent < 10, "valid: slow to end")
    check_continues("valid", "valid")
print("a signal while it validates: the state is saved and continues")

# Killed at any time: the last state is whole.
for i in range(6):
    process = start("killed", save_every=7)
    wait_for_state("killed", process)
    time.sleep(random.random() * 0.1)
    process.kill()
    code, text = end(process, "killed")
    check(code in (0, 137), "killed", text)
    leftover = [n for n in os.listdir(os.path.join(folder, "killed"))
                if not (n in ("last", "metrics.jsonl") or n.startswith("step-"))]
    for name in leftover: # a file that was being written has a name of its own
        os.remove(os.path.join(folder, "killed", name))
    check_continues("killed", "killed")
print("killed: the last state continues")
