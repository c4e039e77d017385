# ampc_add_library(NAME [SHARED] sources... [LINK_LIBS libraries...] [DEPENDS targets...] [PCH header])
#
# One library of one folder. LINK_LIBS is the true dependency list: libraries are linked PUBLIC and
# `test/lint` reads it. PCH names the room's precompiled header (relative to the source root).
function(ampc_add_library name)
  cmake_parse_arguments(ARG "SHARED" "PCH" "LINK_LIBS;DEPENDS" ${ARGN})
  if(ARG_SHARED)
    add_library(${name} SHARED ${ARG_UNPARSED_ARGUMENTS})
  else()
    add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  endif()
  target_include_directories(${name} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>" "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}>")
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if(ARG_PCH)
    ampc_use_pch(${name} ${ARG_PCH})
  endif()
endfunction()

# ampc_use_pch(target header): every target that names the same header shares one build of it.
# The headers hold MLIR and LLVM only, so that a change of ours never rebuilds one.
function(ampc_use_pch target header)
  string(MAKE_C_IDENTIFIER "AmpcPch_${header}" pch)
  if(NOT TARGET ${pch})
    file(WRITE "${CMAKE_BINARY_DIR}/pch/${pch}.cpp" "// Carries the precompiled header ${header}.\n")
    add_library(${pch} STATIC "${CMAKE_BINARY_DIR}/pch/${pch}.cpp")
    target_precompile_headers(${pch} PRIVATE "${PROJECT_SOURCE_DIR}/${header}")
    target_link_libraries(${pch} PUBLIC AmpcMlirHeaders)
    target_compile_options(${pch} PRIVATE ${AMPC_MLIR_FLAGS})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${pch})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    # CMake compiles programs with -fPIE, which a header compiled with -fPIC refuses.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  target_compile_options(${target} PRIVATE ${AMPC_MLIR_FLAGS})
endfunction()

# ampc_add_executable(NAME sources... LINK_LIBS libraries... [PCH header])
function(ampc_add_executable name)
  cmake_parse_arguments(ARG "" "PCH" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
  if(ARG_PCH)
    ampc_use_pch(${name} ${ARG_PCH})
  endif()
endfunction()

# ampc_make_portable(NAME): the program or library finds shared libraries, and they theirs, in the
# folder `lib` beside its own, wherever the two are copied (tools/dev gpu).
function(ampc_make_portable name)
  target_link_options(${name} PRIVATE "LINKER:--disable-new-dtags")
  set_target_properties(${name} PROPERTIES BUILD_RPATH "$ORIGIN/../lib" BUILD_RPATH_USE_ORIGIN ON)
endfunction()
