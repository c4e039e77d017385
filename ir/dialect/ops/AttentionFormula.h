// The formulas that attention and its gradient share: scores and probabilities.
#ifndef AMPC_IR_DIALECT_OPS_ATTENTIONFORMULA_H
#define AMPC_IR_DIALECT_OPS_ATTENTIONFORMULA_H

#include "ir/dialect/ops/Formula.h"

#include <limits>

namespace ampc::amp {

/// What attention and its gradient have in common, by type.
struct AttentionTypes {
  template <typename OpT>
  static AttentionTypes of(OpT op) {
    return {tensorType(op.getQ()),
            tensorType(op.getK()),
            tensorType(op.getV()),
            tensorType(op.getOut()),
            tensorType(op.getLogsumexp()),
            op.getMask() ? tensorType(op.getMask()) : mlir::RankedTensorType(),
            op.getScale().convertToDouble(),
            op.getDropout().convertToDouble()};
  }

  mlir::RankedTensorType q, k, v, out, logsumexp, mask; ///< mask may be null
  double scale, dropout;
};

/// attention_c1 to attention_c6 of `op`, an attention or its gradient; the
/// RandomSite interface verifies key and site.
llvm::LogicalResult verifyAttention(mlir::Operation *op,
                                    const AttentionTypes &types);

/// Formulas over the scores [b, h, n, m] of an attention or of its gradient.
class AttentionFormula : public RowFormula {
public:
  template <typename OpT>
  AttentionFormula(mlir::OpBuilder &builder, OpT op)
      : RowFormula(builder, op.getLoc(), scoreShape(op.extents()), {3}),
        extents(op.extents()), wide(op.accumulationType()), q(op.getQ()),
        k(op.getK()), mask(op.getMask()), key(op.getKey()),
        causal(op.getCausal()), mode(op.getMode()), site(op.getSite()),
        scale(op.getScale().convertToDouble()), dropout(op.getDropout()) {}

  /// Whether there are no scores at all.
  bool isEmpty() const { return extents.m == 0; }

  /// scale * q k^T with the mask applied, -inf where hidden.
  Value scores();
  /// `x` with zeros where it is -inf.
  Value finite(Value x);
  /// exp(scores - logsumexp): the probabilities, 0 in rows that see no key.
  Value probabilities(Value s, Value logsumexp);
  /// The op's dropout of `x` [b, h, n, m].
  Value dropped(Value x);

  /// [b, h, n, x] as [b, kv, (h / kv) * n, x]: the queries of each key head.
  Value grouped(Value value);
  /// The inverse of `grouped`.
  Value heads(Value value);
  /// A product accumulated and left in `element`.
  Value matmul(Value a, Value b, bool transposeA, bool transposeB,
               mlir::Type element);

  /// Whether there is a float mask, which has a gradient.
  bool hasFloatMask() const {
    return mask && !tensorType(mask).getElementType().isInteger(1);
  }

  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

private:
  static llvm::SmallVector<int64_t> scoreShape(const AttentionExtents &x) {
    return {x.b, x.h, x.n, x.m};
  }
  Value hidden(Value s) { return constant(s, -kInfinity); }

  AttentionExtents extents;
  mlir::Type wide;
  Value q, k, mask;
  mlir::ValueRange key;
  bool causal;
  RandomMode mode;
  uint64_t site;
  double scale;
  llvm::APFloat dropout;
};

} // namespace ampc::amp

#endif // AMPC_IR_DIALECT_OPS_ATTENTIONFORMULA_H
