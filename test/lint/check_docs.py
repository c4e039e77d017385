"""docs/ops.md and docs/passes.md are what the .td files and sources generate now."""
import re

import docs


def check(tree):
    return [f"{path} is not current: run tools/dev docs\n{diff}"
            for path, diff in docs.differences().items()] + classes(tree)


def classes(tree):
    """Precision classes that the op table must have, whichever way an op declares its own."""
    known = {"softmax": "f32_inside", "exp": "f32_inside", "mse": "f32_inside", "matmul": "lower",
             "relu": "follow", "one_hot": "never"}
    text = docs.read("docs/ops.md")
    return [f"docs/ops.md: amp.{op} is not of class {name}" for op, name in known.items()
            if not re.search(rf"^\| `amp\.{op}` \|.*\| {name} \| [^|]*\|$", text, re.M)]


def examples():
    real = docs.read
    try:
        docs.read = lambda path: "an old page\n" if path in docs.PAGES else real(path)
        yield "a stale page", check(None), "docs/ops.md is not current"
    finally:
        docs.read = real
