// Losses and metrics of labels: building, verification, derivatives,
// decomposition.
#include "ir/dialect/ops/Formula.h"

using namespace mlir;
using namespace ampc::amp;

//===----------------------------------------------------------------------===//
// What the ops share
//===----------------------------------------------------------------------===//

namespace {

/// Formulas over rows of classes with one label a row.
class LabelFormula : public RowFormula {
public:
  LabelFormula(OpBuilder &builder, Location loc, Value scores, Value labels,
               int64_t ignored)
      : RowFormula(builder, loc, tensorType(scores).getShape(),
                   lastAxes(tensorType(scores).getRank(), 1)),
        labels(labels), ignored(ignored) {}

  /// Whether the row counts, one element a row.
  Value valid() {
    Value skipped = make<ConstantOp>(DenseElementsAttr::get(
        tensorType(labels),
        builder.getIntegerAttr(tensorType(labels).getElementType(), ignored)));
    return compare(ComparePredicate::ne, labels, skipped);
  }
  /// The number of each class, over the space.
  Value classes() {
    return repeat(iota(rowLength(), tensorType(labels).getElementType()));
  }
  /// The row's label, over the space.
  Value spreadLabels() { return spread(labels); }
  /// Whether the class is the row's label, over the space.
  Value hit() {
    return compare(ComparePredicate::eq, classes(), spreadLabels());
  }
  /// The value at the row's label, 0 where no class is.
  Value pick(Value value) {
    return reduce(ReduceKind::sum, select(hit(), value, constant(value, 0.0)));
  }
  /// `value`, one a row, with exact zeros in rows that do not count.
  Value masked(Value value) {
    return select(valid(), value, constant(value, 0.0));
  }

private:
  Value labels;
  int64_t ignored;
};

} // namespace

template <typename OpT>
static LabelFormula labelFormula(OpBuilder &builder, OpT op, Value scores) {
  return LabelFormula(builder, op.getLoc(), scores, op.getLabels(),
                      static_cast<int64_t>(op.getIgnoreIndex()));
}

/// The type of a loss of rows with these labels.
static RankedTensorType lossType(LossReduction reduction, Value labels,
                                 Type element) {
  if (reduction == LossReduction::none)
    return withElementType(labels.getType(), element);
  return RankedTensorType::get({}, element);
}

/// Extents of rows, labels and weights, and the type of the loss.
static LogicalResult verifyLabels(Operation *op, LossReduction reduction,
                                  Value labels, Value weight, Type element) {
  RankedTensorType scores = tensorType(op->getOperand(0));
  ArrayRef<int64_t> shape = scores.getShape();
  if (shape.empty() || shape.back() == 0)
    return op->emitOpError()
           << "needs a last axis of at least one class, got the extents ["
           << shape << "]";
  if (tensorType(labels).getShape() != shape.drop_back())
    return op->emitOpError()
           << "labels must have the extents [" << shape.drop_back()
           << "], got [" << tensorType(labels).getShape() << "]";
  if (weight) {
    RankedTensorType type = tensorType(weight);
    Type own = scores.getElementType();
    if (type.getShape() != shape.take_back() ||
        (type.getElementType() != own && type.getElementType() != element))
      return op->emitOpError()
             << "weight must have the extents [" << shape.back() << "] and "
             << own << " or " << element << " elements, got " << type;
  }
  RankedTensorType expected = lossType(reduction, labels, element);
  if (op->getResult(0).getType() != expected)
    return op->emitOpError()
           << "result of reduction " << stringifyLossReduction(reduction)
           << " must be " << expected << ", got " << op->getResult(0).getType();
  return success();
}

/// The sum of the weights of the rows that count, without weights their number:
/// a scalar of type `element`.
template <typename OpT>
static Value countRows(LabelFormula &f, OpT op, Value weight, Type element) {
  if (!weight)
    return f.reduceAll(ReduceKind::sum, f.indicator(f.valid(), element));
  Value picked = f.pick(f.repeat(f.cast(weight, element)));
  return f.reduceAll(ReduceKind::sum, f.masked(picked));
}

/// The loss of `terms`, one a row, zero in rows that do not count.
template <typename OpT>
static Value joinRows(OpBuilder &builder, LabelFormula &f, OpT op,
                      Value terms) {
  if (op.getReduction() == LossReduction::none)
    return terms;
  Value sum = f.reduceAll(ReduceKind::sum, terms);
  if (op.getReduction() == LossReduction::sum)
    return sum;
  return op.buildQuotient(builder, sum, op.buildCount(builder));
}

/// The gradient of each row's term from that of the loss.
template <typename OpT>
static Value rowGradient(OpBuilder &builder, LabelFormula &f, OpT op, Value g) {
  if (op.getReduction() == LossReduction::mean)
    g = op.buildQuotient(builder, g, op.buildCount(builder));
  return f.broadcastScalar(g, tensorType(op.getLabels()).getShape());
}

