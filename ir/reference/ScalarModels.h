// Models of ops that compute one value an element from a formula: f64 in, f64
// out, one rounding to the result type. For floats up to 32 bits f64 carries
// more than twice the digits, so that the one rounding of the exact sum,
// product, quotient or root equals the op's own.
#ifndef AMPC_IR_REFERENCE_SCALARMODELS_H
#define AMPC_IR_REFERENCE_SCALARMODELS_H

#include "ir/reference/Models.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ampc::reference {

/// The larger number; NaN propagates, +0 wins over -0.
struct Maximum {
  static double of(double a, double b) {
    if (std::isnan(a) || std::isnan(b))
      return std::numeric_limits<double>::quiet_NaN();
    if (a == b) // +0 wins over -0
      return std::signbit(a) ? b : a;
    return a > b ? a : b;
  }
  static int64_t of(int64_t a, int64_t b) { return std::max(a, b); }
};
/// The smaller number; NaN propagates, -0 wins over +0.
struct Minimum {
  static double of(double a, double b) {
    if (std::isnan(a) || std::isnan(b))
      return std::numeric_limits<double>::quiet_NaN();
    if (a == b) // -0 wins over +0
      return std::signbit(a) ? a : b;
    return a < b ? a : b;
  }
  static int64_t of(int64_t a, int64_t b) { return std::min(a, b); }
};

/// A formula of one operand: `of(double)` where the op takes floats,
/// `of(int64_t)` where it takes integers.
template <typename OpT, typename Formula>
struct UnaryModel : Model<UnaryModel<OpT, Formula>, OpT> {
  llvm::LogicalResult evaluate(mlir::Operation *op, Operands in,
                               Results &out) const {
    Tensor result(resultType(op));
    if (result.isFloat()) {
      if constexpr (requires(double x) { Formula::of(x); }) {
        Rounder round(result.elementType());
        for (size_t i = 0; i < result.floats().size(); ++i)
          result.floats()[i] = round(Formula::of(in[0]->floats()[i]));
      }
    } else if constexpr (requires(int64_t x) {
                           { Formula::of(x) } -> std::same_as<int64_t>;
                         }) {
      for (size_t i = 0; i < result.integers().size(); ++i)
        result.integers()[i] =
            wrapTo(Formula::of(in[0]->integers()[i]), result.elementType());
    }
    out.push_back(std::move(result));
    return llvm::success();
  }
};

/// A formula of two operands, for floats, integers or both.
template <typename OpT, typename Formula>
struct BinaryModel : Model<BinaryModel<OpT, Formula>, OpT> {
  llvm::LogicalResult evaluate(mlir::Operation *op, Operands in,
                               Results &out) const {
    const Tensor &a = *in[0], &b = *in[1];
    Tensor result(resultType(op));
    if (result.isFloat()) {
      if constexpr (requires(double x) { Formula::of(x, x); }) {
        Rounder round(result.elementType());
        for (size_t i = 0; i < result.floats().size(); ++i)
          result.floats()[i] = round(Formula::of(a.floats()[i], b.floats()[i]));
      }
    } else if constexpr (requires(int64_t x) {
                           { Formula::of(x, x) } -> std::same_as<int64_t>;
                         }) {
      for (size_t i = 0; i < result.integers().size(); ++i)
        result.integers()[i] =
            wrapTo(Formula::of(a.integers()[i], b.integers()[i]),
                   result.elementType());
    }
    out.push_back(std::move(result));
    return llvm::success();
  }
};

} // namespace ampc::reference

#endif // AMPC_IR_REFERENCE_SCALARMODELS_H
