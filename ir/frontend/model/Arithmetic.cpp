// Compile-time arithmetic.
#include "ir/frontend/model/Arithmetic.h"

#include <cmath>

namespace ampc::model {
namespace {

std::string opText(Tok op) { return spelling(op); }

bool isComparison(Tok op) { return op >= Tok::Eq && op <= Tok::Ge; }

template <typename T>
bool compare(Tok op, T a, T b) {
  switch (op) {
  case Tok::Eq:
    return a == b;
  case Tok::Ne:
    return a != b;
  case Tok::Lt:
    return a < b;
  case Tok::Le:
    return a <= b;
  case Tok::Gt:
    return a > b;
  default:
    return a >= b;
  }
}

Outcome intPower(int64_t base, int64_t exponent) {
  int64_t result = 1;
  while (exponent > 0) {
    if ((exponent & 1) && __builtin_mul_overflow(result, base, &result))
      return Outcome::fail(kNumberTooLarge);
    exponent >>= 1;
    if (exponent && __builtin_mul_overflow(base, base, &base))
      return Outcome::fail(kNumberTooLarge);
  }
  return Outcome::ok(Value::of(result));
}

Outcome computeInts(Tok op, int64_t a, int64_t b) {
  int64_t result = 0;
  bool overflow = false;
  switch (op) {
  case Tok::Plus:
    overflow = __builtin_add_overflow(a, b, &result);
    break;
  case Tok::Minus:
    overflow = __builtin_sub_overflow(a, b, &result);
    break;
  case Tok::Star:
    overflow = __builtin_mul_overflow(a, b, &result);
    break;
  case Tok::Slash:
    if (b == 0)
      return Outcome::fail("division by zero");
    return checkedFloat(double(a) / double(b));
  case Tok::SlashSlash:
  case Tok::Percent: {
    if (b == 0)
      return Outcome::fail("division by zero");
    if (b == -1) { // INT64_MIN / -1 traps
      if (op == Tok::Percent)
        return Outcome::ok(Value::of(int64_t(0)));
      overflow = __builtin_sub_overflow(int64_t(0), a, &result);
      break;
    }
    // Both floor: the remainder has the sign of the divisor.
    int64_t quotient = a / b, remainder = a % b;
    if (remainder != 0 && (remainder < 0) != (b < 0)) {
      --quotient;
      remainder += b;
    }
    result = op == Tok::Percent ? remainder : quotient;
    break;
  }
  case Tok::StarStar:
    if (b >= 0)
      return intPower(a, b);
    if (a == 0)
      return Outcome::fail("division by zero");
    return checkedFloat(std::pow(double(a), double(b)));
  default:
    return Outcome::ok(Value::of(compare(op, a, b)));
  }
  return overflow ? Outcome::fail(kNumberTooLarge)
                  : Outcome::ok(Value::of(result));
}

Outcome computeFloats(Tok op, double a, double b) {
  switch (op) {
  case Tok::Plus:
    return checkedFloat(a + b);
  case Tok::Minus:
    return checkedFloat(a - b);
  case Tok::Star:
    return checkedFloat(a * b);
  case Tok::StarStar:
    if (a == 0 && b < 0)
      return Outcome::fail("division by zero");
    return checkedFloat(std::pow(a, b));
  default:
    break;
  }
  if (b == 0)
    return Outcome::fail("division by zero");
  if (op == Tok::Slash)
    return checkedFloat(a / b);
  double remainder = std::fmod(a, b);
  if (remainder != 0 && (remainder < 0) != (b < 0))
    remainder += b;
  return checkedFloat(
      op == Tok::Percent ? remainder : std::floor((a - remainder) / b + 0.5));
}

/// Values of lists that one comparison visits at most.
constexpr uint64_t kMaxCompared = 1000000;

bool equal(const Value &left, const Value &right, std::string &error) {
  if (left.isNone() || right.isNone())
    return left.kind() == right.kind();
  if (left.isNumber() && right.isNumber())
    // Exact: long double holds every i64 and every f64.
    return (left.is(ValueKind::Int) ? (long double)left.asInt()
                                    : (long double)left.asFloat()) ==
           (right.is(ValueKind::Int) ? (long double)right.asInt()
                                     : (long double)right.asFloat());
  if (left.kind() != right.kind() || left.isTensor() ||
      left.is(ValueKind::Initialiser)) {
    error = "cannot compare " + left.describe() + " with " + right.describe();
    return false;
  }
  switch (left.kind()) {
  case ValueKind::Bool:
    return left.asBool() == right.asBool();
  case ValueKind::String:
    return left.asString() == right.asString();
  case ValueKind::ElemType:
    return left.asElemType() == right.asElemType();
  default:
    break;
  }
  const ListData *a = left.listData(), *b = right.listData();
  if (a->items.size() != b->items.size())
    return false;
  // What is shared is walked once a use.
  if (std::min(a->values, b->values) > kMaxCompared) {
    error = "lists of more than 1000000 values in all cannot be compared";
    return false;
  }
  for (auto [x, y] : llvm::zip(a->items, b->items))
    if (!equal(x, y, error))
      return false;
  return true;
}

} // namespace

Outcome checkedFloat(double value) {
  if (std::isnan(value))
    return Outcome::fail("the result is not a number");
  if (std::isinf(value))
    return Outcome::fail(kNumberTooLarge);
  return Outcome::ok(Value::of(value));
}

Outcome computeNegation(const Value &operand) {
  if (operand.is(ValueKind::Float))
    return Outcome::ok(Value::of(-operand.asFloat()));
  if (!operand.is(ValueKind::Int))
    return Outcome::fail("expected a number, got " + operand.describe());
  return computeInts(Tok::Minus, 0, operand.asInt());
}

Outcome computeBinary(Tok op, const Value &left, const Value &right) {
  if (op == Tok::Eq || op == Tok::Ne) {
    std::string error;
    bool same = equal(left, right, error);
    return error.empty() ? Outcome::ok(Value::of(same == (op == Tok::Eq)))
                         : Outcome::fail(error);
  }
  if (left.is(ValueKind::Int) && right.is(ValueKind::Int))
    return computeInts(op, left.asInt(), right.asInt());
  if (left.isNumber() && right.isNumber()) {
    if (isComparison(op)) {
      auto exact = [](const Value &v) {
        return v.is(ValueKind::Int) ? (long double)v.asInt()
                                    : (long double)v.asFloat();
      };
      return Outcome::ok(Value::of(compare(op, exact(left), exact(right))));
    }
    return computeFloats(op, left.asFloat(), right.asFloat());
  }
  if (op == Tok::Plus && left.is(ValueKind::String) &&
      right.is(ValueKind::String)) {
    Outcome outcome = Outcome::ok(Value::of(llvm::StringRef()));
    outcome.text = (left.asString() + right.asString()).str();
    return outcome;
  }
  if (op == Tok::Plus && left.is(ValueKind::List) &&
      right.is(ValueKind::List)) {
    Outcome outcome =
        Outcome::ok(Value::of(static_cast<const ListData *>(nullptr)));
    outcome.joined.append(left.asList().begin(), left.asList().end());
    outcome.joined.append(right.asList().begin(), right.asList().end());
    return outcome;
  }
  return Outcome::fail(opText(op) + " does not take " + left.describe() +
                       " and " + right.describe());
}

std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  bool empty = llvm::is_contained(shape, 0);
  for (int64_t extent : shape) {
    if (extent > kMaxElements)
      return std::nullopt;
    if (!empty && __builtin_mul_overflow(count, extent, &count))
      return std::nullopt;
  }
  if (empty)
    return 0;
  return count <= kMaxElements ? std::optional<int64_t>(count) : std::nullopt;
}

} // namespace ampc::model
