"""Files that all peers read: batches as .npy and weights as .safetensors."""
import json
import pathlib
import struct

import numpy


def write_batches(workload, folder):
    """Random batches, the same every time; paths by input."""
    paths = {}
    for number, entry in enumerate(workload.inputs):
        path = pathlib.Path(folder) / f"{workload.name}.{entry.name}.npy"
        random = numpy.random.default_rng(number + 1)
        shape = (workload.batches * entry.shape[0], *entry.shape[1:])
        if entry.kind == "integers":
            values = random.integers(0, entry.high, shape)
        else:
            values = random.standard_normal(shape) if entry.kind == "normal" else random.random(shape)
        numpy.save(path, values.astype(entry.dtype))
        paths[entry.name] = str(path)
    return paths


def read_batches(paths, batches):
    """A list of batches, each a tuple of arrays in the order of `paths`."""
    columns = [numpy.split(numpy.load(path), batches) for path in paths.values()]
    return list(zip(*columns))


def read_weights(path):
    """Arrays by name; of a checkpoint the weights alone."""
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        header = json.loads(file.read(size))
        content = file.read()
    weights = {}
    for name, entry in header.items():
        if name == "__metadata__" or name.startswith("ampc."):
            continue
        if entry["dtype"] != "F32":
            raise ValueError(f"{path}: '{name}' is {entry['dtype']}, expected F32")
        begin, end = entry["data_offsets"]
        weights[name] = numpy.frombuffer(content[begin:end], numpy.float32).reshape(entry["shape"]).copy()
    return weights


def write_weights(path, weights):
    header, offset = {}, 0
    for name, value in weights.items():
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [offset, offset + value.nbytes]}
        offset += value.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for value in weights.values():
            file.write(value.astype(numpy.float32).tobytes())


def perturbed(weights, off, seed):
    """Each weight off by up to `off` times itself."""
    random = numpy.random.default_rng(seed)
    return {name: (value * (1 + random.uniform(-off, off, value.shape))).astype(numpy.float32)
            for name, value in weights.items()}
