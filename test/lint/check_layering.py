"""The arrows between rooms hold, in includes and in link lists."""
import os
import re

from tree import ROOMS, Tree

# What each part of the tree may use of the tree. The longest prefix that matches a path decides.
MAY_USE = {
    "ir": ["ir"],
    "passes": ["passes", "ir"],
    "codegen": ["codegen", "ir", "runtime/plan"],
    "runtime": ["runtime"],
    "runtime/plan": ["runtime/plan"],
    "runtime/core": ["runtime/core", "runtime/plan"],
    "runtime/device": ["runtime/device", "runtime/core", "runtime/plan"],
    "runtime/data": ["runtime/data", "runtime/core", "runtime/plan"],
    "runtime/train": ["runtime/train", "runtime/data", "runtime/core", "runtime/plan"],
    "tools": ["tools", "codegen", "passes", "ir", "runtime"],
    "tools/ampc-rt": ["tools/ampc-rt", "runtime"],
    "test": ["test", "tools", "codegen", "passes", "ir", "runtime"],
    "examples": ["examples"],
}
# Outside libraries that a part never sees: beginnings of includes, and of CMake targets.
COMPILER_INCLUDES = ["mlir/", "mlir-c/", "llvm/", "llvm-c/", "lld/", "clang/"]
PROTOBUF_INCLUDES = ["google/protobuf", "onnx/"]
COMPILER_TARGETS = ["MLIR", "LLVM", "lld", "AmpcMlir"]
PROTOBUF_TARGETS = ["protobuf", "onnx"]
NEVER_INCLUDES = {
    "runtime": COMPILER_INCLUDES + PROTOBUF_INCLUDES,
    "tools/ampc-rt": COMPILER_INCLUDES + PROTOBUF_INCLUDES,
    "ir": PROTOBUF_INCLUDES,
    "ir/frontend/onnx": [],
    "passes": PROTOBUF_INCLUDES,
    "codegen": PROTOBUF_INCLUDES,
}
NEVER_TARGETS = {
    "runtime": COMPILER_TARGETS + PROTOBUF_TARGETS,
    "tools/ampc-rt": COMPILER_TARGETS + PROTOBUF_TARGETS,
    "ir": PROTOBUF_TARGETS,
    "ir/frontend/onnx": [],
    "passes": PROTOBUF_TARGETS,
    "codegen": PROTOBUF_TARGETS,
}
INCLUDE = re.compile(r'^\s*#?\s*include\s+["<]([^">]+)[">]')
SOURCES = (".h", ".cpp", ".c", ".cc", ".hpp", ".td", ".inc", ".fbs")
TARGET_COMMANDS = ("add_library", "add_executable", "ampc_add_library", "ampc_add_executable")
LINK_WORDS = {"PUBLIC", "PRIVATE", "INTERFACE", "LINK_PUBLIC", "LINK_PRIVATE"}


def longest(table, path):
    """The entry of `table` whose folder is the closest around `path`, or None."""
    found = [key for key in table if path == key or path.startswith(key + "/")]
    return max(found, key=len) if found else None


def allowed(part, path):
    return any(path == use or path.startswith(use + "/") for use in MAY_USE[part])


def check_includes(tree):
    messages = []
    for path in tree.paths(*ROOMS, "examples", ends=SOURCES):
        part = longest(MAY_USE, path)
        never = NEVER_INCLUDES.get(longest(NEVER_INCLUDES, path), [])
        for number, line in tree.lines(path):
            found = INCLUDE.match(line)
            if not found:
                continue
            include = found.group(1)
            ours = include.split("/")[0] in ROOMS and "/" in include
            if ours and not allowed(part, os.path.normpath(include)):
                messages.append(f"{path}:{number}: {part} may not include '{include}'; "
                                f"it may use {', '.join(MAY_USE[part])}")
            if include.startswith(("../", "./")):
                messages.append(f"{path}:{number}: includes are written from the root, "
                                f"got '{include}'")
            if any(include.startswith(n) for n in never):
                messages.append(f"{path}:{number}: {part} may not include '{include}'")
    return messages


