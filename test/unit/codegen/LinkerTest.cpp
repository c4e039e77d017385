// The linker's lock-out after a crash.
#include "codegen/cpu/Linker.h"

#include <gtest/gtest.h>

using namespace ampc;

/// Runs of the fake linkers below.
static int runs = 0;

static std::string errorOf(llvm::Expected<std::vector<uint8_t>> result) {
  return result ? "" : llvm::toString(result.takeError());
}

TEST(Linker, IsNotEnteredAgainAfterACrash) {
  runs = 0;
  Linker linker([](llvm::ArrayRef<const char *>, llvm::raw_ostream &messages) {
    messages << "stack dump";
    ++runs;
    return LinkOutcome{139, false};
  });
  char bytes[] = {1, 2, 3};
  llvm::ArrayRef<char> object(bytes);
  EXPECT_EQ(errorOf(linker.link(object, {})),
            "linking the kernels failed: stack dump");
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(errorOf(linker.link(object, {})),
              "cannot link the kernels: the linker crashed before in this "
              "process and is not usable any more");
  EXPECT_EQ(runs, 1);
}

TEST(Linker, RunsAgainAfterAnOrdinaryError) {
  runs = 0;
  Linker linker([](llvm::ArrayRef<const char *>, llvm::raw_ostream &messages) {
    messages << "no such symbol";
    return LinkOutcome{++runs, true};
  });
  char bytes[] = {1, 2, 3};
  llvm::ArrayRef<char> object(bytes);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(errorOf(linker.link(object, {})),
              "linking the kernels failed: no such symbol");
  EXPECT_EQ(runs, 2);
}
