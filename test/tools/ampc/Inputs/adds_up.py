"""The phases of a time report in JSON add up to its total: adds_up.py FILE"""
import json
import sys

with open(sys.argv[1]) as file:
    report = json.loads(file.read().splitlines()[-1])
phases = {phase["phase"] for phase in report["phases"]}
missing = {"start", "front end", "optimize", "open", "first step", "training", "other"} - phases
if missing:
    sys.exit(f"no phase {sorted(missing)}")
if min(phase["seconds"] for phase in report["phases"]) < 0:
    sys.exit("a phase took less than no time")
total = sum(phase["seconds"] for phase in report["phases"])
if abs(total - report["total_s"]) > 1e-3 + 0.01 * report["total_s"]:
    sys.exit(f"the phases add up to {total}, the total is {report['total_s']}")
