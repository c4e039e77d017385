// Matrix products: building, verification, derivatives, decomposition, facts.
#include "ir/dialect/Dialect.h"

using namespace mlir;
using namespace ampc::amp;

//===----------------------------------------------------------------------===//
// amp.matmul
//===----------------------------------------------------------------------===//

/// The two last extents of a matrix operand, exchanged when `transposed`.
static std::pair<int64_t, int64_t> matrixExtents(RankedTensorType type,
                                                 bool transposed) {
  int64_t rank = type.getRank();
  std::pair<int64_t, int64_t> extents{type.getDimSize(rank - 2),
                                      type.getDimSize(rank - 1)};
  if (transposed)
    std::swap(extents.first, extents.second);
  return extents;
}

void MatmulOp::build(OpBuilder &builder, OperationState &state, Value lhs,
                     Value rhs, bool transposeA, bool transposeB) {
  RankedTensorType left = tensorType(lhs), right = tensorType(rhs);
  SmallVector<int64_t> shape(left.getShape().drop_back(2));
  shape.push_back(matrixExtents(left, transposeA).first);
  shape.push_back(matrixExtents(right, transposeB).second);
  build(builder, state, RankedTensorType::get(shape, left.getElementType()),
        lhs, rhs, /*init=*/Value(), transposeA, transposeB,
        accumulationTypeFor(left.getElementType()));
}

void MatmulOp::build(OpBuilder &builder, OperationState &state, Type type,
                     Value lhs, Value rhs, Value init, bool transposeA,
                     bool transposeB, Type accumulation) {
  build(builder, state, type, lhs, rhs, init, /*bias=*/Value(), transposeA,
        transposeB, /*relu=*/false, accumulation);
}

MatmulOp::Extents MatmulOp::extents() {
  auto [m, k] = matrixExtents(tensorType(getLhs()), getTransposeA());
  auto [ignored, n] = matrixExtents(tensorType(getRhs()), getTransposeB());
  return {elementCount(tensorType(getResult()).getShape().drop_back(2)), m, n,
          k};
}

LogicalResult MatmulOp::verify() {
  RankedTensorType left = tensorType(getLhs()), right = tensorType(getRhs());
  RankedTensorType result = tensorType(getResult());
  int64_t rank = result.getRank();
  // matmul_c1
  if (rank < 2 || left.getRank() != rank || right.getRank() != rank)
    return emitOpError()
           << "operands and result need one rank of at least 2, got "
           << left.getRank() << ", " << right.getRank() << " and " << rank;
  // matmul_c2
  ArrayRef<int64_t> batch = result.getShape().drop_back(2);
  if (left.getShape().drop_back(2) != batch ||
      right.getShape().drop_back(2) != batch)
    return emitOpError() << "leading extents must be equal, got ["
                         << left.getShape().drop_back(2) << "], ["
                         << right.getShape().drop_back(2) << "] and [" << batch
                         << "]";
  // matmul_c3
  auto [m, k] = matrixExtents(left, getTransposeA());
  auto [k2, n] = matrixExtents(right, getTransposeB());
  if (k != k2)
    return emitOpError() << "contracted extents must be equal, got " << k
                         << " and " << k2;
  if (result.getDimSize(rank - 2) != m || result.getDimSize(rank - 1) != n)
    return emitOpError() << "result must end in [" << m << ", " << n
                         << "], got [" << result.getShape() << "]";
  // matmul_c4
  Type element = left.getElementType();
  if (right.getElementType() != element)
    return emitOpError() << "operands need one element type, got " << element
                         << " and " << right.getElementType();
  if (getAccumulation() != accumulationTypeFor(element))
    return emitOpError() << "accumulation of " << element << " must be "
                         << accumulationTypeFor(element) << ", got "
                         << getAccumulation();
  Type given = result.getElementType();
  if (given != element && given != getAccumulation())
    return emitOpError() << "result must have " << element << " or "
                         << getAccumulation() << " elements, got " << given;
  // matmul_c5
  if (getInit() && (getInit().getType() != result ||
                    result.getElementType() != getAccumulation()))
    return emitOpError() << "init and result must be "
                         << withElementType(result, getAccumulation())
                         << ", got " << getInit().getType() << " and "
                         << result;
  // matmul_c6
  auto row = RankedTensorType::get({n}, getAccumulation());
  if (getBias() && (getBias().getType() != row || given != getAccumulation()))
    return emitOpError() << "bias must be " << row << " and the result's "
                         << "elements " << getAccumulation() << ", got "
                         << getBias().getType() << " and " << given;
  // matmul_c7
  if (hasEpilogue() && (getInit() || elementCount(batch) != 1))
    return emitOpError() << "has an epilogue and therefore no init and one "
                            "matrix, got "
                         << (getInit() ? "an init and " : "")
                         << elementCount(batch) << " matrices";
  return success();
}

