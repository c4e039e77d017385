// Graphs that numeric tests derive from a function @f of a parsed module: its
// reverse-mode gradient, and its decomposition. Both ask the ops' interfaces
// directly, so that a failure names the op and not a pass.
#ifndef AMPC_TEST_NUMERICS_GRAPH_H
#define AMPC_TEST_NUMERICS_GRAPH_H

#include "test/unit/reference/Parse.h"

#include <cstdint>

namespace ampc::test {

/// Adds @gradient to the module: the arguments of @f, then one gradient a
/// result of @f; it returns one gradient for each argument of @f that has one.
/// Gives the numbers of those arguments. Fails when an op refuses.
mlir::FailureOr<llvm::SmallVector<unsigned>> addGradient(Program &program);

/// Adds @decomposed to the module: @f with every composite op replaced by its
/// primitives.
mlir::LogicalResult addDecomposed(Program &program);

/// Replaces the composite ops of `function` by their primitives.
mlir::LogicalResult decomposeAll(mlir::func::FuncOp function);

/// Deterministic numbers for generated cases: the same on every machine.
class Numbers {
public:
  explicit Numbers(uint64_t seed) : state(seed) {}
  /// A 64-bit word (SplitMix64).
  uint64_t word();
  /// A multiple of 2^-24 in [0, 1).
  double unit() { return static_cast<double>(word() >> 40) * 0x1p-24; }
  /// A multiple of 2^-10 in [low, high), the bounds being such multiples.
  double between(double low, double high);
  /// An integer in [low, high].
  int64_t integer(int64_t low, int64_t high);

private:
  uint64_t state;
};

/// Extents of the axes of a tensor.
using Shape = llvm::SmallVector<int64_t>;

/// Extents of the first `count` axes.
inline Shape leading(const Shape &shape, size_t count) {
  return Shape(shape.begin(), shape.begin() + count);
}

/// The type text of a tensor: "tensor<2x3xf64>".
std::string typeText(llvm::ArrayRef<int64_t> shape, llvm::StringRef element);

} // namespace ampc::test

#endif // AMPC_TEST_NUMERICS_GRAPH_H
