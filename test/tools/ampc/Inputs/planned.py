"""Holds the JSON of `ampc plan` against its keys and against itself."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    told = json.load(file)
assert {"fits", "planned_peak_bytes", "lower_bound_bytes", "smallest_feasible_bytes", "categories", "peak",
        "advice"} <= told.keys(), told.keys()
assert {"parameters", "masters", "gradients", "optimizer", "copies16", "activations", "workspaces",
        "io"} <= told["categories"].keys(), told["categories"]
peak = told["planned_peak_bytes"]
assert told["fits"] and peak <= told["limit_bytes"]
assert sum(told["categories"].values()) == peak
assert told["lower_bound_bytes"] <= peak and told["smallest_feasible_bytes"] <= peak
# The tensors at the peak are its bytes, but for what lies between them.
for tensor in told["peak"]:
    assert {"name", "bytes", "source"} <= tensor.keys(), tensor
for category, number in told["categories"].items():
    assert category == "padding" or number == sum(
        tensor["bytes"] for tensor in told["peak"] if tensor["category"] == category), category
assert [t["bytes"] for t in told["peak"]] == sorted((t["bytes"] for t in told["peak"]), reverse=True)
assert sum(layer["bytes"] for layer in told["layers"]) == peak - told["categories"]["padding"]
# The curve reaches the peak and never exceeds it.
assert max(told["curve"]) == peak - told["categories"]["padding"]
# In mixed precision the f32 parameters with a copy are its masters, twice its size.
copies, masters = told["categories"]["copies16"], told["categories"]["masters"]
assert masters == 2 * copies and (copies > 0) == (told["precision"] != "f32")
# The state of Adam is twice the parameters.
weights = told["categories"]["parameters"] + masters
assert told["categories"]["optimizer"] == 2 * weights, told["categories"]
advised = [change["peak_bytes"] for change in told["advice"]]
assert advised == sorted(advised) and max(advised) < peak, advised
# Only a budget says how long a step takes with it: it computes again what it does not keep.
for change in told["advice"]:
    assert (change["step_time_ratio"] or 0) >= change["change"].startswith("memory budget"), change
current = [row for row in told["precisions"] + told["optimizers"] if row["current"]]
assert [row["peak_bytes"] for row in current] == [peak, peak], current
sgd, momentum, adam = (row["peak_bytes"] for row in told["optimizers"])
# State stands at multiples of 64 bytes.
assert abs(adam - sgd - 2 * weights) < 1 << 16 and abs(momentum - sgd - weights) < 1 << 16, told["optimizers"]