def commands(text):
    """(line, name, words) of each CMake command, comments removed."""
    text = re.sub(r"#\[\[.*?\]\]", "", text, flags=re.S)
    text = re.sub(r"#[^\n]*", "", text)
    for found in re.finditer(r"(\w+)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)", text):
        words = re.sub(r"\$<\w+:([^<>]*)>", r"\1", found.group(2)).replace('"', " ")
        yield text.count("\n", 0, found.start()) + 1, found.group(1).lower(), words.split()


def links(tree):
    """(path, line, target or None, words) of each link list; and {target: folder}."""
    folders, found = {}, []
    for path in tree.paths(ends=("CMakeLists.txt",)):
        folder = os.path.dirname(path)
        for line, name, words in commands(tree.text(path)):
            if not words:
                continue
            if name in TARGET_COMMANDS:
                folders[words[0]] = folder
            if name in TARGET_COMMANDS and "LINK_LIBS" in words:
                rest = words[words.index("LINK_LIBS") + 1:]
                stop = [i for i, w in enumerate(rest) if w in ("DEPENDS", "PCH", "SHARED")]
                found.append((path, line, words[0], rest[:stop[0]] if stop else rest))
            if name == "target_link_libraries":
                found.append((path, line, words[0],
                              [w for w in words[1:] if w not in LINK_WORDS]))
    return folders, found


def check_links(tree):
    folders, found = links(tree)
    messages = []
    for path, line, target, libraries in found:
        part = longest(MAY_USE, path)
        if part is None:
            continue
        never = NEVER_TARGETS.get(longest(NEVER_TARGETS, path), [])
        for library in libraries:
            folder = folders.get(library)
            installed = part == "examples" and library.startswith("ampc::")
            if folder and not installed and not allowed(part, folder):
                messages.append(f"{path}:{line}: {target} may not link {library} of {folder}; "
                                f"{part} may use {', '.join(MAY_USE[part])}")
            if not folder and any(library.startswith(n) for n in never):
                messages.append(f"{path}:{line}: {target} may not link {library}")
    return messages


def check(tree):
    return check_includes(tree) + check_links(tree)


