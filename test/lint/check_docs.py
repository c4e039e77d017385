"""docs/ops.md and docs/passes.md are what the .td files and sources generate now."""
import docs


def check(tree):
    return [f"{path} is not current: run tools/dev docs\n{diff}"
            for path, diff in docs.differences().items()]


def examples():
    real = docs.read
    try:
        docs.read = lambda path: "an old page\n" if path in docs.PAGES else real(path)
        yield "a stale page", check(None), "docs/ops.md is not current"
    finally:
        docs.read = real
