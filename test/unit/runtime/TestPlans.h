// Hand-built plans for the runtime's tests: a linear regression whose kernels
// are in TestKernels.c, and in TestKernels.cu for the programs that run the
// same tests on a CUDA device.
#pragma once

#include "runtime/plan/PlanFile.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ampc::rt::test {

/// Whether this program's plans are for a CUDA device.
#ifdef AMPC_TEST_ON_CUDA
inline constexpr bool kOnCuda = true;
#else
inline constexpr bool kOnCuda = false;
#endif

/// Makes the runtime find the software CUDA device, and keeps what it compiles
/// in the test's temporary directory; with `AMPC_TEST_CUDA=device` in the
/// environment it finds the machine's own. False where there is none.
bool useSoftwareDevice();

/// The bytes of the test kernels' shared object.
std::vector<uint8_t> kernelObject();
/// Their CUDA text.
std::string kernelText();

/// Linear regression of [8, 4] inputs to [8, 3] targets by SGD at rate 0.1:
/// `train_step`, `eval_step` and `eval_finish` (the mean of 24 squares, over
/// the batches) and `infer`; variables `w`, the counters and the rate.
fb::PlanT regression();

/// Its first launch, which reads the arena and an input and writes the arena.
fb::LaunchT &firstLaunch(fb::PlanT &plan);

/// That launch as a loop of one iteration, which writes its one slice.
fb::ForeachT &firstLoop(fb::PlanT &plan);

/// Its sections.
PlanSections regressionSections();

/// The bytes of its file.
std::vector<uint8_t> regressionBytes();

/// A path in the test's temporary directory.
std::string temporary(const std::string &name);

/// The bytes of a file.
std::vector<uint8_t> contents(const std::string &path);
/// Writes bytes as they are.
void spill(const std::string &path, std::span<const uint8_t> bytes);

/// Fails the test unless `value` is good; gives what is in it.
template <class T>
T must(Expected<T> value) {
  if (!value) {
    ADD_FAILURE() << value.error().text();
    std::abort(); // nothing after it means anything
  }
  if constexpr (!std::is_void_v<T>)
    return std::move(*value);
}

/// The error of `value`; fails the test if there is none.
template <class T>
Error errorOf(const Expected<T> &value) {
  if (value) {
    ADD_FAILURE() << "expected an error";
    return {};
  }
  return value.error();
}

} // namespace ampc::rt::test
