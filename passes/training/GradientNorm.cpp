// Builds the global norm and the clip coefficient; see GradientNorm.h.
#include "passes/training/GradientNorm.h"

#include "ir/dialect/ops/Formula.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

/// The sum of the squares of `gradient`, an f64 scalar.
static Value sumOfSquares(OpBuilder &builder, Location loc, Value gradient) {
  RankedTensorType wide =
      withElementType(gradient.getType(), builder.getF64Type());
  Value value = gradient;
  if (value.getType() != wide)
    value = CastOp::create(builder, loc, wide, value, CastOrigin::policy);
  Value sum = MulOp::create(builder, loc, value, value);
  return Formula(builder, loc).reduceByRows(ReduceKind::sum, sum);
}

Value gradientNorm(OpBuilder &builder, Location loc,
                   ArrayRef<Value> gradients) {
  Value total;
  for (Value gradient : gradients) {
    Value sum = sumOfSquares(builder, loc, gradient);
    total = total ? AddOp::create(builder, loc, total, sum).getResult() : sum;
  }
  return SqrtOp::create(builder, loc, total);
}

Value clipCoefficient(OpBuilder &builder, Location loc, Value norm,
                      double limit) {
  RankedTensorType f64 = tensorType(norm);
  Value padded =
      AddOp::create(builder, loc, norm, splat(builder, loc, f64, 1e-6));
  Value share =
      DivOp::create(builder, loc, splat(builder, loc, f64, limit), padded);
  Value capped =
      MinimumOp::create(builder, loc, share, splat(builder, loc, f64, 1.0));
  return CastOp::create(builder, loc,
                        RankedTensorType::get({}, builder.getF32Type()), capped,
                        CastOrigin::policy);
}

} // namespace ampc