def examples():
    for path, include in [
            ("ir/dialect/A.cpp", "passes/fusion/Passes.h"), ("ir/A.h", "codegen/cpu/Cpu.h"),
            ("ir/A.cpp", "runtime/core/Philox.h"), ("passes/A.cpp", "codegen/cpu/Cpu.h"),
            ("passes/A.cpp", "runtime/plan/Types.h"), ("codegen/A.cpp", "passes/fusion/Passes.h"),
            ("codegen/A.cpp", "runtime/core/Status.h"), ("runtime/A.cpp", "ir/dialect/Dialect.h"),
            ("runtime/A.cpp", "passes/Register.h"), ("runtime/A.cpp", "codegen/Register.h"),
            ("runtime/plan/A.cpp", "runtime/core/Status.h"),
            ("runtime/core/A.h", "runtime/api/Export.h"),
            ("runtime/core/A.cpp", "runtime/device/cpu/Executor.h"),
            ("runtime/device/cpu/A.cpp", "runtime/data/Batch.h"),
            ("runtime/data/A.h", "runtime/train/Stepper.h"),
            ("runtime/train/A.cpp", "runtime/device/cpu/Executor.h"),
            ("runtime/train/A.cpp", "runtime/api/Session.h"), ("ir/A.cpp", "tools/libampc/Model.h"),
            ("runtime/A.cpp", "test/lib/Helper.h"), ("tools/ampc/A.cpp", "test/lib/Helper.h"),
            ("tools/ampc-rt/A.cpp", "ir/dialect/Dialect.h"),
            ("examples/embed/A.cpp", "runtime/api/Session.h")]:
        yield (f"{path} includes {include}",
               check(Tree({path: f'// text\n#include "{include}"\n'})),
               f"{path}:2: ")
    for path, include in [
            ("runtime/A.cpp", "mlir/IR/Builders.h"), ("runtime/A.h", "llvm/ADT/StringRef.h"),
            ("runtime/A.cpp", "google/protobuf/message.h"), ("ir/A.cpp", "onnx/onnx_pb.h"),
            ("tools/ampc-rt/main.cpp", "lld/Common/Driver.h")]:
        yield (f"{path} includes {include}", check(Tree({path: f"#include <{include}>\n"})),
               f"{path}:1: ")
    yield ("an include from the folder", check(Tree({"ir/a/A.cpp": '#include "../b/B.h"\n'})),
           "written from the root")
    yield ("a .td includes upward", check(Tree({"ir/A.td": 'include "passes/P.td"\n'})), "ir/A.td:1")
    yield ("allowed includes", check(Tree({
        "codegen/A.cpp": '#include "runtime/plan/Types.h"\n#include "mlir/IR/Builders.h"\n',
        "runtime/device/cpu/A.cpp": '#include "runtime/core/Tensor.h"\n',
        "runtime/train/A.cpp": '#include "runtime/data/Batch.h"\n',
        "runtime/api/A.cpp": '#include "runtime/device/cpu/Executor.h"\n',
        "ir/frontend/onnx/A.cpp": "#include <onnx/onnx_pb.h>\n",
        "tools/libampc/A.cpp": '#include "passes/Register.h"\n#include "codegen/Register.h"\n',
        "test/unit/A.cpp": '#include "runtime/core/Status.h"\n#include "ir/dialect/Dialect.h"\n',
        "passes/A.cpp": '#include "ir/dialect/Dialect.h"\n'})), None)
    libraries = {"ir/CMakeLists.txt": "ampc_add_library(AmpcIR A.cpp LINK_LIBS AmpcMlir)",
                 "passes/CMakeLists.txt": "ampc_add_library(AmpcPasses A.cpp LINK_LIBS AmpcIR)",
                 "codegen/CMakeLists.txt": "ampc_add_library(AmpcCodegen A.cpp LINK_LIBS AmpcIR)",
                 "runtime/core/CMakeLists.txt": "ampc_add_library(AmpcCore A.cpp)",
                 "runtime/data/CMakeLists.txt": "ampc_add_library(AmpcData A.cpp)",
                 "runtime/train/CMakeLists.txt": "ampc_add_library(AmpcTrain A.cpp)",
                 "runtime/plan/CMakeLists.txt": "ampc_add_library(AmpcPlan A.cpp)"}
    yield "allowed links", check(Tree(libraries)), None
    embed = "add_executable(e m.cpp)\ntarget_link_libraries(e PRIVATE %s)"
    install = {**libraries, "tools/libampc/CMakeLists.txt": "add_library(ampc::ampc ALIAS x)"}
    yield ("an example links what is installed", check(Tree(
        {**install, "examples/embed/CMakeLists.txt": embed % "ampc::ampc"})), None)
    yield ("an example links a room", check(Tree(
        {**install, "examples/embed/CMakeLists.txt": embed % "AmpcIR"})), "may not link AmpcIR")
    for folder, library in [("ir", "AmpcPasses"), ("passes", "AmpcCodegen"), ("passes", "AmpcPlan"),
                            ("codegen", "AmpcPasses"), ("codegen", "AmpcCore"),
                            ("runtime/api", "AmpcIR"), ("runtime/api", "MLIR"),
                            ("runtime/api", "LLVM"), ("runtime/api", "lldELF"),
                            ("runtime/api", "protobuf::libprotobuf"), ("ir", "onnx"),
                            ("tools/ampc-rt", "AmpcIR"), ("runtime/plan", "AmpcCore"),
                            ("runtime/core", "AmpcData"), ("runtime/data", "AmpcTrain")]:
        path = f"{folder}/x/CMakeLists.txt"
        for text in [f"ampc_add_library(X A.cpp\n  PCH a.h\n  LINK_LIBS {library} # why\n)",
                     f"add_library(X A.cpp)\ntarget_link_libraries(X PUBLIC {library})",
                     f"add_library(X A.cpp)\n"
                     f"target_link_libraries(X\n  PRIVATE $<BUILD_INTERFACE:{library}>)"]:
            yield (f"{folder} links {library}: {' '.join(text.split())}",
                   check(Tree({**libraries, path: text})), f"X may not link {library}")
