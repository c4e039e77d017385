// The value of amp.reduce: elements in ascending order into one f64 (integers:
// wrapping i64) accumulator a result, one rounding at the end. `order` fixes
// rounding in the accumulation type only (N10), which f64 does not have, so it
// plays no part here.
#include "ir/reference/Indexing.h"
#include "ir/reference/Models.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace ampc::reference {

namespace {

template <typename T>
T startOf(amp::ReduceKind kind) {
  using Limits = std::numeric_limits<T>;
  switch (kind) {
  case amp::ReduceKind::sum:
  case amp::ReduceKind::mean:
    return 0;
  case amp::ReduceKind::prod:
    return 1;
  case amp::ReduceKind::max:
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  case amp::ReduceKind::min:
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  case amp::ReduceKind::first:
    break;
  }
  llvm_unreachable("a first element starts from itself");
}

double join(amp::ReduceKind kind, double a, double x) {
  switch (kind) {
  case amp::ReduceKind::sum:
  case amp::ReduceKind::mean:
    return a + x;
  case amp::ReduceKind::first:
    return a;
  case amp::ReduceKind::prod:
    return a * x;
  case amp::ReduceKind::max:
  case amp::ReduceKind::min: {
    if (std::isnan(a) || std::isnan(x))
      return std::numeric_limits<double>::quiet_NaN();
    bool largest = kind == amp::ReduceKind::max;
    if (a == x) // max of zeros is +0 if one is, min is -0 if one is (N4)
      return std::signbit(a) == largest ? x : a;
    return (a > x) == largest ? a : x;
  }
  }
  llvm_unreachable("covered switch");
}

int64_t join(amp::ReduceKind kind, int64_t a, int64_t x) {
  uint64_t left = static_cast<uint64_t>(a), right = static_cast<uint64_t>(x);
  switch (kind) {
  case amp::ReduceKind::sum:
  case amp::ReduceKind::mean:
    return static_cast<int64_t>(left + right);
  case amp::ReduceKind::first:
    return a;
  case amp::ReduceKind::prod:
    return static_cast<int64_t>(left * right);
  case amp::ReduceKind::max:
    return std::max(a, x);
  case amp::ReduceKind::min:
    return std::min(a, x);
  }
  llvm_unreachable("covered switch");
}

/// Strides of the result seen from the input's axes: 0 along the reduced ones.
SmallVector<int64_t> resultStrides(amp::ReduceOp op,
                                   ArrayRef<int64_t> resultShape) {
  SmallVector<int64_t> kept = rowMajorStrides(resultShape), strides;
  int64_t next = 0;
  for (int64_t axis = 0, rank = amp::tensorType(op.getInput()).getRank();
       axis < rank; ++axis)
    strides.push_back(llvm::is_contained(op.getAxes(), axis) ? 0
                                                             : kept[next++]);
  return strides;
}

/// The accumulators of a reduction before its first element or, for `first`,
/// after it.
template <typename T>
void start(amp::ReduceKind kind, ArrayRef<int64_t> shape,
           ArrayRef<int64_t> strides, const std::vector<T> &input,
           std::vector<T> &sums) {
  if (kind != amp::ReduceKind::first) {
    llvm::fill(sums, startOf<T>(kind));
    return;
  }
  std::vector<bool> started(sums.size());
  walkStrided(shape, strides, [&](int64_t from, int64_t to) {
    if (!started[to])
      sums[to] = input[from];
    started[to] = true;
  });
}

struct ReduceModel : Model<ReduceModel, amp::ReduceOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<amp::ReduceOp>(operation);
    amp::ReduceKind kind = op.getKind();
    const Tensor &input = *in[0];
    Tensor result(resultType(op));
    SmallVector<int64_t> strides = resultStrides(op, result.shape());
    if (!input.isFloat()) {
      std::vector<int64_t> &sums = result.integers();
      start(kind, input.shape(), strides, input.integers(), sums);
      walkStrided(input.shape(), strides, [&](int64_t from, int64_t to) {
        sums[to] = join(kind, sums[to], input.integers()[from]);
      });
      for (int64_t &sum : sums)
        sum = wrapTo(sum, result.elementType());
      out.push_back(std::move(result));
      return success();
    }
    std::vector<double> &sums = result.floats();
    start(kind, input.shape(), strides, input.floats(), sums);
    walkStrided(input.shape(), strides, [&](int64_t from, int64_t to) {
      sums[to] = join(kind, sums[to], input.floats()[from]);
    });
    double count = 1;
    for (int64_t axis : op.getAxes())
      count *= static_cast<double>(input.shape()[axis]);
    Rounder round(result.elementType());
    for (double &sum : sums)
      sum =
          round(kind == amp::ReduceKind::mean ? sum / count
                                              : sum); // no elements: 0/0 is NaN
    out.push_back(std::move(result));
    return success();
  }
};

} // namespace

void attachReductionModels(MLIRContext &context) {
  amp::ReduceOp::attachInterface<ReduceModel>(context);
}

} // namespace ampc::reference
