"""One pass a file; every pass and option is described; every pass has a test of its name."""
import os
import re

import docs
import tablegen
from check_ops import labels_with_text
from tree import Tree

PASS_DEFINITION = re.compile(r"^\s*#\s*define\s+GEN_PASS_DEF_(\w+)", re.M)
PASS_NAME = re.compile(r"`(amp-[a-z0-9-]+)`")


def check_files(tree, passes):
    """Each file defines at most one pass and has its name; each pass is defined once."""
    messages, defined = [], {}
    for path in tree.paths("passes", "codegen", ends=(".cpp",)):
        found = PASS_DEFINITION.findall(tree.text(path))
        if len(found) > 1:
            messages.append(f"{path}: defines {len(found)} passes ({', '.join(found)}); one is allowed")
        for name in found:
            defined.setdefault(name, []).append(path)
            base = os.path.basename(path).removesuffix(".cpp")
            if base.upper() != name:
                messages.append(f"{path}: defines pass {name}, so its name should be that pass's")
    for entry in passes:
        places = defined.pop(entry.name.upper(), [])
        if len(places) != 1:
            messages.append(f"{entry.td}: pass {entry.name} is defined in {len(places)} files"
                            f" ({', '.join(places) or 'none'}); expected 1")
    for name, places in defined.items():
        messages.append(f"{places[0]}: defines pass {name}, which no Passes.td declares")
    return messages


def check_descriptions(passes):
    messages = []
    for entry in passes:
        where = f"{entry.td}: {entry.argument}"
        words = re.sub(r"(?<!^)(?=[A-Z])", "-", entry.name).lower()
        if entry.argument != "amp-" + words:
            messages.append(f"{where}: the flag of pass {entry.name} should be amp-{words}")
        if not entry.summary.strip():
            messages.append(f"{where}: has no summary")
        if not entry.description.strip():
            messages.append(f"{where}: has no description")
        for option, description in entry.options:
            if not description.strip():
                messages.append(f"{where}: option {option} has no description")
    return messages


def check_tests(tree, passes):
    messages = []
    for entry in passes:
        path = f"test/{os.path.dirname(entry.td)}/{entry.argument.removeprefix('amp-')}.mlir"
        if path not in tree:
            messages.append(f"{entry.td}: {entry.argument} has no test {path}")
        elif entry.argument not in tree.text(path):
            messages.append(f"{path}: does not run {entry.argument}")
    return messages


def with_ranges(text):
    """`text` with `a_c1 to a_c3` spelled out."""
    def spell(match):
        name, first, last = match.group(1), int(match.group(2)), int(match.group(3))
        return " ".join(f"{name}_c{i}" for i in range(first, last + 1))
    return re.sub(r"\b(\w+)_c(\d+) to \1_c(\d+)\b", spell, text)


def check_thread(tree, passes):
    """A constraint that a description numbers stands beside its check and names a test.

    Functions of an entry keep the entry's name, so a comment `// label` may head the case instead.
    """
    messages = []
    for entry in passes:
        folder = os.path.dirname(entry.td)
        source = with_ranges("".join(tree.text(p) for p in tree.paths(folder, ends=(".cpp",))))
        tests = "".join(tree.text(p) for p in tree.paths(f"test/{folder}", ends=(".mlir",)))
        for label in labels_with_text(entry.description):
            if not re.search(rf"\b{label}\b", source):
                messages.append(f"{entry.td}: {entry.argument}: {label} stands beside no check in {folder}")
            if not re.search(rf"(?m)@{label}(?:_\w+)?\b|^// {label}\b", tests):
                messages.append(f"{entry.td}: {entry.argument}: no test below test/{folder} "
                                f"is called @{label} or headed '// {label}'")
    return messages


def check_names(tree, known):
    """No text speaks of a pass that does not exist."""
    messages = []
    for path in tree.paths(ends=(".td", ".md")):
        for number, line in tree.lines(path):
            for name in PASS_NAME.findall(line):
                if name not in known:
                    messages.append(f"{path}:{number}: speaks of `{name}`, which is no pass")
    return messages


def check(tree):
    passes = tablegen.passes(docs.pass_files())
    return (check_files(tree, passes) + check_descriptions(passes) + check_tests(tree, passes)
            + check_thread(tree, passes) + check_names(tree, {p.argument for p in passes}))


class MadeUp:
    """A pass of an example."""

    td = "passes/fusion/Passes.td"

    def __init__(self, **changes):
        self.name, self.argument, self.summary = "FormGroups", "amp-form-groups", "group"
        self.description, self.options = "Groups.", [("fuse", "whether")]
        vars(self).update(changes)


def examples():
    source = {"passes/fusion/FormGroups.cpp": "#define GEN_PASS_DEF_FORMGROUPS\n"}
    test = {"test/passes/fusion/form-groups.mlir": "// RUN: %ampc-opt --amp-form-groups %s"}
    yield "a complete pass", (check_files(Tree(source), [MadeUp()]) + check_descriptions([MadeUp()])
                              + check_tests(Tree(test), [MadeUp()])), None
    yield ("two passes in a file", check_files(Tree({
        "passes/fusion/FormGroups.cpp":
            "#define GEN_PASS_DEF_FORMGROUPS\n#define GEN_PASS_DEF_OTHER\n"}), [MadeUp()]),
        "defines 2 passes")
    yield ("a file of another name", check_files(Tree({
        "passes/fusion/Groups.cpp": "#define GEN_PASS_DEF_FORMGROUPS\n"}), [MadeUp()]),
        "its name should be")
    yield "a pass without a file", check_files(Tree({}), [MadeUp()]), "is defined in 0 files"
    yield "a file without a pass", check_files(Tree(source), []), "which no Passes.td declares"
    yield "no summary", check_descriptions([MadeUp(summary="")]), "has no summary"
    yield "no description", check_descriptions([MadeUp(description=" ")]), "has no description"
    yield "a mute option", check_descriptions([MadeUp(options=[("fuse", "")])]), "option fuse"
    yield ("a flag of another name", check_descriptions([MadeUp(argument="amp-groups")]),
           "should be amp-form-groups")
    yield "no test", check_tests(Tree({}), [MadeUp()]), "has no test test/passes/fusion/form-groups.mlir"
    yield ("a test of something else", check_tests(Tree({"test/passes/fusion/form-groups.mlir": ""}),
                                                   [MadeUp()]), "does not run amp-form-groups")
    numbered = MadeUp(description="Refuses.\n\n    groups_c1: no group is empty.\n")
    thread = {"passes/fusion/FormGroups.cpp": "// groups_c1\n",
              "test/passes/fusion/form-groups-invalid.mlir": "func.func @groups_c1_empty()"}
    yield "a numbered constraint", check_thread(Tree(thread), [numbered]), None
    yield ("a case headed by its label", check_thread(Tree({
        "passes/fusion/A.cpp": "/// groups_c0 to groups_c2.\n",
        "test/passes/fusion/a.mlir": "// -----\n// groups_c1\n"}), [numbered]), None)
    for path, expected in [("passes/fusion/FormGroups.cpp", "stands beside no check"),
                           ("test/passes/fusion/form-groups-invalid.mlir", "is called @groups_c1")]:
        yield f"{path} is empty", check_thread(Tree({**thread, path: ""}), [numbered]), expected
    yield ("a pass that is gone", check_names(Tree({"docs/a.md": "`amp-go" "ne` does"}), {"amp-here"}),
           "docs/a.md:1: speaks of `amp-go" "ne`")
