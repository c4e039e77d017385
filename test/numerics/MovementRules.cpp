// Rules of ops that move elements or choose them by index: errors move with
// the elements, so the op itself, typed f64, is evaluated on them. See
// ErrorRules.h.
#include "test/numerics/ErrorRules.h"
#include "test/numerics/Intervals.h"

#include "ir/dialect/Dialect.h"
#include "ir/reference/Reference.h"

using namespace mlir;

namespace ampc::test {

using reference::Tensor;

namespace {

/// The operands that hold indices.
bool isIndex(Operation *op, unsigned operand) {
  if (isa<amp::TakeOp, amp::GatherOp>(op))
    return operand == 1;
  return isa<amp::ScatterRowsOp, amp::ScatterAddOp>(op) && operand == 0;
}

/// The op on f64 tensors made of `in` by `number`, indices as they are.
template <typename Fn>
FailureOr<Tensor> moved(Operation *op, ArrayRef<SharedBounded> in, Fn number) {
  Block block;
  OpBuilder builder(op->getContext());
  Type f64 = builder.getF64Type();
  std::vector<Tensor> tensors;
  SmallVector<Type> types;
  for (auto [i, operand] : llvm::enumerate(in)) {
    RankedTensorType type = operand->value.type();
    if (isIndex(op, static_cast<unsigned>(i))) {
      tensors.push_back(operand->value);
    } else {
      type = amp::withElementType(type, f64);
      Tensor tensor(type);
      for (int64_t j = 0; j < tensor.size(); ++j)
        tensor.floats()[j] = number(at(operand, j));
      tensors.push_back(std::move(tensor));
    }
    types.push_back(type);
  }
  SmallVector<Value> arguments;
  for (Type type : types)
    arguments.push_back(block.addArgument(type, op->getLoc()));
  builder.setInsertionPointToEnd(&block);
  Operation *clone = builder.clone(*op);
  clone->setOperands(arguments);
  clone->getResult(0).setType(
      amp::withElementType(op->getResult(0).getType(), f64));
  if (auto pad = dyn_cast<amp::PadOp>(clone)) // a constant has no error
    pad.setValueAttr(builder.getF64FloatAttr(0.0));
  SmallVector<const Tensor *> operands;
  for (const Tensor &tensor : tensors)
    operands.push_back(&tensor);
  FailureOr<SmallVector<Tensor>> results =
      reference::evaluateOp(clone, operands);
  if (failed(results))
    return failure();
  return std::move((*results)[0]);
}

} // namespace

LogicalResult boundMovement(Operation *op, ArrayRef<SharedBounded> in,
                            bool sure, Bounded &out) {
  bool scatters = isa<amp::ScatterRowsOp, amp::ScatterAddOp>(op);
  if (!scatters && !isa<amp::TransposeOp, amp::SliceOp, amp::ConcatOp,
                        amp::PadOp, amp::TakeOp, amp::GatherOp>(op))
    return failure();
  for (auto [i, operand] : llvm::enumerate(in))
    if (isIndex(op, static_cast<unsigned>(i)) &&
        llvm::any_of(operand->error, [](double e) { return e != 0; })) {
      llvm::fill(out.error, kUnknown); // it may choose any element
      return success();
    }
  FailureOr<Tensor> errors = moved(op, in, [](Number x) { return x.error; });
  if (failed(errors))
    return failure();
  out.error = errors->floats();
  if (!scatters) {
    for (double &error : out.error) // nothing was read
      if (std::isnan(error))
        error = 0;
    return success();
  }
  if (!out.value.isFloat())
    return success();
  // A sum of n terms in the accumulation type has n - 1 roundings.
  FailureOr<Tensor> counts = moved(op, in, [](Number) { return 1.0; });
  FailureOr<Tensor> magnitudes =
      moved(op, in, [](Number x) { return x.magnitude(); });
  if (failed(counts) || failed(magnitudes))
    return failure();
  Type element = out.value.elementType();
  double unit = roundingBound(1, amp::accumulationTypeFor(element));
  for (size_t i = 0; i < out.error.size(); ++i) {
    double n = counts->floats()[i];
    if (n == 0 || (n == 1 && sure && out.error[i] == 0))
      continue;
    double error = out.error[i] + magnitudes->floats()[i] *
                                      std::expm1((n - 1) * std::log1p(unit));
    out.error[i] = error + twoRoundings(out.value.floats()[i], error, element);
  }
  return success();
}

} // namespace ampc::test
