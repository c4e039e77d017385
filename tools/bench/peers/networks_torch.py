"""The networks in PyTorch; a parameter has the name it has in ampc's model."""
import torch
import torch.nn.functional as F
from torch import nn


class Mlp(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.linear = nn.Linear(width, hidden)
        self.linear_1 = nn.Linear(hidden, width)

    def forward(self, x):
        return self.linear_1(F.relu(self.linear(x)))

    def loss(self, x, y):
        return F.mse_loss(self(x).float(), y)


class Block(nn.Module):
    def __init__(self, width, heads, gelu):
        super().__init__()
        self.heads, self.gelu = heads, gelu
        self.layer_norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.layer_norm_1 = nn.LayerNorm(width)
        self.linear = nn.Linear(width, 4 * width)
        self.linear_1 = nn.Linear(4 * width, width)

    def forward(self, h):
        batch, seq, width = h.shape
        parts = self.qkv(self.layer_norm(h)).chunk(3, -1)
        q, k, v = (part.view(batch, seq, self.heads, -1).transpose(1, 2) for part in parts)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        h = h + self.proj(y.transpose(1, 2).reshape(batch, seq, width))
        return h + self.linear_1(F.gelu(self.linear(self.layer_norm_1(h)), approximate=self.gelu))


class Gpt(nn.Module):
    def __init__(self, vocab, width, heads, layers, seq, tied, gelu):
        super().__init__()
        self.embedding = nn.Embedding(vocab, width)
        self.embedding_1 = nn.Embedding(seq, width)
        self.block = nn.ModuleList(Block(width, heads, gelu) for _ in range(layers))
        self.layer_norm = nn.LayerNorm(width)
        self.linear = None if tied else nn.Linear(width, vocab)
        self.register_buffer("places", torch.arange(seq), persistent=False)

    def forward(self, tokens):
        h = self.embedding(tokens) + self.embedding_1(self.places)
        for block in self.block:
            h = block(h)
        h = self.layer_norm(h)
        return F.linear(h, self.embedding.weight) if self.linear is None else self.linear(h)

    def loss(self, tokens, labels):
        return F.cross_entropy(self(tokens).flatten(0, 1).float(), labels.flatten())


class Digits(nn.Module):
    """ampc's convolution is a linear layer on patches [dy, dx, channel]; here it is one of channels last."""

    def __init__(self, channels, hidden, classes):
        super().__init__()
        self.linear = nn.Conv2d(1, channels, 3, padding=1)
        self.linear_1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.linear_2 = nn.Conv2d(channels, 2 * channels, 3, padding=1)
        self.linear_3 = nn.Linear(8 * channels, hidden)
        self.linear_4 = nn.Linear(hidden, classes)

    def forward(self, pixels):
        h = pixels.view(-1, 1, 8, 8).contiguous(memory_format=torch.channels_last)
        h = F.max_pool2d(F.relu(self.linear_1(F.relu(self.linear(h)))), 2)
        h = F.max_pool2d(F.relu(self.linear_2(h)), 2)
        h = h.permute(0, 2, 3, 1).flatten(1)
        return self.linear_4(F.relu(self.linear_3(h)))

    def loss(self, pixels, labels):
        return F.cross_entropy(self(pixels).float(), labels)


KINDS = {"mlp": Mlp, "gpt": Gpt, "digits": Digits}


def build(network, weights):
    """The network with `weights`, arrays by name."""
    arguments = dict(network)
    model = KINDS[arguments.pop("kind")](**arguments)
    state = {}
    for name, wanted in model.state_dict().items():
        value = torch.from_numpy(weights[name])
        if wanted.dim() == 4:
            value = value.view(wanted.shape[0], 3, 3, wanted.shape[1]).permute(0, 3, 1, 2)
        state[name] = value
    model.load_state_dict(state)
    extra = set(weights) - set(state)
    if extra:
        raise ValueError(f"weights without a parameter: {', '.join(sorted(extra))}")
    return model.to(memory_format=torch.channels_last) if network["kind"] == "digits" else model