FusionKind MatmulOp::fusionKind() { return FusionKind::contraction; }
bool MatmulOp::readsElsewhere(unsigned) { return true; }
PrecisionClass MatmulOp::classify() { return PrecisionClass::lower; }
Type MatmulOp::accumulationType() { return getAccumulation(); }

OpCost MatmulOp::cost(TargetAttr) {
  Extents e = extents();
  return {2.0 * e.batch * e.m * e.n * e.k, trafficBytes(*this), 0};
}

LogicalResult MatmulOp::backward(OpBuilder &builder, ValueRange gradients,
                                 SmallVectorImpl<Value> &out) {
  if (hasEpilogue())
    return emitOpError() << "has an epilogue, which is formed after "
                            "differentiation";
  Location loc = getLoc();
  Value g = gradients[0], a = getLhs(), b = getRhs();
  bool ta = getTransposeA(), tb = getTransposeB();
  // C = A B: dA = G B^T, dB = A^T G; an operand that is stored transposed gets
  // the transposed product.
  Value da = ta ? MatmulOp::create(builder, loc, b, g, tb, true)
                : MatmulOp::create(builder, loc, g, b, false, !tb);
  Value db = tb ? MatmulOp::create(builder, loc, g, a, true, ta)
                : MatmulOp::create(builder, loc, a, g, !ta, false);
  out.assign({da, db});
  if (getInit())
    out.push_back(g);
  return success();
}
SmallVector<Value> MatmulOp::savedOperands() { return {getLhs(), getRhs()}; }

//===----------------------------------------------------------------------===//
// amp.linear
//===----------------------------------------------------------------------===//

void LinearOp::build(OpBuilder &builder, OperationState &state, Value input,
                     Value weight, Value bias) {
  RankedTensorType type = tensorType(input);
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = tensorType(weight).getDimSize(0);
  build(builder, state, RankedTensorType::get(shape, type.getElementType()),
        input, weight, bias, accumulationTypeFor(type.getElementType()));
}

LogicalResult LinearOp::verify() {
  RankedTensorType input = tensorType(getInput()),
                   weight = tensorType(getWeight());
  // linear_c1
  if (weight.getRank() != 2)
    return emitOpError() << "weight must have rank 2, got " << weight.getRank();
  int64_t out = weight.getDimSize(0), in = weight.getDimSize(1);
  if (getBias() && tensorType(getBias()).getShape() != ArrayRef(out))
    return emitOpError() << "bias must have shape [" << out << "], got ["
                         << tensorType(getBias()).getShape() << "]";
  // linear_c2
  if (input.getRank() < 1 || input.getShape().back() != in)
    return emitOpError() << "input's last extent must be " << in
                         << " (the weight's), got shape [" << input.getShape()
                         << "]";
  SmallVector<int64_t> expected(input.getShape());
  expected.back() = out;
  if (tensorType(getResult()).getShape() != ArrayRef(expected))
    return emitOpError() << "result must have the extents [" << expected
                         << "], got [" << tensorType(getResult()).getShape()
                         << "]";
  // linear_c3
  Type element = input.getElementType();
  for (Value value : {Value(getWeight()), Value(getResult())})
    if (tensorType(value).getElementType() != element)
      return emitOpError() << "needs one element type, got " << element
                           << " and " << tensorType(value).getElementType();
  if (getAccumulation() != accumulationTypeFor(element))
    return emitOpError() << "accumulation of " << element << " must be "
                         << accumulationTypeFor(element) << ", got "
                         << getAccumulation();
  if (!getBias())
    return success();
  Type bias = tensorType(getBias()).getElementType();
  if (bias != element && bias != getAccumulation())
    return emitOpError() << "bias must have " << element << " or "
                         << getAccumulation() << " elements, got " << bias;
  return success();
}