//===----------------------------------------------------------------------===//
// amp.cross_entropy
//===----------------------------------------------------------------------===//

void CrossEntropyOp::build(OpBuilder &builder, OperationState &state,
                           LossReduction reduction, Value logits, Value labels,
                           Value weight, int64_t ignoreIndex,
                           double smoothing) {
  Type element = computeTypeFor(tensorType(logits).getElementType());
  RankedTensorType row = withElementType(labels.getType(), element);
  build(builder, state, lossType(reduction, labels, element), row, row,
        reduction, logits, labels, weight, ignoreIndex, APFloat(smoothing));
}

LogicalResult CrossEntropyOp::verify() {
  // cross_entropy_c1, cross_entropy_c2, cross_entropy_c3
  Type element = computeTypeFor(tensorType(getLogits()).getElementType());
  if (failed(verifyLabels(*this, getReduction(), getLabels(), getWeight(),
                          element)))
    return failure();
  RankedTensorType row = withElementType(getLabels().getType(), element);
  for (Value value : {getRowMax(), getLogSum()})
    if (value.getType() != row)
      return emitOpError() << "row_max and log_sum must be " << row << ", got "
                           << value.getType();
  // cross_entropy_c4
  double smoothing = getSmoothing().convertToDouble();
  if (!(smoothing >= 0 && smoothing <= 1))
    return emitOpError() << "smoothing must be from 0 to 1, got " << smoothing;
  return success();
}

OpCost CrossEntropyOp::cost(TargetAttr) { return mapCost(*this, 6, 1); }

Value CrossEntropyOp::buildCount(OpBuilder &builder) {
  LabelFormula f = labelFormula(builder, *this, getLogits());
  return countRows(f, *this, getWeight(), accumulationType());
}

FailureOr<SmallVector<Value>> CrossEntropyOp::decompose(OpBuilder &builder) {
  LabelFormula f = labelFormula(builder, *this, getLogits());
  Value x = f.widen(getLogits());
  Value rowMax = f.reduce(ReduceKind::max, x);
  Value d = f.sub(x, f.spread(rowMax));
  Value logSum = f.log(f.reduce(ReduceKind::sum, f.exp(d)));
  Value weights;
  if (getWeight())
    weights = f.repeat(f.cast(getWeight(), accumulationType()));
  Value term = f.sub(logSum, f.pick(d));
  if (weights)
    term = f.mul(f.pick(weights), term);
  double smoothing = getSmoothing().convertToDouble();
  if (smoothing > 0) {
    Value others = f.sub(f.spread(logSum), d);
    if (weights)
      others = f.mul(weights, others);
    double share = smoothing / static_cast<double>(f.rowLength());
    term = f.add(
        f.mul(f.constant(term, 1.0 - smoothing), term),
        f.mul(f.constant(term, share), f.reduce(ReduceKind::sum, others)));
  }
  return SmallVector<Value>{joinRows(builder, f, *this, f.masked(term)), rowMax,
                            logSum};
}

LogicalResult CrossEntropyOp::backward(OpBuilder &builder, ValueRange gradients,
                                       SmallVectorImpl<Value> &out) {
  if (failed(refuseGradient(*this, gradients, 1)) ||
      failed(refuseGradient(*this, gradients, 2)))
    return failure();
  LabelFormula f = labelFormula(builder, *this, getLogits());
  Value r = rowGradient(builder, f, *this, gradients[0]);
  Value weights;
  if (getWeight())
    weights = f.repeat(f.cast(getWeight(), accumulationType()));
  Value d = f.sub(f.widen(getLogits()), f.spread(getRowMax()));
  Value p = f.exp(f.sub(d, f.spread(getLogSum())));
  double smoothing = getSmoothing().convertToDouble();
  Value own = weights ? f.mul(r, f.pick(weights)) : r;
  if (smoothing > 0)
    own = f.mul(f.constant(own, 1.0 - smoothing), own);
  Value hit = f.indicator(f.hit(), accumulationType());
  Value dx = f.mul(f.spread(own), f.sub(p, hit));
  if (smoothing > 0) {
    Value ones = weights ? weights : f.constant(p, 1.0);
    Value total = f.reduce(ReduceKind::sum, ones);
    double share = smoothing / static_cast<double>(f.rowLength());
    Value even = f.mul(f.constant(r, share), r);
    dx = f.add(dx,
               f.mul(f.spread(even), f.sub(f.mul(p, f.spread(total)), ones)));
  }
  dx = f.select(f.spread(f.valid()), dx, f.constant(dx, 0.0));
  out.assign({f.cast(dx, tensorType(getLogits()).getElementType()), Value()});
  if (getWeight())
    out.push_back(Value());
  return success();
}

SmallVector<Value> CrossEntropyOp::savedOperands() {
  SmallVector<Value> saved = llvm::to_vector(getOperands());
  saved.append({getRowMax(), getLogSum()});
  return saved;
}

