// f32 loops in the orders of N10; see FloatExecution.h.
#include "test/numerics/decompositions/FloatExecution.h"

#include "ir/dialect/Dialect.h"
#include "ir/reference/Indexing.h"
#include "ir/reference/Reference.h"
#include "test/numerics/Orders.h"

using namespace mlir;

namespace ampc::test {

using reference::Tensor;

namespace {

Tensor sumInFloats(amp::ReduceOp op, const Tensor &input) {
  Tensor result(cast<RankedTensorType>(op.getType()));
  SmallVector<int64_t> kept = reference::rowMajorStrides(result.shape()),
                       strides;
  int64_t next = 0;
  for (int64_t axis = 0; axis < input.type().getRank(); ++axis)
    strides.push_back(llvm::is_contained(op.getAxes(), axis) ? 0
                                                             : kept[next++]);
  std::vector<std::vector<float>> terms(static_cast<size_t>(result.size()));
  reference::walkStrided(input.shape(), strides, [&](int64_t from, int64_t to) {
    terms[to].push_back(static_cast<float>(input.floats()[from]));
  });
  for (size_t i = 0; i < terms.size(); ++i) {
    float sum = op.getOrder() == amp::AccumulationOrder::row
                    ? rowSum(terms[i])
                    : columnSum(terms[i]);
    if (op.getKind() == amp::ReduceKind::mean)
      sum /= static_cast<float>(terms[i].size());
    result.floats()[i] = sum;
  }
  return result;
}

/// `init` may be null.
Tensor productInFloats(amp::MatmulOp op, const Tensor &lhs, const Tensor &rhs,
                       const Tensor *init) {
  Tensor result(cast<RankedTensorType>(op.getType()));
  auto [batch, m, n, k] = op.extents();
  for (int64_t i = 0; i < batch * m * n; ++i) {
    int64_t matrix = i / (m * n), row = i / n % m, column = i % n;
    std::vector<float> a, b;
    for (int64_t p = 0; p < k; ++p) {
      int64_t inA = op.getTransposeA() ? p * m + row : row * k + p;
      int64_t inB = op.getTransposeB() ? column * k + p : p * n + column;
      a.push_back(static_cast<float>(lhs.floats()[matrix * m * k + inA]));
      b.push_back(static_cast<float>(rhs.floats()[matrix * k * n + inB]));
    }
    result.floats()[i] = blockedDot<float, true>(
        a, b, init ? static_cast<float>(init->floats()[i]) : 0);
  }
  return result;
}

} // namespace

FailureOr<SmallVector<Tensor>> runInFloats(func::FuncOp function,
                                           ArrayRef<Tensor> arguments,
                                           reference::Variables &variables) {
  Block &block = function.getBody().front();
  llvm::DenseMap<Value, Tensor> values;
  for (auto [argument, tensor] :
       llvm::zip_equal(block.getArguments(), arguments))
    values[argument] = tensor;
  for (Operation &op : block) {
    SmallVector<const Tensor *> operands;
    for (Value operand : op.getOperands())
      operands.push_back(&values[operand]);
    if (isa<func::ReturnOp>(op)) {
      SmallVector<Tensor> results;
      for (const Tensor *operand : operands)
        results.push_back(*operand);
      return results;
    }
    if (auto read = dyn_cast<amp::ReadOp>(op)) {
      values[read.getResult()] = *variables.find(read.getVariable());
      continue;
    }
    if (auto write = dyn_cast<amp::WriteOp>(op)) {
      if (failed(variables.set(write.getVariable(), *operands[0])))
        return failure();
      continue;
    }
    auto reduce = dyn_cast<amp::ReduceOp>(op);
    bool sums = reduce && (reduce.getKind() == amp::ReduceKind::sum ||
                           reduce.getKind() == amp::ReduceKind::mean);
    if (sums) {
      values[op.getResult(0)] = sumInFloats(reduce, *operands[0]);
      continue;
    }
    if (auto matmul = dyn_cast<amp::MatmulOp>(op)) {
      values[op.getResult(0)] =
          productInFloats(matmul, *operands[0], *operands[1],
                          matmul.getInit() ? operands[2] : nullptr);
      continue;
    }
    FailureOr<SmallVector<Tensor>> results =
        reference::evaluateOp(&op, operands);
    if (failed(results))
      return failure();
    for (auto [value, tensor] : llvm::zip_equal(op.getResults(), *results))
      values[value] = std::move(tensor);
  }
  return failure();
}

} // namespace ampc::test
