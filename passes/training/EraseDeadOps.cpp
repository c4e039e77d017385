// Erases what nothing reads, last op first.
#include "passes/training/DeadOps.h"
#include "passes/training/Passes.h"

using namespace mlir;

namespace ampc {
#define GEN_PASS_DEF_ERASEDEADOPS
#include "passes/training/Passes.h.inc"

void eraseDeadOps(func::FuncOp func) {
  SmallVector<Operation *> ops;
  for (Block &block : func.getBody())
    for (Operation &op : block)
      ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

void eraseUnusedArguments(func::FuncOp func) {
  llvm::BitVector unused(func.getNumArguments());
  for (BlockArgument argument : func.getArguments())
    if (argument.use_empty())
      unused.set(argument.getArgNumber());
  (void)func.eraseArguments(unused);
}

namespace {

class EraseDeadOpsPass : public impl::EraseDeadOpsBase<EraseDeadOpsPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      eraseDeadOps(func);
      eraseUnusedArguments(func);
    }
  }
};

} // namespace
} // namespace ampc
