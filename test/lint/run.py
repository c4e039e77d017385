#!/usr/bin/env python3
"""Runs every check of this folder on the tree, and every check's examples."""
import argparse
import glob
import importlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "tools", "devlib")]
sys.dont_write_bytecode = True

import junit  # noqa: E402
from tree import Tree  # noqa: E402


def run_examples(module):
    """Pairs (name, error or None) of the check's examples."""
    results = []
    for name, messages, expected in module.examples():
        error = None
        if expected is None and messages:
            error = "finds a fault where there is none: " + "; ".join(messages)
        elif expected is not None and not any(expected in m for m in messages):
            error = f"does not report '{expected}', only {messages}"
        results.append((f"example: {name}", error))
    if not any(True for _ in results):
        results.append(("examples", "the check has no example that fails"))
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", help="write JUnit XML here")
    parser.add_argument("checks", nargs="*", help="names such as 'layering' (default: all)")
    options = parser.parse_args()
    names = sorted(os.path.basename(p)[len("check_"):-len(".py")]
                   for p in glob.glob(os.path.join(HERE, "check_*.py")))
    unknown = set(options.checks) - set(names)
    if unknown:
        parser.error(f"no check {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    tree, results = Tree(), []
    for name in options.checks or names:
        module = importlib.import_module("check_" + name)
        messages = module.check(tree)
        results.append((name, "tree", "\n".join(messages) or None))
        results += [(name, case, error) for case, error in run_examples(module)]
    return junit.report("lint", results, options.results)


if __name__ == "__main__":
    sys.exit(main())
