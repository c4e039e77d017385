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

/// Whether gradients of `type` need a scaled loss: f16 and the 8-bit floats
/// have fewer exponent bits than f32.
bool needsScale(Type type) { return isNarrow(type) && !type.isBF16(); }

/// The exponent of two of half the smallest number of `type` above 0: what is
/// not larger rounds to 0.
int lostExponent(Type type) {
  return ilogb(
             APFloat::getSmallest(cast<FloatType>(type).getFloatSemantics())) -
         1;
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

/// Everything that the losses of `func`, or of its window, are made of.
llvm::DenseSet<Operation *> forwardOf(func::FuncOp func) {
  SmallVector<Value> open;
  for (OpOperand &result : func.front().getTerminator()->getOpOperands()) {
    auto io =
        func.getResultAttrOfType<IoAttr>(result.getOperandNumber(), kIoAttr);
    if (io && io.getValue() == Io::loss)
      open.push_back(result.get());
  }
  for (auto write : func.front().getOps<WriteOp>())
    if (write.getVariable().starts_with(kWindowPrefix))
      open.push_back(write.getInput());
  llvm::DenseSet<Operation *> forward;
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (op && forward.insert(op).second)
      llvm::append_range(open, op->getOperands());
  }
  return forward;
}

/// precision_c2: gradients that pass through f16 or f8 come of a scaled loss.
LogicalResult verifyScaling(ModuleOp module, func::FuncOp func) {
  // As passes/training reads it: a number, or the constants of a dynamic one.
  auto train = module->getAttrOfType<DictionaryAttr>(kTrainAttr);
  if (train &&
      isa_and_nonnull<FloatAttr, DictionaryAttr>(train.get("loss_scale")))
    return success();
  SmallVector<Value> open = gradientsOf(func);
  if (open.empty())
    return success();
  llvm::DenseSet<Operation *> forward = forwardOf(func);
  llvm::DenseSet<Value> seen(open.begin(), open.end());
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *op = value.getDefiningOp();
    // What no loss is made of, but a gradient is, is a gradient itself; an
    // input or a parameter is none.
    if (!op || isa<ReadOp, ConstantOp>(op) || forward.contains(op))
      continue;
    if (Type type = tensorType(value).getElementType(); needsScale(type)) {
      std::string name;
      llvm::raw_string_ostream(name) << type;
      return emitError(value.getLoc())
             << "gradients pass through " << name
             << " without loss scaling: those of 2^" << lostExponent(type)
             << " and below become 0; use --loss-scale dynamic, bf16, or "
                "--unsafe-precision";
    }
    for (Value operand : op->getOperands())
      if (isa<FloatType>(tensorType(operand).getElementType()) &&
          seen.insert(operand).second)
        open.push_back(operand);
  }
  return success();
}

/// precision_c3: contractions are of types that a target multiplies.
LogicalResult verifyContractions(func::FuncOp func) {
  for (Operation &op : func.front()) {
    auto fusible = dyn_cast<Fusible>(op);
    if (!fusible || fusible.fusionKind() != FusionKind::contraction)
      continue;
    for (Type type : op.getOperandTypes())
      if (Type element = cast<RankedTensorType>(type).getElementType();
          isNarrow(element) && element.getIntOrFloatBitWidth() < 16)
        return op.emitOpError()
               << "multiplies " << element
               << ": no target multiplies 8-bit floats, they are types to "
                  "cast to; cast to f32, f16 or bf16 before it";
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
          failed(verifyContractions(func)) ||
          (!unsafe && failed(verifyScaling(module, func))))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace ampc
