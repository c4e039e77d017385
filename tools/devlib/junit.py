"""Results of a runner of our own: shown, and written as the JUnit XML that results.py reads."""
import re
import xml.etree.ElementTree as ElementTree

# What XML 1.0 cannot hold; programs colour their messages.
UNPRINTABLE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|[\x00-\x08\x0b\x0c\x0e-\x1f]")


def report(suite, results, path=None):
    """`results` holds (class, name, error or None); returns the exit code."""
    failed = [r for r in results if r[2]]
    for group, name, error in failed:
        print(f"FAILED {suite}: {group}: {name}")
        for line in error.splitlines():
            print(f"  {line}")
    print(f"{suite}: {len(results) - len(failed)} passed, {len(failed)} failed")
    if path:
        root = ElementTree.Element("testsuite", name=suite, tests=str(len(results)))
        for group, name, error in results:
            case = ElementTree.SubElement(root, "testcase", classname=group, name=name)
            if error:
                ElementTree.SubElement(case, "failure").text = UNPRINTABLE.sub("", error)
        ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)
    return 1 if failed or not results else 0
