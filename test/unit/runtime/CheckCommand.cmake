# Runs ampc-rt on the hand-built plan and checks output, files and exit codes.
# Variables: RT (the command), WRITER (writes the plan), DIR (a scratch directory).
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

run(0 train plan.ampx --steps 10 --out run --threads 2)
expect("${out}" "step  5/10  loss [0-9.]+ +lr 0.1 .*samples/s.*left")
expect("${out}" "checkpoint run/step-00000010.safetensors")
run(2 train plan.ampx --steps 10 --out run)
expect("${err}" "run/metrics.jsonl: error: the file exists; give --force to replace it")
run(0 train plan.ampx --steps 14 --out run --resume run/last --json)
expect("${out}" "\"step\":14,.*\"summary\":true,\"steps\":14")

run(0 eval plan.ampx --weights run/last --data x,t=uniform:2 --steps 3)
expect("${out}" "loss [0-9.]+\nsamples 24")
run(2 eval plan.ampx)
expect("${err}" "error: the data has no end")
run(2 infer plan.ampx --output-dir out)
expect("${err}" "infer: error: the batch has no 'x', expected f32.8, 4.")

run(2 train)
run(2 fly plan.ampx)
run(0 --help)
run(1 train absent.ampx)
expect("${err}" "absent.ampx: error: cannot open the file")
file(WRITE "${DIR}/text.ampx" "hello")
run(1 train text.ampx)
expect("${err}" "text.ampx: error: not a plan file")
run(1 train plan.ampx --data x=npy:absent.npy)
run(1 train plan.ampx --data q=normal:1)
expect("${err}" "the model has no input 'q'; it has x, t")

# Ctrl-C: the window is finished, the state saved, the exit code 130.
# The signal is sent once a first window is on record, however slow the machine.
execute_process(
  COMMAND bash -c "
    \"$0\" train plan.ampx --steps 1000000000 --log-every 1 --out stopped --progress none &
    for ((i = 0; i < 1200; ++i)); do [[ -s stopped/metrics.jsonl ]] && break; sleep 0.05; done
    kill -INT $!
    wait $!" "${RT}"
  WORKING_DIRECTORY "${DIR}" RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
if(NOT result EQUAL 130)
  message(FATAL_ERROR "interrupted: exit ${result}, expected 130\n${out}\n${err}")
endif()
expect("${out}" "interrupted after step ([0-9]+)")
string(REGEX MATCH "step-[0-9]+" name "${out}")
if(NOT EXISTS "${DIR}/stopped/${name}.safetensors")
  message(FATAL_ERROR "no checkpoint: ${out}")
endif()
file(REMOVE_RECURSE "${DIR}/stopped")
