"""TableGen's records of the tree as Python values, and its documentation pages as text."""
import functools
import json
import os
import shutil
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DIALECT = "ir/dialect/Ops.td"


@functools.lru_cache(maxsize=None)
def llvm_config(option):
    program = shutil.which("llvm-config-22")
    if not program:
        raise SystemExit("error: llvm-config-22 was not found (tools/dev setup installs it)")
    return subprocess.run([program, option], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()


def run(tool, td, *arguments):
    """Output of a TableGen program on `td`, a path from the root."""
    command = [os.path.join(llvm_config("--bindir"), tool), *arguments, f"-I{ROOT}",
               f"-I{llvm_config('--includedir')}", os.path.join(ROOT, td)]
    result = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode:
        raise SystemExit(f"error: {tool} failed on {td}:\n{result.stderr}")
    return result.stdout


@functools.lru_cache(maxsize=None)
def records(td):
    return json.loads(run("llvm-tblgen", td, "--dump-json"))


class Op:
    """One op of the dialect. `traits` holds names: of interfaces as in C++, else of the record."""

    def __init__(self, name, all_records):
        record = all_records[name]
        self.cpp = name.split("_", 1)[1]
        self.mnemonic = record["opName"]
        self.family = record["!locs"][0].split(":")[0].split("/")[-1].removesuffix(".td")
        self.summary = record["summary"] or ""
        self.description = record["description"] or ""
        self.cpp_text = (record["extraClassDeclaration"] or "") + (record["extraClassDefinition"] or "")
        self.has_verifier = bool(record["hasVerifier"] or record["hasRegionVerifier"])
        self.traits = set()
        pending = [t["def"] for t in record["traits"]]
        while pending:
            trait = all_records[pending.pop()]
            pending += [t["def"] for t in trait.get("traits") or []]
            self.traits.add(trait.get("cppInterfaceName") or trait.get("trait") or trait["!name"])


def ops():
    """Every op of the dialect, by family and then by name."""
    found = records(DIALECT)
    names = [n for n in found["!instanceof"]["Op"] if found[n]["opDialect"]["def"] == "Amp_Dialect"]
    return sorted((Op(n, found) for n in names), key=lambda op: (op.family, op.mnemonic))


class Pass:
    """One pass of a Passes.td; `options` are pairs (argument, description)."""

    def __init__(self, td, name, all_records):
        record = all_records[name]
        self.td, self.name, self.argument = td, name, record["argument"]
        self.summary = record["summary"] or ""
        self.description = record["description"] or ""
        options = [all_records[o["def"]] for o in record["options"]]
        self.options = [(o["argument"], o["description"] or "") for o in options]


def passes(tds):
    """Every pass of the given Passes.td files, in their order."""
    found = []
    for td in tds:
        all_records = records(td)
        names = all_records["!instanceof"].get("PassBase", [])
        names.sort(key=lambda n: int(all_records[n]["!locs"][0].rsplit(":", 1)[1]))
        found += [Pass(td, name, all_records) for name in names]
    return found
