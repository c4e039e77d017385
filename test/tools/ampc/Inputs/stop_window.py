"""Stops `ampc train` inside long windows: stop_window.py AMPC MODEL FOLDER. The window is abandoned: the
run ends at once, with the state of the last one that was applied."""
import os
import random
import shutil
import signal
import subprocess
import sys
import time

ampc, model, folder = sys.argv[1:4]
random.seed(7)


def command(out, steps):
    return [ampc, "train", model, "--accumulate", "8192", "--steps", str(steps), "--out", os.path.join(folder, out),
            "--save-every", "1", "--progress", "none"]


def state(out, step):
    with open(os.path.join(folder, out, "step-%08d.safetensors" % step), "rb") as file:
        return file.read()


for i in range(3):
    shutil.rmtree(os.path.join(folder, "stopped"), ignore_errors=True)
    process = subprocess.Popen(command("stopped", 1000000), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    while process.poll() is None and not os.path.exists(os.path.join(folder, "stopped", "last")):
        time.sleep(0.001)
    time.sleep(random.random() * 0.1)
    process.send_signal(signal.SIGINT)
    text = process.communicate(timeout=60)[0]
    if process.returncode != 130 or "interrupted after step " not in text:
        sys.exit("exit code %d\n%s" % (process.returncode, text))
    step = int(text.split("interrupted after step ")[1].split()[0])
    shutil.rmtree(os.path.join(folder, "whole"), ignore_errors=True)
    subprocess.run(command("whole", step), check=True, capture_output=True)
    if state("stopped", step) != state("whole", step):
        sys.exit("step %d: other bits than the run that was not stopped" % step)
print("the window is abandoned")