//===----------------------------------------------------------------------===//
// amp.nll
//===----------------------------------------------------------------------===//

void NllOp::build(OpBuilder &builder, OperationState &state,
                  LossReduction reduction, Value logProbabilities, Value labels,
                  Value weight, int64_t ignoreIndex) {
  Type element = computeTypeFor(tensorType(logProbabilities).getElementType());
  build(builder, state, lossType(reduction, labels, element), reduction,
        logProbabilities, labels, weight, ignoreIndex);
}

LogicalResult NllOp::verify() {
  // nll_c1, nll_c2, nll_c3
  return verifyLabels(
      *this, getReduction(), getLabels(), getWeight(),
      computeTypeFor(tensorType(getLogProbabilities()).getElementType()));
}

OpCost NllOp::cost(TargetAttr) { return mapCost(*this, 2, 0); }

Value NllOp::buildCount(OpBuilder &builder) {
  LabelFormula f = labelFormula(builder, *this, getLogProbabilities());
  return countRows(f, *this, getWeight(), accumulationType());
}

FailureOr<SmallVector<Value>> NllOp::decompose(OpBuilder &builder) {
  LabelFormula f = labelFormula(builder, *this, getLogProbabilities());
  Value term = f.neg(f.pick(f.widen(getLogProbabilities())));
  if (getWeight())
    term =
        f.mul(f.pick(f.repeat(f.cast(getWeight(), accumulationType()))), term);
  return SmallVector<Value>{joinRows(builder, f, *this, f.masked(term))};
}

LogicalResult NllOp::backward(OpBuilder &builder, ValueRange gradients,
                              SmallVectorImpl<Value> &out) {
  LabelFormula f = labelFormula(builder, *this, getLogProbabilities());
  Value r = f.neg(rowGradient(builder, f, *this, gradients[0]));
  if (getWeight())
    r = f.mul(r, f.pick(f.repeat(f.cast(getWeight(), accumulationType()))));
  r = f.spread(f.masked(r));
  Value dx = f.select(f.hit(), r, f.constant(r, 0.0));
  out.assign({f.cast(dx, tensorType(getLogProbabilities()).getElementType()),
              Value()});
  if (getWeight())
    out.push_back(Value());
  return success();
}

SmallVector<Value> NllOp::savedOperands() {
  return llvm::to_vector(getOperands().drop_front());
}

//===----------------------------------------------------------------------===//
// amp.accuracy
//===----------------------------------------------------------------------===//

void AccuracyOp::build(OpBuilder &builder, OperationState &state,
                       LossReduction reduction, Value logits, Value labels,
                       int64_t k, int64_t ignoreIndex) {
  build(builder, state, lossType(reduction, labels, builder.getF32Type()),
        reduction, logits, labels, k, ignoreIndex);
}

LogicalResult AccuracyOp::verify() {
  // accuracy_c1, accuracy_c3
  if (failed(verifyLabels(*this, getReduction(), getLabels(), Value(),
                          Float32Type::get(getContext()))))
    return failure();
  // accuracy_c2
  int64_t k = static_cast<int64_t>(getK());
  int64_t classes = tensorType(getLogits()).getShape().back();
  if (k < 1 || k > classes)
    return emitOpError() << "k must be from 1 to " << classes << ", got " << k;
  return success();
}

OpCost AccuracyOp::cost(TargetAttr) { return mapCost(*this, 5, 0); }

Value AccuracyOp::buildCount(OpBuilder &builder) {
  LabelFormula f = labelFormula(builder, *this, getLogits());
  return countRows(f, *this, Value(), builder.getF32Type());
}

FailureOr<SmallVector<Value>> AccuracyOp::decompose(OpBuilder &builder) {
  LabelFormula f = labelFormula(builder, *this, getLogits());
  Type count = builder.getI32Type();
  Value x = f.widen(getLogits());
  Value own = f.spread(f.pick(x));
  Value earlier =
      f.compare(ComparePredicate::lt, f.classes(), f.spreadLabels());
  // A class comes before the label's unless its number is smaller, or equal at
  // no smaller index. A NaN is neither.
  Value tied = f.compare(ComparePredicate::eq, x, own);
  Value notAfter = f.indicator(earlier, count);
  Value one = f.constant(notAfter, 1.0), zero = f.constant(notAfter, 0.0);
  Value smaller = f.compare(ComparePredicate::lt, x, own);
  Value before = f.select(smaller, zero, f.select(tied, notAfter, one));
  Value rank = f.reduce(ReduceKind::sum, before);
  Value right = f.indicator(
      f.compare(ComparePredicate::lt, rank, static_cast<double>(getK())),
      builder.getF32Type());
  return SmallVector<Value>{joinRows(builder, f, *this, f.masked(right))};
}

#define GET_OP_CLASSES
#include "ir/dialect/ops/Classification.cpp.inc"
