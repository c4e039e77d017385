"""PyTorch as a peer: eager, or compiled by inductor. See README.md for the settings."""
import contextlib
import os

import torch
import torch._dynamo  # otherwise imported by the first optimizer or compilation, and counted as that
import torch._inductor.compile_fx

import data
import networks_torch
import worker
from workloads import WORKLOADS

# Options of inductor beside its own choice.
COMPILE_OPTIONS = {option: value == "1" for option, _, value in
                   (entry.partition("=") for entry in os.environ.get("PEER_COMPILE", "").split(",") if entry)}


def groups_of(model, optimizer):
    """Parameters by weight decay."""
    if not optimizer["groups"]:
        return [{"params": list(model.parameters())}]
    plain = [p for name, p in model.named_parameters() if name.endswith(".bias") or "norm" in name]
    known = {id(p) for p in plain}
    return [{"params": [p for p in model.parameters() if id(p) not in known]},
            {"params": plain, "weight_decay": 0.0}]


def optimizer_of(model, optimizer):
    kind = torch.optim.AdamW if optimizer["weight_decay"] else torch.optim.Adam
    return kind(groups_of(model, optimizer), lr=optimizer["lr"], betas=tuple(optimizer["betas"]),
                eps=optimizer["eps"], weight_decay=optimizer["weight_decay"], fused=True)


def make(task):
    torch.set_num_threads(task["threads"])
    torch.set_num_interop_threads(1)
    workload, device = WORKLOADS[task["workload"]], task.get("device", "cpu")
    model = networks_torch.build(task.get("network", workload.network), data.read_weights(task["weights"])).to(device)
    optimizer = optimizer_of(model, workload.optimizer)
    clip = workload.optimizer["clip"]
    loss_of = model.loss
    if task["peer"] == "torch.compile":
        loss_of = torch.compile(loss_of, fullgraph=True, dynamic=False, options=COMPILE_OPTIONS)
    batches = [tuple(map(torch.from_numpy, batch)) for batch in data.read_batches(task["data"], workload.batches)]
    # Class numbers are 64 bits wide in PyTorch's cross entropy.
    batches = [(first.to(device), (second.long() if second.dtype == torch.int32 else second).to(device))
               for first, second in batches]
    autocast = contextlib.nullcontext()
    if task["precision"] == "bf16":
        autocast = torch.autocast(device, torch.bfloat16)
    parameters = list(model.parameters())

    def step(number):
        with autocast:
            loss = loss_of(*batches[number % len(batches)])
        loss.backward()
        if clip:
            torch.nn.utils.clip_grad_norm_(parameters, clip)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss.item()

    return step


if __name__ == "__main__":
    worker.serve(make)
