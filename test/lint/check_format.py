"""C++ is formatted as clang-format-14 formats it (tools/dev format mends it)."""
import os
import re
import shutil
import subprocess
import tempfile

from tree import ROOT, Tree

PROGRAM = "clang-format-14"


def unformatted(root, paths):
    """Messages for the first bad line of each file of `paths` below `root`."""
    if not paths:
        return []
    result = subprocess.run([PROGRAM, "--style=file", "--dry-run", "-Werror", *paths], cwd=root,
                            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    messages, seen = [], set()
    for path, line in re.findall(r"^(.+?):(\d+):\d+: error: code should be clang-formatted",
                                 result.stderr, re.M):
        if path not in seen:
            seen.add(path)
            messages.append(f"{path}:{line}: is not formatted (tools/dev format)")
    if result.returncode and not messages:
        messages.append(f"{PROGRAM} failed: {result.stderr.strip()}")
    return messages


def check(tree):
    if not shutil.which(PROGRAM):
        return [f"{PROGRAM} was not found (tools/dev setup installs it)"]
    return unformatted(ROOT, tree.paths(ends=(".cpp", ".h")))


def examples():
    for name, text, expected in [("a formatted file", "int f(int a) { return a; }\n", None),
                                 ("an unformatted file", "int  f( int a ){return a;}\n", "A.cpp:1: ")]:
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, ".clang-format"), "w", encoding="utf-8") as file:
                file.write(Tree().text(".clang-format"))
            with open(os.path.join(folder, "A.cpp"), "w", encoding="utf-8") as file:
                file.write(text)
            yield name, unformatted(folder, ["A.cpp"]), expected
