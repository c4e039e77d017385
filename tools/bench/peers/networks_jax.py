"""The networks in JAX: losses as functions of parameters that have the names of ampc's model.

`low` is the type that products are computed in: masters are f32 and are rounded where they are used;
norms, losses and the residual stream are f32, as under PyTorch's autocast.
"""
import jax
import jax.numpy as jnp


def linear(p, name, x, low):
    # [.., in] x [out, in]
    y = jax.lax.dot_general(x.astype(low), p[name + ".weight"].astype(low), (((x.ndim - 1,), (1,)), ((), ())))
    return y + p[name + ".bias"].astype(low)


def layer_norm(p, name, x):
    mean = x.mean(-1, keepdims=True)
    centred = x - mean
    scale = jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5)
    return centred * scale * p[name + ".weight"] + p[name + ".bias"]


def cross_entropy(logits, labels):
    logits = logits.astype(jnp.float32).reshape(-1, logits.shape[-1])
    chosen = jnp.take_along_axis(logits, labels.reshape(-1, 1), 1)[:, 0]
    return (jax.nn.logsumexp(logits, -1) - chosen).mean()


def mlp(network, low):
    def loss(p, x, y):
        h = jax.nn.relu(linear(p, "linear", x, low))
        error = linear(p, "linear_1", h, low).astype(jnp.float32) - y
        return (error * error).mean()

    return loss


def gpt(network, low):
    heads, approximate = network["heads"], network["gelu"] == "tanh"

    def block(p, at, h):
        batch, seq, width = h.shape
        q, k, v = jnp.split(linear(p, at + "qkv", layer_norm(p, at + "layer_norm", h), low), 3, -1)
        split = (batch, seq, heads, width // heads)
        y = jax.nn.dot_product_attention(q.reshape(split), k.reshape(split), v.reshape(split), is_causal=True)
        h = h + linear(p, at + "proj", y.reshape(h.shape), low)
        m = linear(p, at + "linear", layer_norm(p, at + "layer_norm_1", h), low)
        return h + linear(p, at + "linear_1", jax.nn.gelu(m, approximate=approximate), low)

    def loss(p, tokens, labels):
        h = p["embedding.weight"][tokens] + p["embedding_1.weight"]
        for layer in range(network["layers"]):
            h = block(p, f"block.{layer}.", h)
        h = layer_norm(p, "layer_norm", h)
        if not network["tied"]:
            return cross_entropy(linear(p, "linear", h, low), labels)
        head = jax.lax.dot_general(h.astype(low), p["embedding.weight"].astype(low), (((2,), (1,)), ((), ())))
        return cross_entropy(head, labels)

    return loss


def digits(network, low):
    def convolve(p, name, x):
        # ampc's rows are patches [dy, dx, channel], which is HWIO but for the order of axes.
        weight = p[name + ".weight"]
        weight = weight.reshape(weight.shape[0], 3, 3, -1).transpose(1, 2, 3, 0).astype(low)
        y = jax.lax.conv_general_dilated(x.astype(low), weight, (1, 1), "SAME",
                                         dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return jax.nn.relu(y + p[name + ".bias"].astype(low))

    def halve(x):
        x = jnp.maximum(x[:, 0::2], x[:, 1::2])
        return jnp.maximum(x[:, :, 0::2], x[:, :, 1::2])

    def loss(p, pixels, labels):
        h = pixels.reshape(-1, 8, 8, 1)
        h = halve(convolve(p, "linear_1", convolve(p, "linear", h)))
        h = halve(convolve(p, "linear_2", h))
        h = jax.nn.relu(linear(p, "linear_3", h.reshape(h.shape[0], -1), low))
        return cross_entropy(linear(p, "linear_4", h, low), labels)

    return loss


KINDS = {"mlp": mlp, "gpt": gpt, "digits": digits}


def build(network, low):
    return KINDS[network["kind"]](network, low)
