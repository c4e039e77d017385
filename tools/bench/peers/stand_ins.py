"""Stand-ins for the CUDA libraries that PyTorch's wheel is linked with.

PyPI's wheel for Linux loads libcudart, libcublas and their kin when it starts, 3 GB of packages that a
run on the CPU never calls. In their place `make` builds libraries of the same names, of which every
function answers with an error: PyTorch finds no device and uses the CPU.
"""
import collections
import pathlib
import re
import subprocess
import sys

# Status 100 is `no device` to CUDA; what should be a text is one.
FUNCTION = "int {name}(void) {{ return 100; }}\n"
TEXT = "const char *{name}(void) {{ return \"CUDA is not installed\"; }}\n"
SYMBOL = re.compile(r"^\s*\d+: [0-9a-f]+\s+\S+ \S+\s+(\S+)\s+\S+\s+(\S+) (\S+?)(?: \(\d+\))?$")


def readelf(option, library):
    return subprocess.run(["readelf", "-W", option, library], check=True, capture_output=True, text=True).stdout


def symbols_of(library):
    """Names with versions that a library defines, and those that it needs but need not be there."""
    defined, needed = set(), set()
    for line in readelf("--dyn-syms", library).splitlines():
        found = SYMBOL.match(line)
        if not found:
            continue
        binding, section, name = found.groups()
        if section == "UND":
            if binding != "WEAK":
                needed.add(name)
        else:
            defined.add(name.split("@")[0])
    return defined, needed


def versions_of(library):
    """Which library each version of a symbol is from."""
    origin, file = {}, ""
    for line in readelf("-V", library).splitlines():
        found = re.search(r"File: (\S+)", line)
        file = found.group(1) if found else file
        found = re.search(r"Name: (\S+)\s+Flags", line)
        if found and file:
            origin[found.group(1)] = file
    return origin


def missing_libraries(libraries):
    """Names of libraries that are needed and of CUDA: neither beside nor the system's."""
    beside = {library.name for library in libraries}
    needed = set()
    for library in libraries:
        needed.update(re.findall(r"NEEDED.*\[(\S+)\]", readelf("-d", library)))
    cuda = re.compile(r"lib(cu|nv|nccl)")
    return sorted(name for name in needed - beside if cuda.match(name))


def make(folder, compiler="gcc"):
    """Builds what the libraries in `folder` lack, beside them; the names of what was made."""
    folder = pathlib.Path(folder)
    libraries = sorted(path for path in folder.glob("*.so*") if path.is_file() and not path.is_symlink())
    missing = missing_libraries(libraries)
    wanted = {name: collections.defaultdict(set) for name in missing}
    defined, loose = set(), set()
    for library in libraries:
        origin = versions_of(library)
        own, needed = symbols_of(library)
        defined |= own
        for symbol in needed:
            name, _, version = symbol.partition("@")
            version = version.lstrip("@")
            if origin.get(version) in wanted:
                wanted[origin[version]][version].add(name)
            elif not version:
                loose.add(name)
    # A symbol without a version may be in any library that is loaded.
    if missing:
        wanted[missing[0]][""] |= {name for name in loose - defined if re.match(r"_*(cu|nv|nccl)", name)}
    for library, versions in wanted.items():
        build(folder, library, versions, compiler)
    return missing


def build(folder, library, versions, compiler):
    source, script = folder / "stand_in.c", folder / "stand_in.map"
    names = sorted(set().union(*versions.values()))
    source.write_text("".join((TEXT if re.search(r"Get\w*(String|Name)$", name) else FUNCTION).format(name=name)
                              for name in names))
    script.write_text("".join(f"{version} {{ global: {'; '.join(sorted(group))}; }};\n"
                              for version, group in versions.items() if version and group))
    command = [compiler, "-shared", "-fPIC", "-w", "-fno-builtin", f"-Wl,-soname,{library}"]
    if script.read_text():
        command.append(f"-Wl,--version-script={script}")
    subprocess.run([*command, "-o", folder / library, source], check=True)
    source.unlink()
    script.unlink()


def main():
    """Of the environment that is named, the folder of PyTorch's libraries."""
    folders = list(pathlib.Path(sys.argv[1]).glob("lib/python3*/site-packages/torch/lib"))
    if len(folders) != 1:
        raise SystemExit(f"expected one torch/lib below {sys.argv[1]}, found {len(folders)}")
    print("stand-ins for", ", ".join(make(folders[0])))


if __name__ == "__main__":
    main()
