# Compiler settings shared by every room.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# One build type: the LLVM we link has assertions off.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")

# Everything runnable stands in build/bin, every library in build/lib.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib:$ORIGIN")

# -ffp-contract=off: no multiply-add is contracted across operations (docs/numerics.md, N4).
# Warnings are errors for the compiler the project is written with; what another one makes of the
# sources must not stop a build. GCC takes `std::optional` and AVX-512 intrinsics for uninitialised.
set(strict)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(strict -Werror)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(strict -Wno-maybe-uninitialized)
endif()
add_compile_options(-Wall -Wextra ${strict} -Wno-unused-parameter -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options(-fpch-instantiate-templates -fcolor-diagnostics)
  find_program(AMPC_LLD NAMES ld.lld-22 ld.lld)
  if(AMPC_LLD)
    add_link_options("--ld-path=${AMPC_LLD}")
  endif()
endif()

find_program(AMPC_CCACHE ccache)
if(AMPC_CCACHE)
  # ccache keys precompiled headers only when told that defines and timestamps may differ. Paths are
  # keyed relative to the source folder, so that another checkout of the same sources hits.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env
      "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime"
      "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 "${AMPC_CCACHE}")
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
    # The driver finds the header's .pch beside it; behind -Xclang ccache would key its full path.
    set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include <PCH_HEADER>)
  endif()
endif()
