// The value of amp.cast (N1): one rounding from any element type to any other.
#include "ir/reference/Models.h"

using namespace mlir;

namespace ampc::reference {

namespace {

struct CastModel : Model<CastModel, amp::CastOp> {
  LogicalResult evaluate(Operation *op, Operands in, Results &out) const {
    const Tensor &input = *in[0];
    Tensor result(resultType(op));
    Type to = result.elementType();
    bool toBool = to.isInteger(1);
    for (int64_t i = 0, count = result.size(); i < count; ++i) {
      if (input.isFloat() && result.isFloat())
        result.floats()[i] = roundTo(input.floats()[i], to);
      else if (input.isFloat())
        result.integers()[i] = truncateTo(input.floats()[i], to);
      else if (result.isFloat())
        result.floats()[i] = roundInteger(input.integers()[i], to);
      else if (toBool)
        result.integers()[i] = input.integers()[i] != 0;
      else
        result.integers()[i] = wrapTo(input.integers()[i], to);
    }
    out.push_back(std::move(result));
    return success();
  }
};

/// The product or quotient in the f64 of the evaluator, rounded once.
struct ScaledCastModel : Model<ScaledCastModel, amp::ScaledCastOp> {
  LogicalResult evaluate(Operation *op, Operands in, Results &out) const {
    auto cast = llvm::cast<amp::ScaledCastOp>(op);
    Tensor result(resultType(op));
    Type to = result.elementType();
    bool isTimes = to.getIntOrFloatBitWidth() == 8;
    double scale = cast.getScale().convertToDouble();
    for (int64_t i = 0, count = result.size(); i < count; ++i) {
      double value = in[0]->floats()[i];
      result.floats()[i] = roundTo(isTimes ? value * scale : value / scale, to);
    }
    out.push_back(std::move(result));
    return success();
  }
};

} // namespace

void attachCastModels(MLIRContext &context) {
  amp::ScaledCastOp::attachInterface<ScaledCastModel>(context);
  amp::CastOp::attachInterface<CastModel>(context);
}

} // namespace ampc::reference
