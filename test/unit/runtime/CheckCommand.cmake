# Runs ampc-rt on the hand-built plan and checks output, files and exit codes.
# Variables: RT (the command), WRITER (writes the plan), DIR (a scratch directory).
include("${CMAKE_CURRENT_LIST_DIR}/RunPlan.cmake")

execute_process(COMMAND "${WRITER}" --help WORKING_DIRECTORY "${DIR}"
  RESULT_VARIABLE result ERROR_VARIABLE err)
expect("${err}" "usage: .*FILE.ampx")
if(NOT result EQUAL 2 OR EXISTS "${DIR}/--help")
  message(FATAL_ERROR "an option was taken for a file")
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
run(1 infer plan.ampx --output-dir out)
expect("${err}" "error: 'x' .f32.8, 4.. is not given; expected --input x=FILE.npy")

run(2 train plan.ampx --memory-budget=1GiB)
expect("${err}" "error: unknown option '--memory-budget'")
run(2 train plan.ampx --accumulate=2)
expect("${err}" "--accumulate: error: 2 needs another plan: this one has windows of 1; compile with --set train.accumulate=2")
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

# Ctrl-C: the state saved, the exit code 130.
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

# Data from files: read from where the user stands, compressed or not; refused with the line.
file(WRITE "${DIR}/x.csv" "1,2,3,4\n5,6,7,8\n1,2,3,4\n5,6,7,8\n1,2,3,4\n5,6,7,8\n1,2,3,4\n5,6,7,8\n9,9,9,9\n")
execute_process(COMMAND gzip -k x.csv WORKING_DIRECTORY "${DIR}")
foreach(file x.csv x.csv.gz)
  run(0 eval plan.ampx --data "x=csv:${file}#0-3" --data t=uniform:1)
  expect("${out}" "samples 8")
endforeach()
run(1 eval plan.ampx --data "x=csv:x.csv#3-0" --data t=uniform:1)
expect("${err}" "x.csv: error: columns '3-0': 0 comes before 3")
file(APPEND "${DIR}/x.csv" "1,2,x,4\n")
run(1 eval plan.ampx --data x=csv:x.csv --data t=uniform:1)
expect("${err}" "x.csv: error: line 10, column 2: 'x' expects a number, found 'x'")
run(2 eval plan.ampx --data x=magic:x.csv)
expect("${err}" "--data x=magic:x.csv: error: unknown data source 'magic'")

# A plan that is cut or in which a bit is turned.
execute_process(COMMAND bash -c "
  head -c 5000 plan.ampx > cut.ampx
  cp plan.ampx flip.ampx
  printf 'X' | dd of=flip.ampx bs=1 seek=200 conv=notrunc status=none"
  WORKING_DIRECTORY "${DIR}")
run(1 train cut.ampx --steps 1)
expect("${err}" "cut.ampx: error: ")
run(1 train flip.ampx --steps 1)
expect("${err}" "flip.ampx: error: ")

# Output that cannot be written: a file where the directory should be, a full disk.
file(WRITE "${DIR}/file" "")
run(5 train plan.ampx --steps 1 --out file/run)
expect("${err}" "file/run: error: cannot make the directory")
run(5 train plan.ampx --steps 1 --metrics none/m.jsonl)
expect("${err}" "none/m.jsonl: error: cannot open the file")
run(5 train plan.ampx --steps 1 --metrics /dev/full --force)
expect("${err}" "/dev/full: error: cannot write the file")

# kill -9 at any time: whole lines, and a last checkpoint that continues.
foreach(delay 0.2 0.35 0.5)
  file(REMOVE_RECURSE "${DIR}/killed")
  execute_process(
    COMMAND bash -c "
      \"$0\" train plan.ampx --steps 1000000000 --save-every 1 --log-every 1 --out killed --progress none &
      for ((i = 0; i < 1200; ++i)); do [[ -e killed/last ]] && break; sleep 0.05; done
      sleep ${delay}
      kill -KILL $!
      wait $!" "${RT}"
    WORKING_DIRECTORY "${DIR}" RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
  if(NOT result EQUAL 137)
    message(FATAL_ERROR "killed: exit ${result}, expected 137")
  endif()
  run(0 eval plan.ampx --weights killed/last --data x,t=uniform:2 --steps 1)
  execute_process(COMMAND readlink killed/last WORKING_DIRECTORY "${DIR}" OUTPUT_VARIABLE name)
  string(REGEX MATCH "[1-9][0-9]*" step "${name}")
  math(EXPR next "${step} + 1")
  run(0 train plan.ampx --steps ${next} --resume killed/last --progress none --out killed)
  expect("${out}" "checkpoint killed/step-0*${next}.safetensors")
endforeach()
file(REMOVE_RECURSE "${DIR}/killed")
