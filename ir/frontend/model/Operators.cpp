// Operators on tensors: PyTorch's promotion, NumPy's broadcasting written out.
#include "ir/frontend/model/Elaborator.h"

#include <cmath>

using namespace mlir;

namespace ampc::model {
namespace {

/// bool < i8 < i32 < i64 < f8 < f16, bf16 < f32 < f64; two different types of
/// one rank give f32.
unsigned rankOf(ElemType type) {
  switch (type) {
  case ElemType::Bool:
    return 0;
  case ElemType::I8:
    return 1;
  case ElemType::I32:
    return 2;
  case ElemType::I64:
    return 3;
  case ElemType::F8E4M3:
  case ElemType::F8E5M2:
    return 4;
  case ElemType::F16:
  case ElemType::BF16:
    return 5;
  case ElemType::F32:
    return 6;
  case ElemType::F64:
    return 7;
  }
  return 0;
}

/// The type of a tensor that met a number.
ElemType promote(ElemType tensor, const Value &number) {
  if (number.is(ValueKind::Float) && !isFloat(tensor))
    return ElemType::F32;
  if (number.is(ValueKind::Int) && tensor == ElemType::Bool)
    return ElemType::I64;
  return tensor;
}

/// True if a number becomes 0 or infinite in a float type though it is not
/// (N5).
bool leavesRange(double value, Type type) {
  llvm::APFloat rounded(value);
  bool lost = false;
  rounded.convert(cast<FloatType>(type).getFloatSemantics(),
                  llvm::APFloat::rmNearestTiesToEven, &lost);
  return value != 0 && (rounded.isZero() || !rounded.isFinite());
}

std::optional<amp::ComparePredicate> predicateOf(Tok op) {
  switch (op) {
  case Tok::Eq:
    return amp::ComparePredicate::eq;
  case Tok::Ne:
    return amp::ComparePredicate::ne;
  case Tok::Lt:
    return amp::ComparePredicate::lt;
  case Tok::Le:
    return amp::ComparePredicate::le;
  case Tok::Gt:
    return amp::ComparePredicate::gt;
  case Tok::Ge:
    return amp::ComparePredicate::ge;
  default:
    return std::nullopt;
  }
}

} // namespace

ElemType promote(ElemType a, ElemType b) {
  if (a == b)
    return a;
  if (rankOf(a) == rankOf(b))
    return ElemType::F32;
  return rankOf(a) > rankOf(b) ? a : b;
}

void Elaborator::shapeMismatch(llvm::StringRef function, const TensorData &left,
                               const TensorData &right, Loc loc,
                               bool broadcasts) {
  llvm::ArrayRef<int64_t> a = shapeOf(left), b = shapeOf(right);
  std::string text = ("'" + function + "': shapes " + namedTypeText(left) +
                      " and " + namedTypeText(right) + " do not match")
                         .str();
  size_t rank = std::max(a.size(), b.size());
  // The first axis that differs, counted in the longer shape.
  for (size_t axis = rank - std::min(a.size(), b.size());
       axis < rank && (broadcasts || a.size() == b.size()); ++axis) {
    int64_t x = a[axis + a.size() - rank], y = b[axis + b.size() - rank];
    if (x == y || (broadcasts && (x == 1 || y == 1)))
      continue;
    text += " in axis " + std::to_string(axis) + " (" + std::to_string(x) +
            " and " + std::to_string(y) + ")";
    break;
  }
  error(loc, text).note(right.origin, namedTypeText(right) + " is made here");
}

bool Elaborator::broadcastShapes(llvm::StringRef function,
                                 const TensorData &left,
                                 const TensorData &right, Loc loc,
                                 Operands &operands) {
  llvm::ArrayRef<int64_t> a = shapeOf(left), b = shapeOf(right);
  size_t rank = std::max(a.size(), b.size());
  operands.shape.assign(rank, 1);
  operands.axisNames.assign(rank, {});
  auto take = [&](llvm::ArrayRef<int64_t> shape, const TensorData &from) {
    for (size_t i = 0; i < shape.size(); ++i) {
      size_t axis = rank - shape.size() + i;
      int64_t &extent = operands.shape[axis];
      if (shape[i] != 1 && extent != 1 && shape[i] != extent)
        return false;
      if (extent == 1) {
        extent = shape[i];
        if (i < from.axisNames.size() &&
            (operands.axisNames[axis].empty() || shape[i] != 1))
          operands.axisNames[axis] = from.axisNames[i];
      }
    }
    return true;
  };
  if (take(a, left) && take(b, right))
    return checkShape(operands.shape, left.element, loc);
  shapeMismatch(function, left, right, loc, /*broadcasts=*/true);
  return false;
}

bool Elaborator::prepareOperands(llvm::StringRef function, const Value &left,
                                 const Value &right, Loc loc, Location at,
                                 bool floats, Operands &operands) {
  for (const Value *value : {&left, &right})
    if (!value->isTensor() && !value->isNumber() &&
        !value->is(ValueKind::Bool)) {
      if (!value->isPoison())
        error(loc, "'" + function + "' does not take " + left.describe() +
                       " and " + right.describe());
      return false;
    }
  if (left.isTensor() && right.isTensor()) {
    const TensorData &a = left.asTensor(), &b = right.asTensor();
    if (!broadcastShapes(function, a, b, loc, operands))
      return false;
    operands.element = promote(a.element, b.element);
  } else {
    const TensorData &a = left.isTensor() ? left.asTensor() : right.asTensor();
    const Value &number = left.isTensor() ? right : left;
    operands.shape.assign(shapeOf(a).begin(), shapeOf(a).end());
    operands.axisNames.assign(a.axisNames.begin(), a.axisNames.end());
    operands.element = promote(a.element, number);
  }
  if (floats && !isFloat(operands.element))
    operands.element = ElemType::F32;
  // A number that the type cannot hold.
  for (const Value *value : {&left, &right}) {
    if (!value->isNumber())
      continue;
    if (isInteger(operands.element) &&
        !fitsInteger(value->asInt(), operands.element)) {
      error(loc, "'" + function + "': " + llvm::Twine(value->asInt()) +
                     " does not fit in " + elemTypeName(operands.element));
      return false;
    }
    if (isFloat(operands.element) &&
        leavesRange(value->asFloat(), emitter.elementType(operands.element))) {
      if (operands.element == ElemType::F32 ||
          operands.element == ElemType::F64) {
        if (std::abs(value->asFloat()) < 1)
          continue; // below the smallest f32: 0
        error(loc, "'" + function + "': " + formatFloat(value->asFloat()) +
                       " does not fit in f32");
        return false;
      }
      operands.narrow = operands.element;
      operands.element = ElemType::F32;
    }
  }
  auto prepare = [&](const Value &value) -> mlir::Value {
    if (!value.isTensor())
      return emitter.constant(at, operands.element, operands.shape, value);
    return emitter.broadcast(
        at, emitter.cast(at, value.asTensor().value, operands.element),
        operands.shape);
  };
  operands.left = prepare(left);
  operands.right = prepare(right);
  return true;
}

Value Elaborator::tensorPower(const Value &left, const Value &right, Loc loc,
                              Location at) {
  OpBuilder &builder = emitter.builder;
  // The square of a number is one product.
  if (left.isTensor() && right.is(ValueKind::Int) && right.asInt() == 2 &&
      left.asTensor().element != ElemType::Bool) {
    const TensorData &x = left.asTensor();
    return tensor(amp::MulOp::create(builder, at, x.value, x.value), x.element,
                  loc, x.axisNames);
  }
  Operands operands;
  if (!prepareOperands("pow", left, right, loc, at, /*floats=*/false, operands))
    return Value::poison();
  if (!isFloat(operands.element))
    return fail(loc, "'pow' takes a float tensor, got " + left.describe() +
                         " and " + right.describe() + "; write cast(.., f32)");
  mlir::Value result =
      amp::PowOp::create(builder, at, operands.left, operands.right);
  if (operands.narrow)
    result = emitter.cast(at, result, *operands.narrow);
  return tensor(result, operands.narrow.value_or(operands.element), loc,
                operands.axisNames);
}

Value Elaborator::tensorBinary(Tok op, llvm::StringRef function,
                               const Value &left, const Value &right, Loc loc) {
  Operands operands;
  Location at = emitter.location(loc);
  std::optional<std::string> path = operatorPath(function, loc);
  if (!path)
    return Value::poison();
  Emitter::Naming naming(emitter, *path);
  if (op == Tok::StarStar)
    return tensorPower(left, right, loc, at);
  if (!prepareOperands(function, left, right, loc, at, op == Tok::Slash,
                       operands))
    return Value::poison();
  OpBuilder &builder = emitter.builder;
  if (std::optional<amp::ComparePredicate> predicate = predicateOf(op)) {
    // Bools compare as 0 and 1.
    if (operands.element == ElemType::Bool && op != Tok::Eq && op != Tok::Ne) {
      operands.left = emitter.cast(at, operands.left, ElemType::I8);
      operands.right = emitter.cast(at, operands.right, ElemType::I8);
    }
    mlir::Value result = amp::CompareOp::create(
        builder, at, emitter.tensorType(ElemType::Bool, operands.shape),
        *predicate, operands.left, operands.right);
    return tensor(result, ElemType::Bool, loc, operands.axisNames);
  }
  if (operands.element == ElemType::Bool)
    return fail(loc, "'" + function + "' takes numbers, got two bool tensors");
  if ((op == Tok::SlashSlash || op == Tok::Percent) &&
      !isFloat(operands.element) && right.is(ValueKind::Int) &&
      right.asInt() == 0)
    return fail(loc, "'" + function + "': division of integers by zero");
  mlir::Value a = operands.left, b = operands.right, result;
  switch (op) {
  case Tok::Plus:
    result = amp::AddOp::create(builder, at, a, b);
    break;
  case Tok::Minus:
    result = amp::SubOp::create(builder, at, a, b);
    break;
  case Tok::Star:
    result = amp::MulOp::create(builder, at, a, b);
    break;
  case Tok::SlashSlash:
    result = amp::FloorDivOp::create(builder, at, a, b);
    break;
  case Tok::Percent:
    result = amp::RemainderOp::create(builder, at, a, b);
    break;
  default:
    result = amp::DivOp::create(builder, at, a, b);
  }
  if (operands.narrow)
    result = emitter.cast(at, result, *operands.narrow);
  return tensor(result, operands.narrow.value_or(operands.element), loc,
                operands.axisNames);
}

} // namespace ampc::model
