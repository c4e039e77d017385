"""ONNX Runtime as a peer, by its on-device training: graphs of loss, gradients and optimizer are made once.

Its training on the CPU computes in f32, and its optimizer has one weight decay for all parameters: what
needs more is refused with that reason.
"""
import pathlib

import numpy
import onnx
from onnx import helper, numpy_helper

import data
import worker
from workloads import WORKLOADS

try:
    import onnxruntime
    from onnxruntime.training import artifacts, onnxblock
    from onnxruntime.training.api import CheckpointState, Module, Optimizer
except ImportError as error:
    raise SystemExit(f"onnxruntime-training does not load: {error}") from None


def linear(name, x, y):
    return helper.make_node("Gemm", [x, name + ".weight", name + ".bias"], [y], transB=1)


def convolve(name, x, y):
    return helper.make_node("Conv", [x, name + ".weight", name + ".bias"], [y], pads=[1, 1, 1, 1])


def node(kind, x, y, **attributes):
    return helper.make_node(kind, [x], [y], **attributes)


def mlp(network):
    return [linear("linear", "x", "a"), node("Relu", "a", "b"), linear("linear_1", "b", "output")]


def digits(network):
    halve = {"kernel_shape": [2, 2], "strides": [2, 2]}
    return [helper.make_node("Reshape", ["pixels", "picture"], ["p"]),
            convolve("linear", "p", "a"), node("Relu", "a", "b"),
            convolve("linear_1", "b", "c"), node("Relu", "c", "d"), node("MaxPool", "d", "e", **halve),
            convolve("linear_2", "e", "f"), node("Relu", "f", "g"), node("MaxPool", "g", "h", **halve),
            node("Transpose", "h", "i", perm=[0, 2, 3, 1]), node("Flatten", "i", "j"),
            linear("linear_3", "j", "k"), node("Relu", "k", "l"), linear("linear_4", "l", "output")]


KINDS = {"mlp": mlp, "digits": digits}
CONVOLUTIONS = {"linear.weight", "linear_1.weight", "linear_2.weight"}


def model_of(workload, weights):
    """The forward graph."""
    kind, first = workload.network["kind"], workload.inputs[0]
    constants = []
    if kind == "digits":
        weights = {name: value.reshape(value.shape[0], 3, 3, -1).transpose(0, 3, 1, 2).copy()
                   if name in CONVOLUTIONS else value for name, value in weights.items()}
        constants.append(numpy_helper.from_array(numpy.array([-1, 1, 8, 8]), "picture"))
    columns = workload.network["classes"] if kind == "digits" else workload.network["width"]
    tensor = onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        KINDS[kind](workload.network), workload.name,
        [helper.make_tensor_value_info(first.name, tensor, list(first.shape))],
        [helper.make_tensor_value_info("output", tensor, [first.shape[0], columns])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()] + constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def as_pytorch(path):
    """Lets the optimizer add eps after the correction of bias and decay weights first, as the other peers do."""
    model = onnx.load(path)
    for operation in model.graph.node:
        for attribute in operation.attribute:
            if attribute.name == "adam_mode":
                attribute.i = 0
    onnx.save(model, path)


def make(task):
    workload = WORKLOADS[task["workload"]]
    optimizer = workload.optimizer
    if task["precision"] != "f32":
        raise SystemExit(f"its training on the CPU has no {task['precision']}")
    if optimizer["groups"]:
        raise SystemExit("its optimizer has one weight decay for all parameters, the model spares biases and norms")
    onnxruntime.set_default_logger_severity(3)
    weights = data.read_weights(task["weights"])
    folder = pathlib.Path(task["cache"]) / "onnxruntime"
    folder.mkdir(exist_ok=True)
    loss = artifacts.LossType.MSELoss if workload.network["kind"] == "mlp" else artifacts.LossType.CrossEntropyLoss
    adam = onnxblock.optim.AdamW(betas=tuple(optimizer["betas"]), eps=optimizer["eps"],
                                 weight_decay=optimizer["weight_decay"])
    artifacts.generate_artifacts(model_of(workload, weights), requires_grad=list(weights), loss=loss, optimizer=adam,
                                 artifact_directory=str(folder))
    as_pytorch(str(folder / "optimizer_model.onnx"))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = task["threads"]
    state = CheckpointState.load_checkpoint(str(folder / "checkpoint"))
    module = Module(str(folder / "training_model.onnx"), state, str(folder / "eval_model.onnx"), "cpu", options)
    update = Optimizer(str(folder / "optimizer_model.onnx"), module)
    update.set_learning_rate(optimizer["lr"])
    module.train()
    batches = data.read_batches(task["data"], workload.batches)

    def step(number):
        found = module(*batches[number % len(batches)])
        update.step()
        module.lazy_reset_grad()
        return float(numpy.asarray(found).reshape(-1)[0])

    return step


if __name__ == "__main__":
    worker.serve(make)
