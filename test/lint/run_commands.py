#!/usr/bin/env python3
"""Runs the commands that README.md and docs/ show, and compares their output.

A block fenced with `sh` is run, in order, by bash with -e in one scratch folder per document; the
folder shows the checkout's entries as links, so that what a command writes stays out of the tree.
`tools/dev test` itself is left out. A block fenced with `text` directly after one (blank lines
aside) is its output: each line must appear, in order; spaces are equal to any spaces, numbers to
any number, except that a number after the word `loss` agrees within 2 %; `...` skips lines.
Other fences are not run.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "tools", "devlib")]
sys.dont_write_bytecode = True

import junit  # noqa: E402
from tree import ROOT, Tree  # noqa: E402

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```\s*$", re.M | re.S)
OWN_TEST = re.compile(r"^\s*(?:\./)?tools/dev\s+test\b.*$", re.M)
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
LOSS_TOLERANCE = 0.02
TIMEOUT_S = 1200


def blocks(text):
    """(line, script, expected output or None) of each sh block; expected is the text block after it."""
    found, last_end = [], None
    for match in FENCE.finditer(text):
        language, body = match.group(1), match.group(2)
        follows = last_end is not None and not text[last_end:match.start()].strip()
        if language == "sh":
            found.append([text.count("\n", 0, match.start()) + 1, OWN_TEST.sub("", body), None])
            last_end = match.end()
        else:
            if language == "text" and follows:
                found[-1][2] = body
            last_end = None
    return [tuple(b) for b in found]


def line_matches(expected, actual):
    """Words equal, numbers any; a number after `loss` close."""
    want, have = expected.split(), actual.split()
    if len(want) != len(have):
        return False
    for i, (w, h) in enumerate(zip(want, have)):
        if w == h:
            continue
        if NUMBER.sub("#", w) != NUMBER.sub("#", h):
            return False
        if i and want[i - 1].rstrip(":=") == "loss":
            a, b = float(NUMBER.search(w).group()), float(NUMBER.search(h).group())
            if abs(a - b) > LOSS_TOLERANCE * abs(a):
                return False
    return True


def missing_line(expected, output):
    """The first line of `expected` that `output` does not have after the ones before it, or None."""
    rest = iter(output.splitlines())
    for line in expected.splitlines():
        if not line.strip() or line.strip() == "...":
            continue
        if not any(line_matches(line, candidate) for candidate in rest):
            return line
    return None


def run_block(script, expected, folder):
    """An error, or None."""
    if not script.strip():
        return None
    try:
        result = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], cwd=folder, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return f"did not end within {TIMEOUT_S} s:\n{script}"
    if result.returncode:
        return f"exit code {result.returncode} of:\n{script}\n{result.stdout}"
    absent = missing_line(expected, result.stdout) if expected else None
    if absent is not None:
        return f"the output has no line like '{absent}':\n{script}\n{result.stdout}"
    return None


def run_document(path, text, build):
    with tempfile.TemporaryDirectory() as folder:
        for entry in os.listdir(ROOT):
            if not entry.startswith("build") and entry != ".git":
                os.symlink(os.path.join(ROOT, entry), os.path.join(folder, entry))
        os.symlink(build, os.path.join(folder, "build"))
        return [(path, f"line {line}", run_block(script, expected, folder))
                for line, script, expected in blocks(text)]


def examples():
    """The runner on documents with a known verdict."""
    cases = [
        ("a good block", "```sh\necho loss 1.00 in 3 s\n```\n\n```text\nloss 1.01 in 9 s\n```\n", None),
        ("a failing command", "```sh\nfalse\ntrue\n```\n", "exit code 1"),
        ("another output", "```sh\necho hello\n```\n```text\nhello world\n```\n", "no line like 'hello world'"),
        ("another loss", "```sh\necho loss 2.0\n```\n```text\nloss 1.0\n```\n", "no line like 'loss 1.0'"),
        ("lines in another order", "```sh\necho a; echo b\n```\n```text\nb\na\n```\n", "no line like 'a'"),
        ("skipped lines", "```sh\necho a; echo b; echo c\n```\n```text\na\n...\nc\n```\n", None),
        ("the test command", "```sh\n./tools/dev test\n```\n", None),
        ("another language", "```console\nfalse\n```\n", None),
        ("text that follows nothing", "```sh\ntrue\n```\nwords\n```text\nx\n```\n", None)]
    results = []
    for name, document, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            errors = [run_block(s, e, folder) for _, s, e in blocks(document)]
        found = "\n".join(e for e in errors if e)
        wrong = found if expected is None else "" if expected in found else f"expected '{expected}', got '{found}'"
        results.append(("example", name, wrong or None))
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="the build folder")
    parser.add_argument("--results", help="write JUnit XML here")
    options = parser.parse_args()
    tree, results = Tree(), examples()
    documents = [p for p in tree.paths(ends=(".md",)) if p == "README.md" or p.startswith(("docs/", "examples/"))]
    if "README.md" not in tree:
        results.append(("README.md", "present", "README.md is missing"))
    build = os.path.abspath(options.build)
    os.environ.setdefault("AMPC_CACHE", "off")
    os.environ["AMPC_BUILD_DIR"] = build
    for path in documents:
        results += run_document(path, tree.text(path), build)
    return junit.report("commands", results, options.results)


if __name__ == "__main__":
    sys.exit(main())
