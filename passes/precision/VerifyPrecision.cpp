// Refuses precisions that lose weights or gradients (N23); what sums in fewer
// than 32 bits is refused by the op itself.
#include "passes/precision/Passes.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_VERIFYPRECISION
#include "passes/precision/Passes.h.inc"

namespace {

/// Whether `type` is a float below 32 bits.
bool isNarrow(Type type) {
  return type && isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
}

/// precision_c1: what lives on is not rounded below 32 bits.
LogicalResult verifyWrites(func::FuncOp func, SymbolTable &symbols) {
  for (auto write : func.front().getOps<WriteOp>()) {
    auto variable = symbols.lookup<VariableOp>(write.getVariable());
    if (variable && variable.getRole() != VariableRole::copy16 &&
        isNarrow(variable.tensorType().getElementType()))
      return write.emitOpError()
             << "updates '" << write.getVariable() << "' in "
             << variable.tensorType().getElementType()
             << "; parameters and optimizer state are f32 (N22)";
  }
  return success();
}

/// The gradients that the optimizer of `func` takes, and those that it adds up
/// for one.
SmallVector<Value> gradientsOf(func::FuncOp func) {
  SmallVector<Value> gradients;
  for (Operation &op : func.front()) {
    if (isa<OptimizerUpdate>(op))
      gradients.push_back(op.getOperand(1));
    auto write = dyn_cast<WriteOp>(op);
    if (write && write.getVariable().starts_with(kGradientPrefix))
      gradients.push_back(write.getInput());
  }
  return gradients;
}

/// precision_c2: gradients that pass through f16 come of a scaled loss.
LogicalResult verifyScaling(ModuleOp module, func::FuncOp func,
                            SymbolTable &symbols) {
  // As passes/training reads it: a number, or the constants of a dynamic one.
  auto train = module->getAttrOfType<DictionaryAttr>(kTrainAttr);
  if (train &&
      isa_and_nonnull<FloatAttr, DictionaryAttr>(train.get("loss_scale")))
    return success();
  SmallVector<Value> open = gradientsOf(func);
  if (open.empty())
    return success();
  // What comes of parameters: an f16 input alone scales no gradient.
  llvm::DenseSet<Value> active;
  for (Operation &op : func.front()) {
    auto read = dyn_cast<ReadOp>(op);
    auto variable =
        read ? symbols.lookup<VariableOp>(read.getVariable()) : VariableOp();
    bool isActive = variable ? variable.getRole() == VariableRole::parameter ||
                                   variable.getRole() == VariableRole::copy16
                             : llvm::any_of(op.getOperands(), [&](Value value) {
                                 return active.contains(value);
                               });
    if (isActive)
      active.insert(op.result_begin(), op.result_end());
  }
  llvm::DenseSet<Value> seen(open.begin(), open.end());
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (tensorType(value).getElementType().isF16() && active.contains(value))
      return emitError(value.getLoc())
             << "gradients pass through f16 without loss scaling: those of "
                "2^-25 and below become 0; use --loss-scale dynamic, bf16, or "
                "--unsafe-precision";
    if (Operation *op = value.getDefiningOp())
      for (Value operand : op->getOperands())
        if (isa<FloatType>(tensorType(operand).getElementType()) &&
            seen.insert(operand).second)
          open.push_back(operand);
  }
  return success();
}

class VerifyPrecisionPass
    : public impl::VerifyPrecisionBase<VerifyPrecisionPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    for (auto func : module.getOps<func::FuncOp>()) {
      if (func.isExternal())
        continue;
      if (failed(verifyWrites(func, symbols)) ||
          (!unsafe && failed(verifyScaling(module, func, symbols))))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace ampc
