// ampc-tolerances: prints the tolerance table of test/numerics/Tolerances.inc.
#include "test/numerics/tolerances/Measure.h"

#include "llvm/Support/raw_ostream.h"

int main() {
  llvm::outs() << ampc::test::toleranceTable();
  return 0;
}
