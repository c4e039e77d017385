"""JAX as a peer: the whole step is one jitted function whose state is donated. See README.md."""
import jax
import jax.numpy as jnp

import data
import networks_jax
import worker
from workloads import WORKLOADS


def adam(optimizer, decayed):
    """One update of every parameter; `decayed` says which of them weight decay applies to."""
    lr, (beta1, beta2), eps = optimizer["lr"], optimizer["betas"], optimizer["eps"]
    decay, clip = optimizer["weight_decay"], optimizer["clip"]

    def update(count, state, gradients):
        if clip:
            norm = jnp.sqrt(sum(jnp.vdot(g, g) for g in gradients.values()))
            factor = jnp.minimum(1.0, clip / (norm + 1e-6))
            gradients = {name: g * factor for name, g in gradients.items()}
        rate = lr / (1 - beta1 ** count)
        root = jnp.sqrt(1 - beta2 ** count)
        new = {}
        for name, (p, m, v) in state.items():
            g = gradients[name]
            m = beta1 * m + (1 - beta1) * g
            v = beta2 * v + (1 - beta2) * g * g
            kept = p * (1 - lr * decay) if decay and decayed(name) else p
            new[name] = (kept - rate * m / (jnp.sqrt(v) / root + eps), m, v)
        return new

    return update


def make(task):
    jax.config.update("jax_compilation_cache_dir", task["cache"])
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    workload = WORKLOADS[task["workload"]]
    optimizer = workload.optimizer
    low = jnp.bfloat16 if task["precision"] == "bf16" else jnp.float32
    if task.get("device", "cpu") != "cpu" and task["precision"] == "f32":
        jax.config.update("jax_default_matmul_precision", "highest")  # on a GPU the default is less than f32
    loss_of = networks_jax.build(task.get("network", workload.network), low)
    spared = (lambda name: name.endswith(".bias") or "norm" in name) if optimizer["groups"] else lambda name: False
    update = adam(optimizer, lambda name: not spared(name))

    def train(state, count, batch):
        loss, gradients = jax.value_and_grad(loss_of)({name: entry[0] for name, entry in state.items()}, *batch)
        count = count + 1
        return update(count, state, gradients), count, loss

    train = jax.jit(train, donate_argnums=(0, 1))
    state = {name: (jnp.asarray(value), jnp.zeros_like(value), jnp.zeros_like(value))
             for name, value in data.read_weights(task["weights"]).items()}
    held = [state, jnp.float32(0)]
    batches = [tuple(map(jnp.asarray, batch)) for batch in data.read_batches(task["data"], workload.batches)]

    def step(number):
        held[0], held[1], loss = train(held[0], held[1], batches[number % len(batches)])
        jax.block_until_ready(held)
        return float(loss)

    return step


if __name__ == "__main__":
    worker.serve(make)
