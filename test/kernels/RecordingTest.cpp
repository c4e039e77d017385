// Recordings of launches: what is written is read, what is too much is left
// out, and a difference in a result is found.
#include "test/kernels/Recording.h"

#include <cstdio>
#include <gtest/gtest.h>

using namespace ampc::test;

namespace {

const char kText[] =
    "extern \"C\" __global__ void twice(const float *x, ampc_f16 *y) {}";

RecordedLaunch launchOf(size_t bytes, uint8_t result) {
  RecordedLaunch launch{kText, "twice", 3, 256, 16, {}};
  launch.arguments.push_back({64, std::vector<uint8_t>(bytes, 7), {}});
  launch.arguments.back().after = launch.arguments.back().before;
  launch.arguments.push_back({128, {1, 2, 3, 4}, {1, 2, result, 4}});
  return launch;
}

std::string fileName() { return testing::TempDir() + "launches.kernels"; }

std::vector<RecordedLaunch> written(std::vector<RecordedLaunch> launches) {
  RecordingWriter writer(fileName());
  for (const RecordedLaunch &launch : launches)
    EXPECT_TRUE(writer.add(launch));
  return readRecording(fileName());
}

} // namespace

TEST(Recording, IsReadAsWritten) {
  std::vector<RecordedLaunch> read = written({launchOf(8, 9), launchOf(0, 3)});
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].text, kText);
  EXPECT_EQ(read[1].text, kText);
  EXPECT_EQ(read[0].symbol, "twice");
  EXPECT_EQ(read[0].blocks, 3u);
  EXPECT_EQ(read[0].threads, 256u);
  EXPECT_EQ(read[0].sharedBytes, 16u);
  EXPECT_EQ(read[0].arguments[0].address, 64u);
  EXPECT_EQ(read[0].arguments[0].after, std::vector<uint8_t>(8, 7));
  EXPECT_EQ(read[0].arguments[1].after, (std::vector<uint8_t>{1, 2, 9, 4}));
  EXPECT_TRUE(read[1].arguments[0].before.empty());
}

TEST(Recording, KeepsFewLaunchesOfAKernelAndNoHugeOnes) {
  EXPECT_EQ(written(std::vector(9, launchOf(8, 1))).size(), kMostOfAKernel);
  EXPECT_EQ(written(std::vector(9, launchOf(kLargeBytes, 1))).size(), 1u);
  EXPECT_EQ(written({launchOf(kMostBytes, 1)}).size(), 0u);
}

TEST(Recording, DamagedFilesHoldNothing) {
  written({launchOf(8, 9)});
  std::FILE *file = std::fopen(fileName().c_str(), "r+b");
  ASSERT_TRUE(file);
  ASSERT_EQ(std::fseek(file, -3, SEEK_END), 0);
  std::fputc(0x55, file);
  std::fclose(file);
  EXPECT_TRUE(readRecording(fileName()).empty());
  EXPECT_TRUE(readRecording("/dev/null").empty());
}

TEST(Recording, DifferencesAreFoundByType) {
  EXPECT_EQ(parameterTypes(kText, "twice"),
            (std::vector<std::string>{"float", "ampc_f16"}));
  using Bytes = std::vector<uint8_t>;
  EXPECT_EQ(firstDifference(Bytes{0, 0, 1, 0}, Bytes{0, 0, 1, 1}, "ampc_f16"),
            1);
  EXPECT_EQ(firstDifference(Bytes{0, 0, 1, 0}, Bytes{0, 0, 1, 0}, "ampc_f16"),
            -1);
  // Two NaN of f16, and one beside a number.
  EXPECT_EQ(firstDifference(Bytes{0, 0x7e}, Bytes{1, 0xfe}, "ampc_f16"), -1);
  EXPECT_EQ(firstDifference(Bytes{0, 0x7e}, Bytes{0, 0x7c}, "ampc_f16"), 0);
}
