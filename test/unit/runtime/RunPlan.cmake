# What checks of ampc-rt share: a fresh scratch directory with the hand-built plan in it, and how to
# run the command there. Variables: RT (the command), WRITER (writes the plan), DIR (the directory).
file(REMOVE_RECURSE "${DIR}")
file(MAKE_DIRECTORY "${DIR}")

# run(CODE args...): runs ampc-rt in DIR, expects the exit code, leaves `out` and `err`.
macro(run code)
  execute_process(COMMAND "${RT}" ${ARGN} WORKING_DIRECTORY "${DIR}"
    RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT result EQUAL ${code})
    message(FATAL_ERROR "ampc-rt ${ARGN}: exit ${result}, expected ${code}\n${out}\n${err}")
  endif()
endmacro()

# expect(TEXT regex): TEXT is the value looked at.
function(expect text regex)
  if(NOT text MATCHES "${regex}")
    message(FATAL_ERROR "expected ${regex}\nin: ${text}")
  endif()
endfunction()

execute_process(COMMAND "${WRITER}" "${DIR}/plan.ampx" RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the plan was not written")
endif()
