"""Holds the JSON of `ampc explain` (of mlp.amp) against its keys and against itself."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    told = json.load(file)
assert told["recompute"] == [] and told["casts"] == [], told
reasons = {"lower", "f32_inside", "follow_cut", "follow_tie", "never_unknown", "never_integer", "user_typed",
           "user_override", "constant_range", "loss", "master", "target_emulated"}
ids = [op["id"] for op in told["ops"]]
assert ids == list(range(len(ids))), ids
for op in told["ops"]:
    assert {"id", "op", "source", "type", "reason", "detail"} <= op.keys(), op
    assert op["reason"] in reasons and op["detail"], op
assert sum(op["reason"] == "loss" for op in told["ops"]) == 1
adams = {op["id"] for op in told["ops"] if op["op"] == "adam"}
assert len(adams) == 4, adams
in_kernels = set()
for kernel in told["kernels"]:
    assert {"name", "ops", "source", "bytes"} <= kernel.keys(), kernel
    assert kernel["bytes"] == kernel["bytes_read"] + kernel["bytes_written"] > 0, kernel
    assert kernel["ops"] and set(kernel["ops"]) <= set(ids), kernel
    in_kernels.update(kernel["ops"])
    for op in kernel["ops"]:
        assert kernel["name"] in told["ops"][op]["detail"], (kernel, told["ops"][op])
assert adams <= in_kernels
# Forward x w, h w; backward: the gradients of both weights and of h.
assert sum(kernel["kind"] == "contraction" for kernel in told["kernels"]) == 5, told["kernels"]
assert told["unfused"]
for pair in told["unfused"]:
    assert {"producer", "consumer", "reason"} <= pair.keys() and pair["reason"], pair
    assert pair["producer"] in ids and pair["consumer"] in ids, pair
