// Losses. Unlike operators they do not broadcast: shapes that differ are a
// mistake.
#include "ir/frontend/model/Elaborator.h"

using namespace mlir;

namespace ampc::model {
namespace {

bool reductionArg(Elaborator &e, Call &call, size_t index,
                  amp::LossReduction &reduction) {
  llvm::StringRef word;
  if (!e.stringArg(call, index, word))
    return false;
  if (std::optional<amp::LossReduction> known =
          amp::symbolizeLossReduction(word)) {
    reduction = *known;
    return true;
  }
  e.error(call.args[index].loc,
          "'" + call.name() +
              "': 'reduction' must be \"mean\", \"sum\" or \"none\", got \"" +
              word + "\"");
  return false;
}

/// mse(x, y, reduction).
Value mse(Elaborator &e, Call &call) {
  amp::LossReduction reduction;
  if (!reductionArg(e, call, 2, reduction))
    return Value::poison();
  for (size_t i : {0, 1}) {
    const TensorData *operand = nullptr;
    // One of the two may be a number.
    bool isNumber = call[i].isNumber() && call[1 - i].isTensor();
    if (!isNumber && !e.floatTensorArg(call, i, operand))
      return Value::poison();
  }
  Loc loc = call.expr->loc;
  if (call[0].isTensor() && call[1].isTensor()) {
    const TensorData &x = call[0].asTensor(), &y = call[1].asTensor();
    if (shapeOf(x) != shapeOf(y)) {
      e.shapeMismatch(call.name(), x, y, loc, /*broadcasts=*/false);
      return Value::poison();
    }
  }
  Location at = e.location(call);
  Elaborator::Operands operands;
  if (!e.prepareOperands(call.name(), call[0], call[1], loc, at,
                         /*floats=*/true, operands))
    return Value::poison();
  mlir::Value result = amp::MseOp::create(e.emitter.builder, at, reduction,
                                          operands.left, operands.right);
  ElemType element =
      operands.element == ElemType::F64 ? ElemType::F64 : ElemType::F32;
  bool keeps = reduction == amp::LossReduction::none;
  return e.tensor(result, element, loc,
                  keeps ? llvm::ArrayRef<llvm::StringRef>(operands.axisNames)
                        : llvm::ArrayRef<llvm::StringRef>());
}

} // namespace

llvm::ArrayRef<FunctionLine> lossFunctions() {
  static constexpr FunctionLine lines[] = {
      {"mse(x, y, reduction = \"mean\")", mse, FunctionLine::Op},
  };
  return lines;
}

} // namespace ampc::model
