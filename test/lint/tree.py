"""The files a check looks at: those of the checkout, or a made-up tree of an example."""
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROOMS = ["ir", "passes", "codegen", "runtime", "tools", "test"]
BINARY = (".png", ".ampx", ".npy", ".npz", ".gz", ".safetensors", ".idx")


class Tree:
    """`files` maps paths from the root to text; None reads the checkout."""

    def __init__(self, files=None):
        self.root = ROOT if files is None else None
        self._files = dict.fromkeys(listed()) if files is None else dict(files)

    def paths(self, *prefixes, ends=()):
        """Sorted paths below any of `prefixes` (all without one) with any ending of `ends`."""
        return [p for p in sorted(self._files)
                if (not prefixes or p.startswith(tuple(x.rstrip("/") + "/" for x in prefixes)))
                and (not ends or p.endswith(tuple(ends)))]

    def __contains__(self, path):
        return path in self._files

    def text(self, path):
        if self._files[path] is None:
            with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
                self._files[path] = file.read()
        return self._files[path]

    def lines(self, path):
        """Pairs (number, line)."""
        return enumerate(self.text(path).splitlines(), 1)


def listed():
    """Tracked and new files; in a tree without git, everything but build folders."""
    try:
        names = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "-co", "--exclude-standard"],
                               check=True, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL).stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        names = []
        for folder, folders, files in os.walk(ROOT):
            folders[:] = [f for f in folders
                          if not f.startswith("build") and f not in (".git", "__pycache__")]
            names += [os.path.relpath(os.path.join(folder, f), ROOT) for f in files]
    return [n for n in names
            if n and not n.endswith(BINARY) and os.path.isfile(os.path.join(ROOT, n))]
