"""Holds the JSON of a sweep against its keys and, its last value, against that value's own plan."""
import json
import math
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    swept = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    plan = json.load(file)
assert swept["key"] == "seq" and [row["value"] for row in swept["rows"]] == ["32", "64"], swept
last = swept["rows"][-1]
assert last["planned_peak_bytes"] == plan["planned_peak_bytes"]
assert last["categories"] == plan["categories"]
more = last["planned_peak_bytes"] - swept["rows"][0]["planned_peak_bytes"]
for line in swept["growth"]:
    first, second = line["bytes"]
    assert math.isclose(line["share"], (second - first) / more), line
    assert line["power"] is None or math.isclose(line["power"], math.log2(second / first), abs_tol=0.1), line
shares = [line["share"] for line in swept["growth"]]
assert shares == sorted(shares, reverse=True), shares
