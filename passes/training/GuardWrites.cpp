// Chooses between new and old values of variables; see GuardWrites.h.
#include "passes/training/GuardWrites.h"

#include "ir/dialect/ops/Formula.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

void writeOnlyIf(func::FuncOp func, Value condition) {
  Block &block = func.front();
  llvm::StringMap<Value> reads;
  for (auto read : block.getOps<ReadOp>())
    reads.try_emplace(read.getVariable(), read.getResult());
  OpBuilder top(&block, block.begin());
  for (auto write : block.getOps<WriteOp>()) {
    Value value = write.getInput();
    Value &old = reads[write.getVariable()];
    if (!old)
      old = ReadOp::create(top, write.getLoc(), tensorType(value),
                           write.getVariable());
    OpBuilder builder(write);
    Formula f(builder, write.getLoc());
    Value mask = f.broadcastScalar(condition, tensorType(value).getShape());
    write.getInputMutable().assign(f.select(mask, value, old));
  }
}

} // namespace ampc
