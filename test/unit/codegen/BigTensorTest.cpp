// Indices and offsets beyond 2^31. Only the pages that a test touches exist.
#include "test/unit/codegen/Program.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

using namespace ampc;
using namespace ampc::test;

namespace {

constexpr int64_t kCount = (int64_t(1) << 31) + 64;

/// Address space that takes memory page by page as it is touched.
class Sparse {
public:
  explicit Sparse(size_t bytes) : bytes(bytes) {
    void *made = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    memory = made == MAP_FAILED ? nullptr : static_cast<int8_t *>(made);
  }
  Sparse(const Sparse &) = delete;
  ~Sparse() {
    if (memory)
      munmap(memory, bytes);
  }
  int8_t *data() { return memory; }

private:
  size_t bytes;
  int8_t *memory;
};

const rt::fb::Launch &launchOf(const Program &program, unsigned number) {
  return *program.plan()
              .entries()
              ->Get(0)
              ->instructions()
              ->Get(number)
              ->op_as_Launch();
}

} // namespace

TEST(BigTensor, LastElementsOfAMap) {
  std::string n = std::to_string(kCount), t = "tensor<" + n + "xi8>";
  std::string text = groupModule("map", n, {n + "xi8"}, {n + "xi8"},
                                 "%one = amp.constant dense<1> : " + t +
                                     "\n%0 = amp.add %a0, %one : " + t +
                                     "\namp.yield %0 : " + t);
  for (const std::string &level : levelsHere()) {
    Program program(text, level);
    Sparse x(kCount), y(kCount);
    ASSERT_TRUE(x.data() && y.data());
    for (int64_t i = kCount - 4096; i < kCount; ++i)
      x.data()[i] = int8_t(i * 7);
    const rt::fb::Launch &launch = launchOf(program, 0);
    int64_t tiles = launch.tiles();
    program.runTiles(launch, {x.data(), y.data()}, tiles - 2, tiles);
    for (int64_t i = kCount - 4096; i < kCount; ++i)
      ASSERT_EQ(y.data()[i], int8_t(i * 7 + 1)) << level << " element " << i;
  }
}

TEST(BigTensor, RowsFarApart) {
  // 70000 rows of 32768: their offsets pass 2^31 while every count fits.
  std::string text =
      groupModule("row", "70000, 32768", {"70000x32768xi8"}, {"70000xi8"}, R"(
      %0 = amp.reduce max %a0 over [1] order row accumulate i64 : tensor<70000x32768xi8> -> tensor<70000xi8>
      amp.yield %0 : tensor<70000xi8>)");
  int64_t rows = 70000, width = 32768;
  for (const std::string &level : levelsHere()) {
    Program program(text, level);
    Sparse x(rows * width), y(rows);
    ASSERT_TRUE(x.data() && y.data());
    for (int64_t row = rows - 3; row < rows; ++row)
      x.data()[row * width + 20000] = int8_t(row - rows + 100);
    const rt::fb::Launch &launch = launchOf(program, 0);
    int64_t tiles = launch.tiles();
    program.runTiles(launch, {x.data(), y.data()}, tiles - 3, tiles);
    for (int64_t row = rows - 3; row < rows; ++row)
      EXPECT_EQ(y.data()[row], int8_t(row - rows + 100)) << level;
  }
}

TEST(BigTensor, ColumnsFarApart) {
  std::string text = groupModule("column", "70000, 2, 16384",
                                 {"70000x2x16384xi8"}, {"70000x16384xi8"}, R"(
      %0 = amp.reduce max %a0 over [1] order column accumulate i64 : tensor<70000x2x16384xi8> -> tensor<70000x16384xi8>
      amp.yield %0 : tensor<70000x16384xi8>)");
  int64_t width = 16384, size = 70000 * 2 * width, kept = 70000 * width;
  for (const std::string &level : levelsHere()) {
    Program program(text, level);
    Sparse x(size), y(kept);
    ASSERT_TRUE(x.data() && y.data());
    for (int64_t i = 0; i < 64; ++i) {
      x.data()[size - 64 + i] = int8_t(i - 32);
      x.data()[size - 64 - width + i] = int8_t(-i);
    }
    const rt::fb::Launch &launch = launchOf(program, 0);
    int64_t tiles = launch.tiles();
    program.runTiles(launch, {x.data(), y.data()}, tiles - 1, tiles);
    for (int64_t i = 0; i < 64; ++i)
      EXPECT_EQ(y.data()[kept - 64 + i], std::max(i - 32, -i)) << level;
  }
}

TEST(BigTensor, PlaceBeyondTwoGigabytes) {
  // The result stands in the arena beyond 2^31, and is copied from there.
  std::string at = std::to_string(kCount);
  std::string text = groupModule("map", "64", {"64xf32"}, {"64xf32"}, R"(
      %0 = amp.neg %a0 : tensor<64xf32>
      amp.yield %0 : tensor<64xf32>)");
  auto replace = [&](const std::string &from, const std::string &to) {
    size_t found = text.find(from);
    ASSERT_NE(found, std::string::npos) << from;
    text.replace(found, from.size(), to);
  };
  replace("amp.place = [#amp.place<output, 0>]",
          "amp.place = [#amp.place<arena, " + at + ">]");
  replace("amp.arena_bytes = 0",
          "amp.arena_bytes = " + std::to_string(kCount + 256));
  Program program(text, "host");
  const rt::fb::Entry *entry = program.plan().entries()->Get(0);
  EXPECT_EQ(entry->arena_bytes(), uint64_t(kCount + 256));
  const rt::fb::Place *written = launchOf(program, 0).args()->Get(1);
  EXPECT_EQ(written->space(), rt::fb::Space::Arena);
  EXPECT_EQ(written->offset(), uint64_t(kCount));
  const rt::fb::Copy *copy = entry->instructions()->Get(1)->op_as_Copy();
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->src()->offset(), uint64_t(kCount));
  EXPECT_EQ(copy->bytes(), 256u);
}
