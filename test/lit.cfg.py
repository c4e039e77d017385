# The lit suite: every *.mlir, *.amp and *.test file below test/ whose folder is not excluded.
# Files that tests read but that hold no RUN line stand in folders called Inputs.
import glob
import os
import re
import shutil

import lit.formats

config.name = "ampc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".amp", ".test"]
config.excludes = ["Inputs", "unit", "lint", "proofs"]
config.test_source_root = os.path.join(config.ampc_source_dir, "test")
config.test_exec_root = os.path.join(config.ampc_binary_dir, "test")

bin_dir = os.path.join(config.ampc_binary_dir, "bin")
path = os.pathsep.join([bin_dir, config.llvm_bin_dir, os.environ.get("PATH", "")])
config.environment["PATH"] = path
# A variable captured in one function must not satisfy a check of the next.
config.environment["FILECHECK_OPTS"] = "-enable-var-scope"
for name in ("HOME", "TMPDIR", "CUDA_HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# What a model runs on does not depend on the machine: these tests see no CUDA device.
config.environment["AMPC_CUDA_LIBRARIES"] = os.path.join(config.test_exec_root, "no-cuda")

# Nor on what earlier runs have kept.
config.environment["AMPC_CACHE"] = "off"

if os.path.exists(os.path.join(config.ampc_binary_dir, "hostgpu", "libcuda.so.1")):
    config.available_features.add("hostgpu")

# AMPC_VERIFY_ROUNDTRIP=1 prints and parses every module once more in each ampc-opt call.
opt = os.path.join(bin_dir, "ampc-opt")
if os.environ.get("AMPC_VERIFY_ROUNDTRIP") == "1":
    opt += " -verify-roundtrip"
    config.available_features.add("roundtrip")
config.substitutions += [
    ("%ampc-opt", opt),
    ("%ampc-rt", os.path.join(bin_dir, "ampc-rt")),
    (r"%ampc\b", os.path.join(bin_dir, "ampc")),
    ("%{path}", path),
    ("%dev", os.path.join(config.ampc_source_dir, "tools", "dev")),
    ("%gpu-pack", "python3 -B " + os.path.join(config.ampc_source_dir, "tools", "devlib", "gpu", "pack.py")
     + " --build " + config.ampc_binary_dir),
    ("%results", "python3 " + os.path.join(config.ampc_source_dir, "tools", "devlib", "results.py")),
    ("%hostgpu", os.path.join(config.ampc_binary_dir, "hostgpu")),
    ("%examples", os.path.join(config.ampc_source_dir, "examples")),
]


def has_nvrtc():
    """NVRTC where the runtime looks for it: CUDA_HOME, the toolkit's places, NVIDIA's packages."""
    places = [os.environ.get("CUDA_HOME", "") or "/nonexistent", "/usr/local/cuda*", "/opt/cuda"]
    patterns = [os.path.join(p, d) for p in places for d in ("lib64", "lib", "targets/*/lib")]
    patterns += ["/usr/lib/x86_64-linux-gnu"]
    for pattern in ("/usr/lib/python3*", "/usr/local/lib/python3*"):
        for packages in ("site-packages", "dist-packages"):
            patterns.append(os.path.join(pattern, packages, "nvidia/*/lib"))
    return any(glob.glob(os.path.join(p, "libnvrtc.so*")) for p in patterns)


def cpu_flags():
    try:
        with open("/proc/cpuinfo") as info:
            found = re.search(r"^flags\s*:(.*)$", info.read(), re.M)
    except OSError:
        return set()
    return set(found.group(1).split()) if found else set()


flags = cpu_flags()
if {"avx512f", "avx512bw", "avx512vl", "avx512dq"} <= flags:
    config.available_features.add("avx512")
if {"amx_tile", "amx_bf16"} <= flags:
    config.available_features.add("amx")
if shutil.which("g++") and shutil.which("cmake") and shutil.which("ninja"):
    config.available_features.add("gcc")
if has_nvrtc():
    config.available_features.add("nvrtc")
