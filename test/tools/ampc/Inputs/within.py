"""Fails unless the run of METRICS obtained what was planned, and at most BYTES: within.py METRICS BYTES."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    summary = json.loads(file.readlines()[-1])
assert summary["peak_bytes"] == summary["planned_peak_bytes"] <= int(sys.argv[2]), summary
