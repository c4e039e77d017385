# The runtime needs no compiler: no file named below may link LLVM, MLIR, LLD or protobuf.
# Variable: FILES (a list of libraries and programs).
foreach(file IN LISTS FILES)
  execute_process(COMMAND ldd "${file}" RESULT_VARIABLE result OUTPUT_VARIABLE out)
  if(NOT result EQUAL 0 OR NOT out MATCHES "libc\\.so")
    message(FATAL_ERROR "ldd ${file} failed")
  endif()
  if(out MATCHES "not found")
    message(FATAL_ERROR "${file} lacks a library:\n${out}")
  endif()
  if(out MATCHES "lib(LLVM|MLIR|lld|clang|protobuf|onnx)")
    message(FATAL_ERROR "${file} links a compiler or protobuf:\n${out}")
  endif()
endforeach()
