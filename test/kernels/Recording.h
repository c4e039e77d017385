// Launches of kernels with the bytes of their arguments before and after, in a
// file: what the tests of test/kernels saw on the software device, for a GPU to
// do again where there is no compiler. A file is read on machines of the kind
// that wrote it.
#ifndef AMPC_TEST_KERNELS_RECORDING_H
#define AMPC_TEST_KERNELS_RECORDING_H

#include <cstdint>
#include <fstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace ampc::test {

struct RecordedArgument {
  uint64_t address = 0; ///< where it was; equal ones are one buffer
  std::vector<uint8_t> before, after;
};

struct RecordedLaunch {
  std::string text, symbol;
  unsigned blocks = 0, threads = 0, sharedBytes = 0;
  std::vector<RecordedArgument> arguments;
};

/// Launches of one kernel that are kept, the first ones: with all and with few
/// blocks. Of those whose arguments take more than kLargeBytes one, and none
/// over kMostBytes.
inline constexpr unsigned kMostOfAKernel = 2;
inline constexpr uint64_t kLargeBytes = uint64_t(1) << 20,
                          kMostBytes = uint64_t(5) << 20;

class RecordingWriter {
public:
  explicit RecordingWriter(const std::string &path);
  /// Adds a launch, unless it is not kept. False where the file cannot be
  /// written.
  bool add(const RecordedLaunch &launch);

private:
  std::ofstream file;
  std::unordered_map<std::string, uint64_t> texts; ///< their numbers
  std::unordered_map<std::string, unsigned> counts;
};

/// The launches of a file, none where it is not a recording.
std::vector<RecordedLaunch> readRecording(const std::string &path);

/// Element types of the parameters of `symbol`, out of its signature in `text`.
std::vector<std::string> parameterTypes(const std::string &text,
                                        const std::string &symbol);
/// Bytes of an element of such a type.
size_t elementBytes(const std::string &type);
/// Number of the first element that differs, -1 when none does. NaN counts as
/// NaN: which one an instruction makes is the processor's.
int64_t firstDifference(const std::vector<uint8_t> &a,
                        const std::vector<uint8_t> &b, const std::string &type);

} // namespace ampc::test

#endif // AMPC_TEST_KERNELS_RECORDING_H
