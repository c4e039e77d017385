// Compile-time arithmetic: i64, f64, bool, string, element type, none and list
// values. Overflow, division by zero and results that are no numbers are
// errors, never wrapped or infinite values.
#pragma once

#include "ir/frontend/model/Value.h"

namespace ampc::model {

/// A value, or the text of the error (the value is poison then).
struct Outcome {
  Value value;
  std::string error;
  /// Items of a list that was joined; the caller owns lists.
  llvm::SmallVector<Value, 0> joined;
  /// Text of a string that was joined; the caller owns strings.
  std::string text;

  static Outcome fail(const llvm::Twine &text) {
    Outcome outcome;
    outcome.error = text.str();
    return outcome;
  }
  static Outcome ok(Value value) {
    Outcome outcome;
    outcome.value = value;
    return outcome;
  }
};

/// The text for numbers that leave i64 or f64.
inline constexpr llvm::StringLiteral kNumberTooLarge =
    "the number does not fit in 64 bits";

/// Arithmetic and comparison of compile-time values. For joined lists and
/// strings `value` has the kind and `joined` or `text` the contents.
Outcome computeBinary(Tok op, const Value &left, const Value &right);
/// `-x` of a number.
Outcome computeNegation(const Value &operand);
/// A float result, checked to be finite.
Outcome checkedFloat(double value);

/// Extents, elements: product of extents; nullopt if an extent or the product
/// is not below 2^48.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape);
inline constexpr int64_t kMaxElements = (int64_t(1) << 48) - 1;

} // namespace ampc::model
