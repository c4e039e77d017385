"""Every source is listed by name in the CMakeLists.txt of its folder, or of the closest above it."""
import os
import re

from tree import ROOMS, Tree


def listing_of(tree, path):
    """The closest CMakeLists.txt around `path`, or None."""
    folder = os.path.dirname(path)
    while folder:
        if f"{folder}/CMakeLists.txt" in tree:
            return f"{folder}/CMakeLists.txt"
        folder = os.path.dirname(folder)
    return None


def check(tree):
    messages = []
    for path in tree.paths(*ROOMS, ends=("CMakeLists.txt", ".cmake")):
        for number, line in tree.lines(path):
            if re.match(r"\s*file\s*\(\s*GLOB", line, re.I):
                messages.append(f"{path}:{number}: list sources by name, not by pattern")
    for path in tree.paths(*ROOMS, ends=(".cpp", ".c")):
        listing = listing_of(tree, path)
        if not listing:
            messages.append(f"{path}: no folder around it has a CMakeLists.txt")
            continue
        name = os.path.relpath(path, os.path.dirname(listing))
        words = re.sub(r"#[^\n]*", "", tree.text(listing)).replace('"', " ")
        words = words.replace("${CMAKE_CURRENT_SOURCE_DIR}/", "")
        if not re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w.])", words):
            messages.append(f"{path}: {listing} does not name it: it is never compiled")
    return messages


def examples():
    text = "ampc_add_library(A\n  A.cpp\n  ops/B.cpp)"
    good = {"ir/CMakeLists.txt": text, "ir/A.cpp": "", "ir/ops/B.cpp": ""}
    yield "listed sources", check(Tree(good)), None
    yield "a forgotten source", check(Tree({**good, "ir/C.cpp": ""})), "ir/C.cpp: ir/CMakeLists.txt does not"
    yield ("a source in a comment", check(Tree({**good, "ir/CMakeLists.txt": text + "# C.cpp",
                                               "ir/C.cpp": ""})), "ir/C.cpp: ")
    yield ("a name that ends like another", check(Tree({**good, "ir/CMakeLists.txt": "x(AA.cpp ops/B.cpp)"})),
           "ir/A.cpp: ")
    yield ("a pattern", check(Tree({"ir/CMakeLists.txt": "file(GLOB s *.cpp)"})), "by name, not by pattern")
    yield "no listing", check(Tree({"ir/A.cpp": ""})), "no folder around it"
