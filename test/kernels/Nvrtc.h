// NVIDIA's compiler for CUDA text, where its library is found: no GPU is
// needed.
#ifndef AMPC_TEST_KERNELS_NVRTC_H
#define AMPC_TEST_KERNELS_NVRTC_H

#include <string>
#include <vector>

namespace ampc::test {

/// Architectures that text must compile for.
inline constexpr const char *kArchitectures[] = {
    "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"};

/// Whether the library is found: in CUDA_HOME or the toolkit's usual places.
bool hasNvrtc();

/// What the compiler says about `text`, with the runtime's options: nothing,
/// where all is well. Registers that go to memory are worth a word unless
/// `maySpill`. Any thread.
std::string complaintAbout(const std::string &text,
                           const std::string &architecture,
                           bool maySpill = false);

} // namespace ampc::test

#endif // AMPC_TEST_KERNELS_NVRTC_H
