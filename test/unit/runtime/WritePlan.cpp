// Writes the hand-built regression plan to the path given: what the ampc-rt
// tests run.
#include "test/unit/runtime/TestPlans.h"

#include <cstdio>
#include <string_view>

int main(int argc, char **argv) {
  if (argc != 2 || !std::string_view(argv[1]).ends_with(".ampx")) {
    std::fprintf(stderr, "usage: %s FILE.ampx\n", argv[0]);
    return 2;
  }
  using namespace ampc::rt;
  auto done = writePlanFile(argv[1], test::regression(),
                            test::regressionSections(), true);
  if (!done)
    std::fprintf(stderr, "%s\n", done.error().text().c_str());
  return done ? 0 : int(done.error().code);
}
