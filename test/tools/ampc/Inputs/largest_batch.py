"""LIMIT COMMAND...: the largest batch that `ampc plan` names fits, and the next one does not."""
import json
import subprocess
import sys

limit, command = sys.argv[1], sys.argv[2:]


def plan(*arguments):
    result = subprocess.run([*command, "--json", "--device-memory", limit, *arguments], capture_output=True,
                            check=False)
    told = json.loads(result.stdout)
    assert result.returncode == (0 if told["fits"] else 3), result
    return told


largest = plan()["batch"]["largest"]
assert plan("--set", f"batch={largest}")["fits"], largest
assert not plan("--set", f"batch={largest + 1}")["fits"], largest
assert plan("--set", f"batch={4 * largest}")["batch"]["largest"] == largest, largest
