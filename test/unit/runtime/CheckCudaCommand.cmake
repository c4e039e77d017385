# Runs ampc-rt on the hand-built plan for CUDA, on the software device: training, resuming to the
# bit, evaluation, a forward pass, and what is said where there is no device.
# Variables: RT (the command), WRITER (writes the plan), HOSTGPU (the software device's folder), DIR
# (a scratch directory).
set(ENV{AMPC_CUDA_LIBRARIES} "${HOSTGPU}")
set(ENV{AMPC_HOSTGPU_CACHE} "${HOSTGPU}/cache")
set(ENV{AMPC_CACHE} "${DIR}/kernels")
include("${CMAKE_CURRENT_LIST_DIR}/RunPlan.cmake")

run(0 train plan.ampx --steps 10 --out run --save-every 4)
expect("${out}" "step  5/10  loss [0-9.]+ +lr 0.1 .*samples/s")
run(0 train plan.ampx --steps 10 --out again --resume run/step-00000004.safetensors --device cuda:0)
file(SHA256 "${DIR}/run/step-00000010.safetensors" whole)
file(SHA256 "${DIR}/again/step-00000010.safetensors" resumed)
if(NOT whole STREQUAL resumed)
  message(FATAL_ERROR "a resumed run ends with other bits")
endif()
run(0 eval plan.ampx --weights run/last --data x,t=uniform:2 --steps 3)
expect("${out}" "loss [0-9.]+\nsamples 24")

run(2 train plan.ampx --device cpu)
expect("${err}" "--device: error: 'cpu' does not run plan.ampx, which is compiled for cuda")
run(2 train plan.ampx --device gpu)
expect("${err}" "--device: error: expected auto, cpu or cuda.:N., got 'gpu'")
run(5 train plan.ampx --device cuda:7)
expect("${err}" "cuda:7: error: there is no such device; there is cuda:0 ")
set(ENV{AMPC_HOSTGPU_MEMORY} 1000000)
set(ENV{AMPC_HOSTGPU_FAIL_ALLOC} 2)
run(3 train plan.ampx)
expect("${err}" "bytes of arena do not fit: [0-9]+ of its [0-9]+ bytes are free")
set(ENV{AMPC_CUDA_LIBRARIES} "${DIR}")
run(5 train plan.ampx)
expect("${err}" "cuda: error: NVIDIA's driver, libcuda.so.1, is not found; looked in ${DIR}; install")
