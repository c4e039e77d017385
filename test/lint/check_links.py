"""Every relative link of a Markdown page names a file or folder of the tree."""
import os
import re

from tree import Tree

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
CODE = re.compile(r"^\s*(```|~~~)")


def check(tree):
    messages = []
    known = set(tree.paths())
    folders = {os.path.dirname(path) for path in known}
    for path in sorted(known):
        if not path.endswith(".md"):
            continue
        inside = False
        for number, line in tree.lines(path):
            if CODE.match(line):
                inside = not inside
            if inside:
                continue
            for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                if "://" in target or target.startswith("mailto:"):
                    continue
                full = os.path.normpath(os.path.join(os.path.dirname(path), target))
                if full not in known and full not in folders:
                    messages.append(f"{path}:{number}: no file '{full}' for the link '{target}'")
    return messages


def examples():
    page = {"docs/a.md": "[b](b.md) [c](../README.md#x) [d](http://e/f.md)\n```\n[g](no.md)\n```\n",
            "docs/b.md": "", "README.md": "[docs](docs) `[h](none.md)`\n"}
    yield "links that lead somewhere", check(Tree(page)), None
    yield "a dead link", check(Tree({"README.md": "see\n[x](docs/x.md)\n"})), "README.md:2: no file"