FusionKind LinearOp::fusionKind() { return FusionKind::contraction; }
PrecisionClass LinearOp::classify() { return PrecisionClass::lower; }
Type LinearOp::accumulationType() { return getAccumulation(); }
bool LinearOp::keepsWide(unsigned operand) { return operand == 2; }

OpCost LinearOp::cost(TargetAttr) {
  int64_t in = tensorType(getWeight()).getDimSize(1);
  return {2.0 * tensorType(getResult()).getNumElements() * in,
          trafficBytes(*this), 0};
}

/// `value` [.., n] as a matrix [rows, n].
static Value asMatrix(OpBuilder &builder, Location loc, Value value) {
  RankedTensorType type = tensorType(value);
  if (type.getRank() == 2)
    return value;
  int64_t columns = type.getShape().back();
  int64_t rows = elementCount(type.getShape().drop_back());
  return ReshapeOp::create(
      builder, loc,
      RankedTensorType::get({rows, columns}, type.getElementType()), value);
}

static Value reshapeTo(OpBuilder &builder, Location loc, Value value,
                       Type type) {
  if (value.getType() == type)
    return value;
  return ReshapeOp::create(builder, loc, type, value);
}

FailureOr<SmallVector<Value>> LinearOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  RankedTensorType type = tensorType(getResult());
  RankedTensorType sum =
      getBias() ? withElementType(type, getAccumulation()) : type;
  auto matrix =
      MatmulOp::create(builder, loc, asMatrix(builder, loc, getInput()),
                       getWeight(), false, true);
  matrix.getResult().setType(
      withElementType(matrix.getType(), sum.getElementType()));
  Value product = reshapeTo(builder, loc, matrix, sum);
  if (!getBias())
    return SmallVector<Value>{product};
  Value bias = castTo(builder, loc, getBias(), getAccumulation());
  bias = BroadcastOp::create(builder, loc, sum, bias, sum.getRank() - 1);
  Value biased = AddOp::create(builder, loc, product, bias);
  return SmallVector<Value>{
      castTo(builder, loc, biased, type.getElementType())};
}

LogicalResult LinearOp::backward(OpBuilder &builder, ValueRange gradients,
                                 SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  Value g = asMatrix(builder, loc, gradients[0]); // [rows, out]
  Value x = asMatrix(builder, loc, getInput());   // [rows, in]
  Value dx = MatmulOp::create(builder, loc, g, getWeight(), false, false);
  out.push_back(reshapeTo(builder, loc, dx, getInput().getType()));
  out.push_back(MatmulOp::create(builder, loc, g, x, true, false)); // [out, in]
  if (getBias())
    out.push_back(ReduceOp::create(builder, loc, ReduceKind::sum, g,
                                   ArrayRef<int64_t>{0},
                                   tensorType(getBias()).getElementType()));
  return success();
}
SmallVector<Value> LinearOp::savedOperands() {
  return {getInput(), getWeight()};
}

#define GET_OP_CLASSES
#include "ir/dialect/ops/Contraction.cpp.inc"
