"""Every op is described with an example; its numbered constraints stand in td, check and test."""
import re

import tablegen
from tree import Tree

LABEL = re.compile(r"\b([a-z][a-z0-9_]*_c\d+)\b")
INTERFACES = "ir/dialect/Interfaces.td"


def labels_with_text(description):
    """{label: its sentence} of the constraints that `description` numbers at the start of a line."""
    parts = re.split(r"^\s*([a-z][a-z0-9_]*_c\d+):", description, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def check_description(op):
    name, messages = f"amp.{op.mnemonic} ({op.family}.td)", []
    if not op.summary.strip():
        messages.append(f"{name}: has no summary")
    if not op.description.strip():
        return messages + [f"{name}: has no description"]
    if "```mlir" not in op.description:
        messages.append(f"{name}: the description shows no example (a mlir block)")
    elif f"amp.{op.mnemonic}" not in op.description.split("```mlir", 1)[1]:
        messages.append(f"{name}: its example does not show the op")
    if op.has_verifier and not labels_with_text(op.description):
        messages.append(f"{name}: has a verifier but numbers no constraint ({op.mnemonic}_c1: ...)")
    return messages


def check_thread(op, tree):
    """The label of each constraint is in the source and names a test."""
    messages = []
    source = "".join(tree.text(p) for p in tree.paths("ir/dialect", ends=(".cpp",)))
    tests = "".join(tree.text(p) for p in tree.paths("test/ir/dialect", ends=("-invalid.mlir",)))
    for label, text in labels_with_text(op.description).items():
        if not label.startswith(op.mnemonic + "_c"):
            messages.append(f"amp.{op.mnemonic}: constraint {label} should be {op.mnemonic}_cN")
        if "(trait)" not in text and not re.search(rf"\b{label}\b", source):
            messages.append(f"amp.{op.mnemonic}: {label} stands beside no check in ir/dialect; "
                            "write '(trait)' in the text where TableGen checks it")
        if not re.search(rf"@{label}(?:_\w+)?\b", tests):
            messages.append(f"amp.{op.mnemonic}: no test in test/ir/dialect/*-invalid.mlir "
                            f"is called @{label}")
    return messages


def check_round_trip(op, tree):
    path = f"test/ir/dialect/{op.family.lower()}.mlir"
    if path not in tree:
        return [f"amp.{op.mnemonic}: its family has no test {path}"]
    if not re.search(rf"CHECK.*amp\.{op.mnemonic}\b", tree.text(path)):
        return [f"amp.{op.mnemonic}: {path} does not check the op's text"]
    return []


def check_interfaces(records):
    messages = []
    for name in records["!instanceof"].get("OpInterface", []):
        record = records[name]
        if not name.startswith("Amp_") or "DeclareInterfaceMethods" in record["!superclasses"]:
            continue
        if not (record["description"] or "").strip():
            messages.append(f"{INTERFACES}: {name} has no description")
        for method in record["methods"]:
            if not (records[method["def"]]["description"] or "").strip():
                messages.append(f"{INTERFACES}: method {records[method['def']]['name']} of {name} "
                                "has no description")
    return messages


def check(tree):
    messages = []
    for op in tablegen.ops():
        messages += check_description(op) + check_thread(op, tree) + check_round_trip(op, tree)
    return messages + check_interfaces(tablegen.records(INTERFACES))


class MadeUp:
    """An op of an example."""

    def __init__(self, description, summary="a sum", has_verifier=False):
        self.mnemonic, self.family = "thing", "Things"
        self.summary, self.description, self.has_verifier = summary, description, has_verifier


def examples():
    good = "Adds.\n\nthing_c1: ranks agree.\n\n```mlir\n%0 = amp.thing %a\n```"
    tree = {"ir/dialect/ops/Things.cpp": "// thing_c1\n",
            "test/ir/dialect/things-invalid.mlir": "func.func @thing_c1_rank()",
            "test/ir/dialect/things.mlir": "// CHECK: amp.thing %[[A]]"}

    def whole(op, files):
        files = Tree(files)
        return check_description(op) + check_thread(op, files) + check_round_trip(op, files)

    yield "a complete op", whole(MadeUp(good, has_verifier=True), tree), None
    yield "no summary", check_description(MadeUp(good, summary="")), "has no summary"
    yield "no description", check_description(MadeUp("")), "has no description"
    yield "no example", check_description(MadeUp("Adds.")), "shows no example"
    yield ("an example of another op", check_description(MadeUp("```mlir\namp.other\n```")),
           "does not show the op")
    yield ("an unnumbered verifier",
           check_description(MadeUp("```mlir\namp.thing\n```", has_verifier=True)),
           "numbers no constraint")
    for path, expected in [("ir/dialect/ops/Things.cpp", "stands beside no check"),
                           ("test/ir/dialect/things-invalid.mlir", "is called @thing_c1"),
                           ("test/ir/dialect/things.mlir", "does not check the op's text")]:
        yield f"{path} is empty", whole(MadeUp(good), {**tree, path: ""}), expected
    yield ("no round trip test", check_round_trip(MadeUp(good), Tree({})),
           "has no test test/ir/dialect/things.mlir")
    yield ("a label of another op", check_thread(MadeUp(good.replace("thing_c1", "other_c1")), Tree(tree)),
           "other_c1 should be thing_cN")
    yield ("a trait", check_thread(MadeUp("thing_c1: one type (trait)."), Tree(
        {**tree, "ir/dialect/ops/Things.cpp": ""})), None)
    yield ("an undescribed interface method", check_interfaces({
        "!instanceof": {"OpInterface": ["Amp_I"]},
        "Amp_I": {"!superclasses": [], "description": "Facts.", "methods": [{"def": "m"}]},
        "m": {"name": "cost", "description": ""}}), "method cost of Amp_I has no description")
