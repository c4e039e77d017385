# MLIR, LLVM and LLD 22 as shared libraries, and TableGen for the dialect and the passes.
find_program(AMPC_LLVM_CONFIG NAMES llvm-config-22)
if(AMPC_LLVM_CONFIG)
  execute_process(COMMAND "${AMPC_LLVM_CONFIG}" --prefix
    OUTPUT_VARIABLE AMPC_LLVM_PREFIX OUTPUT_STRIP_TRAILING_WHITESPACE)
  list(PREPEND CMAKE_PREFIX_PATH "${AMPC_LLVM_PREFIX}")
endif()
find_package(MLIR 22.1 REQUIRED CONFIG)
find_package(LLD 22.1 REQUIRED CONFIG)
set(AMPC_LLVM_BIN "${LLVM_TOOLS_BINARY_DIR}")

# TableGen's CMake helpers want this name.
set(LLVM_MAIN_INCLUDE_DIR "${LLVM_INCLUDE_DIRS}")
list(GET MLIR_INCLUDE_DIRS 0 MLIR_INCLUDE_DIR)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

separate_arguments(AMPC_LLVM_DEFINITIONS UNIX_COMMAND "${LLVM_DEFINITIONS}")
set(AMPC_MLIR_FLAGS -fno-exceptions)

# The headers alone (precompiled headers), and the two shared libraries.
add_library(AmpcMlirHeaders INTERFACE)
target_include_directories(AmpcMlirHeaders SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_compile_definitions(AmpcMlirHeaders INTERFACE ${AMPC_LLVM_DEFINITIONS})
add_library(AmpcMlir INTERFACE)
target_link_libraries(AmpcMlir INTERFACE AmpcMlirHeaders MLIR LLVM)

# ampc_tablegen(TARGET td-file generator output [generator output]...)
# Each pair is one output of mlir-tblgen, e.g. `-gen-op-decls Ops.h.inc`, built below the binary
# directory at the same relative path as the source folder.
function(ampc_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS "${td}")
  set(pairs ${ARGN})
  while(pairs)
    list(POP_FRONT pairs generator output)
    separate_arguments(flags UNIX_COMMAND "${generator}")
    mlir_tablegen("${output}" ${flags} "-I${PROJECT_SOURCE_DIR}" "-I${MLIR_INCLUDE_DIR}")
  endwhile()
  add_public_tablegen_target(${target})
endfunction()
