#!/usr/bin/env python3
"""Sums the result files of every test runner into one line, and shows what failed.

A result file is JUnit XML as lit, ctest and test/lint write it. A GoogleTest program that ctest
ran as one test counts by its own cases, read from its output. A file that is missing or holds no
test is a failure: a runner that ran nothing proves nothing.
"""
import argparse
import os
import re
import sys
import xml.etree.ElementTree as ElementTree

GTEST_START = re.compile(r"^\[==========\] Running (\d+) tests? from", re.M)
GTEST_CASE = re.compile(r"^\[ +(OK|FAILED|SKIPPED) +\] (\S+?),?(?: where .*)? \(\d+ ms\)$", re.M)
SHOWN_LINES = 60


class Totals:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, 0, 0
        self.failures = []  # (name, text)

    def fail(self, name, text=""):
        self.failed += 1
        self.failures.append((name, text))


def count_gtest(name, output, case_failed, totals):
    """Counts the cases of one GoogleTest program; False when `output` is not of one."""
    start = GTEST_START.search(output)
    if not start:
        return False
    expected, seen, failed = int(start.group(1)), 0, 0
    for status, case in GTEST_CASE.findall(output):
        seen += 1
        if status == "OK":
            totals.passed += 1
        elif status == "SKIPPED":
            totals.skipped += 1
        else:
            failed += 1
            totals.fail(f"{name}: {case}", section(output, case))
    if seen < expected:  # the program ended in the middle
        totals.fail(f"{name}: ended after {seen} of {expected} cases", output)
    elif case_failed and not failed:
        totals.fail(f"{name}: failed outside its cases", output)
    return True


def section(output, case):
    """The part of a GoogleTest program's output that belongs to `case`."""
    begin = output.find(f"[ RUN      ] {case}\n")
    end = output.find(f"[  FAILED  ] {case}", begin)
    return output[begin:end] if 0 <= begin < end else ""


def count_case(suite, case, totals):
    name = f"{suite}: {case.get('classname', '')}.{case.get('name', '')}"
    failure = case.find("failure")
    if failure is None:
        failure = case.find("error")
    output = case.findtext("system-out") or ""
    not_run = case.get("status") in ("notrun", "disabled")
    if count_gtest(name, output, failure is not None, totals):
        return
    if failure is not None:
        totals.fail(name, (failure.text or failure.get("message") or "") + output)
    elif case.find("skipped") is not None:
        totals.skipped += 1
    elif not_run:
        totals.fail(name, "did not run")
    else:
        totals.passed += 1


def count_file(path, totals):
    suite = os.path.splitext(os.path.basename(path))[0]
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as error:
        totals.fail(f"{suite}: left no results ({error})")
        return
    cases = list(root.iter("testcase"))
    if not cases:
        totals.fail(f"{suite}: ran no test")
    before = (totals.passed, totals.failed, totals.skipped)
    for case in cases:
        count_case(suite, case, totals)
    after = (totals.passed, totals.failed, totals.skipped)
    print("%-10s %d passed, %d failed, %d skipped"
          % (suite, *(b - a for a, b in zip(before, after))))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--log", required=True, help="the full log, named when something failed")
    parser.add_argument("files", nargs="+", help="JUnit XML files")
    options = parser.parse_args()
    totals = Totals()
    for path in options.files:
        count_file(path, totals)
    for name, text in totals.failures:
        print(f"\nFAILED {name}")
        lines = text.strip().splitlines()
        for line in lines[:SHOWN_LINES]:
            print(f"  {line}")
        if len(lines) > SHOWN_LINES:
            print(f"  ... {len(lines) - SHOWN_LINES} more lines in the log")
    if totals.failures:
        print()
    print(f"full log: {options.log}")
    print(f"{totals.passed} passed, {totals.failed} failed, {totals.skipped} skipped")
    return 1 if totals.failed or not totals.passed else 0


if __name__ == "__main__":
    sys.exit(main())
