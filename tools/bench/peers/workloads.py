"""What is trained: the models, their data and their optimizers, the same for every peer.

A model of ampc is a file; the other peers build the same network by `network` (networks_torch.py,
networks_jax.py), with parameters of the same names. Nothing is imported here that is not Python's own.
"""
import dataclasses
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass(frozen=True)
class Input:
    """A file of batches: `normal`, `uniform` or `integers` below `high`."""

    name: str
    kind: str
    shape: tuple  # of a batch
    dtype: str = "float32"
    high: int = 0


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    title: str
    model: pathlib.Path
    sets: tuple  # of `ampc compile --set`
    network: dict  # what a peer builds
    optimizer: dict
    inputs: tuple
    longest_sum: int  # terms of the longest reduction or contraction of a step
    turn: int  # steps a peer takes in each round
    batches: int = 4

    @property
    def input_names(self):
        return tuple(entry.name for entry in self.inputs)


# `decay` leaves out biases and norms where the model's groups do.
ADAM = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.0, "clip": None, "groups": False}


def tokens(batch, seq, vocab):
    return (Input("tokens", "integers", (batch, seq), "int32", vocab),
            Input("labels", "integers", (batch, seq), "int32", vocab))


WORKLOADS = {
    "mlp": Workload(
        "mlp", "MLP 1024-4096-1024, batch 256, Adam", ROOT / "examples/mlp.amp", (),
        {"kind": "mlp", "width": 1024, "hidden": 4096}, ADAM,
        (Input("x", "normal", (256, 1024)), Input("y", "normal", (256, 1024))), 256 * 1024, 8),
    "char_gpt": Workload(
        "char_gpt", "GPT of 4 layers, width 128, 16 x 64 tokens, AdamW", ROOT / "examples/char_gpt.amp",
        ("train.schedule=constant",),
        {"kind": "gpt", "vocab": 256, "width": 128, "heads": 4, "layers": 4, "seq": 64, "tied": False,
         "gelu": "none"},
        {**ADAM, "lr": 2e-3, "weight_decay": 0.1, "clip": 1.0, "groups": True},
        tokens(16, 64, 256), 1024, 8),
    "gpt": Workload(
        "gpt", "GPT of 12 layers, width 768, 2 x 512 tokens, AdamW", HERE / "models/gpt.amp", (),
        {"kind": "gpt", "vocab": 50304, "width": 768, "heads": 12, "layers": 12, "seq": 512, "tied": True,
         "gelu": "tanh"},
        {**ADAM, "lr": 6e-4, "betas": (0.9, 0.95), "weight_decay": 0.1, "clip": 1.0, "groups": True},
        tokens(2, 512, 50304), 50304, 1),
    "digits": Workload(
        "digits", "CNN on 8 x 8 pixels, batch 32, AdamW", HERE / "models/digits.amp", (),
        {"kind": "digits", "channels": 32, "hidden": 128, "classes": 10},
        {**ADAM, "lr": 2e-3, "weight_decay": 0.05},
        (Input("pixels", "uniform", (32, 64)), Input("labels", "integers", (32,), "int64", 10)), 2048, 40),
}
