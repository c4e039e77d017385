// Indices and offsets beyond 2^31 (J04). Only the pages that a test touches
// exist.
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
    if (memory) // small pages: one element a row must not bring in the row
      madvise(memory, bytes, MADV_NOHUGEPAGE);
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

TEST(Cases, J04LastElementsOfAMap) {
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

/// A matrix of 70001 rows of 32768: the last row is behind 2^31 elements.
constexpr int64_t kRows = 70001, kWidth = 32768;

TEST(Cases, J04LookupsOfFarRows) {
  std::string matrix = std::to_string(kRows) + "x32768xi8";
  struct {
    const char *op, *index;
    int64_t rows;
    bool each; ///< an index an element, of i64
  } cases[] = {{"take", "3xi32", 3, false}, {"gather", "3x32768xi64", 3, true}};
  const int64_t chosen[] = {70000, 1, 65537};
  for (auto &[op, index, rows, each] : cases) {
    std::string result = "3x32768xi8";
    std::string text = groupModule(
        "map", "3, 32768", {matrix, index}, {result},
        std::string("%0 = amp.") + op + " %a0, %a1 axis 0 : tensor<" + matrix +
            ">, tensor<" + index + "> -> tensor<" + result +
            ">\namp.yield %0 : tensor<" + result + ">");
    std::vector<int32_t> narrow(chosen, chosen + 3);
    std::vector<int64_t> wide;
    for (int64_t row : chosen)
      wide.insert(wide.end(), kWidth, row);
    for (const std::string &level : levelsHere()) {
      Program program(text, level);
      Sparse x(kRows * kWidth);
      ASSERT_TRUE(x.data());
      for (int64_t row : chosen)
        for (int64_t i = 0; i < kWidth; ++i)
          x.data()[row * kWidth + i] = int8_t(row * 7 + i * 3);
      std::vector<int8_t> y(3 * kWidth);
      const void *indices = each ? static_cast<const void *>(wide.data())
                                 : static_cast<const void *>(narrow.data());
      const rt::fb::Launch &launch = launchOf(program, 0);
      program.runTiles(launch, {x.data(), indices, y.data()}, 0,
                       launch.tiles());
      for (int64_t n = 0; n < rows; ++n)
        for (int64_t i = 0; i < kWidth; ++i)
          ASSERT_EQ(y[n * kWidth + i], int8_t(chosen[n] * 7 + i * 3))
              << level << " " << op << " of row " << chosen[n] << " element "
              << i;
    }
  }
}

TEST(Cases, J04ScattersToFarRows) {
  // The last chunk of columns alone: it touches a page of each row.
  std::string matrix = std::to_string(kRows) + "x32768xf32";
  std::vector<int32_t> narrow = {70000, 70000};
  std::vector<int64_t> wide(2 * kWidth, 70000);
  std::vector<float> updates(2 * kWidth);
  for (size_t i = 0; i < updates.size(); ++i)
    updates[i] = float(i);
  for (bool each : {false, true}) {
    std::string index = each ? "2x32768xi64" : "2xi32";
    std::string text = groupModule(
        "scatter", "2, 32768", {index, "2x32768xf32"}, {matrix},
        std::string("%0 = amp.") + (each ? "scatter_add" : "scatter_rows") +
            " %a0, %a1 axis 0 : tensor<" + index +
            ">, tensor<2x32768xf32> -> tensor<" + matrix +
            ">\namp.yield %0 : tensor<" + matrix + ">");
    Program program(text, "host");
    Sparse y(kRows * kWidth * sizeof(float));
    ASSERT_TRUE(y.data());
    const void *indices = each ? static_cast<const void *>(wide.data())
                               : static_cast<const void *>(narrow.data());
    const rt::fb::Launch &launch = launchOf(program, 0);
    program.runTiles(launch, {indices, updates.data(), y.data()},
                     launch.tiles() - 1, launch.tiles());
    const float *last = reinterpret_cast<float *>(y.data()) + 70000 * kWidth;
    for (int64_t i = kWidth - 64; i < kWidth; ++i)
      ASSERT_EQ(last[i], updates[i] + updates[kWidth + i])
          << (each ? "scatter_add" : "scatter_rows") << " element " << i;
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
