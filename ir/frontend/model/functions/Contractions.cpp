// matmul, with PyTorch's rules for vectors and batches.
#include "ir/frontend/model/functions/Support.h"

using namespace mlir;

namespace ampc::model {
namespace {

/// The common batch extents of two shapes of at least two axes.
bool batchesOf(Elaborator &e, Call &call, const TensorData &a,
               const TensorData &b, Elaborator::Operands &batches) {
  auto leading = [](const TensorData &x) {
    return shapeOf(x).drop_back(std::min<size_t>(2, shapeOf(x).size()));
  };
  llvm::ArrayRef<int64_t> left = leading(a), right = leading(b);
  size_t rank = std::max(left.size(), right.size());
  batches.shape.assign(rank, 1);
  batches.axisNames.assign(rank, {});
  for (auto [shape, from] : {std::pair(left, &a), std::pair(right, &b)})
    for (auto [i, extent] : llvm::enumerate(shape)) {
      size_t axis = rank - shape.size() + i;
      if (extent == 1)
        continue;
      if (batches.shape[axis] != 1 && batches.shape[axis] != extent) {
        e.error(call.expr->loc, "'matmul': shapes " + namedTypeText(a) +
                                    " and " + namedTypeText(b) +
                                    " do not match in batch axis " +
                                    llvm::Twine(axis) + " (" +
                                    llvm::Twine(batches.shape[axis]) + " and " +
                                    llvm::Twine(extent) + ")")
            .note(b.origin, namedTypeText(b) + " is made here");
        return false;
      }
      batches.shape[axis] = extent;
      batches.axisNames[axis] = axisName(*from, i);
    }
  return true;
}

/// matmul(a, b): a vector on the left is one row, on the right one column; the
/// axis made for it goes again.
Value matmul(Elaborator &e, Call &call) {
  const TensorData *a = nullptr, *b = nullptr;
  if (!e.floatTensorArg(call, 0, a) || !e.floatTensorArg(call, 1, b))
    return Value::poison();
  for (size_t i : {0, 1})
    if (shapeOf(call[i].asTensor()).empty())
      return mustBe(e, call, i, "a tensor of at least one axis"),
             Value::poison();
  Loc loc = call.expr->loc;
  llvm::ArrayRef<int64_t> left = shapeOf(*a), right = shapeOf(*b);
  bool row = left.size() == 1, column = right.size() == 1;
  int64_t m = row ? 1 : left[left.size() - 2], k = left.back();
  int64_t n = column ? 1 : right.back();
  int64_t rows = column ? right[0] : right[right.size() - 2];
  if (k != rows) {
    size_t axis = column ? 0 : right.size() - 2;
    e.error(loc, "'matmul': shapes " + namedTypeText(*a) + " and " +
                     namedTypeText(*b) + " do not match: axis " +
                     llvm::Twine(left.size() - 1) + " of the first has " +
                     llvm::Twine(k) + ", axis " + llvm::Twine(axis) +
                     " of the second " + llvm::Twine(rows))
        .note(b->origin, namedTypeText(*b) + " is made here");
    return Value::poison();
  }
  Elaborator::Operands batches;
  if (!batchesOf(e, call, *a, *b, batches))
    return Value::poison();
  ElemType element = promote(a->element, b->element);
  llvm::SmallVector<int64_t> shape(batches.shape);
  llvm::SmallVector<llvm::StringRef> names(batches.axisNames);
  if (!row) {
    shape.push_back(m);
    names.push_back(axisName(*a, left.size() - 2));
  }
  if (!column) {
    shape.push_back(n);
    names.push_back(axisName(*b, right.size() - 1));
  }
  if (!e.checkShape(shape, element, loc))
    return Value::poison();

  Location at = e.location(call);
  mlir::Value x = e.emitter.cast(at, a->value, element);
  mlir::Value y = e.emitter.cast(at, b->value, element);
  if (right.size() <= 2) {
    // One matrix for all rows of all batches.
    if (left.size() != 2)
      x = e.emitter.reshape(at, x, {*countElements(left.drop_back()), k});
    y = e.emitter.reshape(at, y, {k, n});
  } else {
    auto matrices = [&](mlir::Value value, int64_t rows, int64_t columns,
                        llvm::ArrayRef<int64_t> from) {
      llvm::SmallVector<int64_t> own(
          from.drop_back(std::min<size_t>(2, from.size())));
      own.append({rows, columns});
      llvm::SmallVector<int64_t> all(batches.shape);
      all.append({rows, columns});
      return e.emitter.broadcast(at, e.emitter.reshape(at, value, own), all);
    };
    x = matrices(x, m, k, left);
    y = matrices(y, k, n, right);
  }
  mlir::Value result = amp::MatmulOp::create(e.emitter.builder, at, x, y,
                                             /*transposeA=*/false,
                                             /*transposeB=*/false);
  return e.tensor(e.emitter.reshape(at, result, shape), element, loc, names);
}

} // namespace

llvm::ArrayRef<FunctionLine> contractionFunctions() {
  static constexpr FunctionLine lines[] = {
      {"matmul(a, b)", matmul, FunctionLine::Op},
  };
  return lines;
}

} // namespace ampc::model
