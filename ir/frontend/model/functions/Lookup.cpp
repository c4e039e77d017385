// Functions that pick by tensors of indices: gather, index_select, one_hot.
#include "ir/frontend/model/functions/Support.h"

using namespace mlir;

namespace ampc::model {
namespace {

/// gather(x, axis, index): result[.., i, ..] = x[.., index[.., i, ..], ..]. The
/// index may be smaller than x in the other axes, as in PyTorch.
Value gather(Elaborator &e, Call &call) {
  const TensorData *x = nullptr, *index = nullptr;
  int64_t axis = 0;
  Location loc = e.location(call);
  mlir::Value indices;
  if (!e.tensorArg(call, 0, x) || !axisArg(e, call, 1, *x, axis) ||
      !indexArg(e, call, 2, loc, index, indices))
    return Value::poison();
  llvm::ArrayRef<int64_t> from = shapeOf(*x), shape = shapeOf(*index);
  bool fits = from.size() == shape.size();
  for (size_t i = 0; fits && i < shape.size(); ++i)
    fits = int64_t(i) == axis || shape[i] <= from[i];
  if (!fits)
    return mustFit(e, call, 2,
                   "of as many axes as " + namedTypeText(*x) +
                       ", none longer but axis " + llvm::Twine(axis)),
           Value::poison();
  llvm::SmallVector<int64_t> cut(shape);
  cut[axis] = from[axis];
  mlir::Value source = x->value;
  if (llvm::ArrayRef<int64_t>(cut) != from)
    source =
        amp::SliceOp::create(e.emitter.builder, loc, source,
                             llvm::SmallVector<int64_t>(cut.size(), 0), cut,
                             llvm::SmallVector<int64_t>(cut.size(), 1));
  return e.tensor(
      amp::GatherOp::create(e.emitter.builder, loc, source, indices, axis),
      x->element, call.expr->loc, index->axisNames);
}

/// index_select(x, axis, index): index's axes stand where `axis` was.
Value indexSelect(Elaborator &e, Call &call) {
  const TensorData *x = nullptr, *index = nullptr;
  int64_t axis = 0;
  Location loc = e.location(call);
  mlir::Value indices;
  if (!e.tensorArg(call, 0, x) || !axisArg(e, call, 1, *x, axis) ||
      !indexArg(e, call, 2, loc, index, indices))
    return Value::poison();
  llvm::SmallVector<int64_t> shape(shapeOf(*x));
  llvm::SmallVector<llvm::StringRef> names = axisNames(*x),
                                     inner = axisNames(*index);
  shape.erase(shape.begin() + axis);
  names.erase(names.begin() + axis);
  shape.insert(shape.begin() + axis, shapeOf(*index).begin(),
               shapeOf(*index).end());
  names.insert(names.begin() + axis, inner.begin(), inner.end());
  if (!e.checkShape(shape, x->element, call.expr->loc))
    return Value::poison();
  return e.tensor(
      amp::TakeOp::create(e.emitter.builder, loc, x->value, indices, axis),
      x->element, call.expr->loc, names);
}

/// one_hot(x, num_classes, dtype = i64).
Value oneHot(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  int64_t classes = 0;
  ElemType element;
  Location loc = e.location(call);
  mlir::Value indices;
  if (!indexArg(e, call, 0, loc, x, indices) || !e.intArg(call, 1, classes) ||
      !elementArg(e, call, 2, ElemType::I64, element))
    return Value::poison();
  if (classes < 1)
    return e.fail(call.args[1].loc,
                  "'one_hot': 'num_classes' must be at least 1, got " +
                      llvm::Twine(classes));
  llvm::SmallVector<int64_t> shape(shapeOf(*x));
  llvm::SmallVector<llvm::StringRef> names = axisNames(*x);
  shape.push_back(classes);
  names.push_back(call[1].dimName());
  if (!e.checkShape(shape, element, call.expr->loc))
    return Value::poison();
  return e.tensor(amp::OneHotOp::create(e.emitter.builder, loc,
                                        e.emitter.tensorType(element, shape),
                                        indices),
                  element, call.expr->loc, names);
}

} // namespace

llvm::ArrayRef<FunctionLine> lookupFunctions() {
  static constexpr FunctionLine lines[] = {
      {"gather(x, axis, index)", gather, FunctionLine::Op},
      {"index_select(x, axis, index)", indexSelect, FunctionLine::Op},
      {"one_hot(x, num_classes, dtype = i64)", oneHot, FunctionLine::Op},
  };
  return lines;
}

} // namespace ampc::model
