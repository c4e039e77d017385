// What handlers of several families share.
#include "ir/frontend/model/functions/Support.h"

using namespace mlir;

namespace ampc::model {

llvm::StringRef axisName(const TensorData &tensor, size_t axis) {
  return axis < tensor.axisNames.size() ? tensor.axisNames[axis]
                                        : llvm::StringRef();
}

llvm::SmallVector<llvm::StringRef> axisNames(const TensorData &tensor) {
  llvm::SmallVector<llvm::StringRef> names(tensor.axisNames);
  names.resize(shapeOf(tensor).size());
  return names;
}

bool fits(Elaborator &e, const Value &number, ElemType element) {
  if (number.is(ValueKind::Bool) || element == ElemType::Bool)
    return true;
  if (isFloat(element)) {
    llvm::APFloat rounded(number.asFloat());
    bool lost = false;
    rounded.convert(
        cast<FloatType>(e.emitter.elementType(element)).getFloatSemantics(),
        llvm::APFloat::rmNearestTiesToEven, &lost);
    return rounded.isFinite();
  }
  if (number.is(ValueKind::Float))
    return false;
  return fitsInteger(number.asInt(), element);
}

bool elementArg(Elaborator &e, const Call &call, size_t index,
                ElemType fallback, ElemType &element) {
  element = fallback;
  if (call[index].isNone())
    return true;
  if (!call[index].is(ValueKind::ElemType)) {
    e.error(call.args[index].loc,
            "expected an element type, got " + call[index].describe());
    return false;
  }
  element = call[index].asElemType();
  return true;
}

bool mustBe(Elaborator &e, const Call &call, size_t index,
            const llvm::Twine &what) {
  const Value &got = call[index];
  e.error(call.args[index].loc,
          "'" + call.name() + "': '" + call.function->formals[index].name +
              "' must be " + what + ", got " +
              (got.isTensor() ? typeText(got.asTensor()) : got.describe()));
  return false;
}

bool mustFit(Elaborator &e, const Call &call, size_t index,
             const llvm::Twine &what) {
  const TensorData &tensor = call[index].asTensor();
  std::string shown = namedTypeText(tensor);
  e.error(call.args[index].loc, "'" + call.name() + "': '" +
                                    call.function->formals[index].name +
                                    "' must be " + what + ", got " + shown)
      .note(tensor.origin, shown + " is made here");
  return false;
}

bool mustHaveShape(Elaborator &e, const Call &call, size_t index,
                   llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<llvm::StringRef> names,
                   const llvm::Twine &what) {
  const TensorData &tensor = call[index].asTensor();
  if (shapeOf(tensor) == shape)
    return true;
  return mustFit(e, call, index,
                 typeText(tensor.element, shape, names) + ", " + what);
}

bool indexArg(Elaborator &e, const Call &call, size_t index, Location loc,
              const TensorData *&tensor, mlir::Value &value) {
  if (!call[index].isTensor() || !isInteger(call[index].asTensor().element))
    return mustBe(e, call, index, "an integer tensor");
  tensor = &call[index].asTensor();
  value = tensor->element == ElemType::I8
              ? e.emitter.cast(loc, tensor->value, ElemType::I64)
              : tensor->value;
  return true;
}

bool axisArg(Elaborator &e, const Call &call, size_t index,
             const TensorData &tensor, int64_t &axis) {
  return e.intArg(call, index, axis) &&
         e.axisInRange(call, index, axis, tensor, axis);
}

bool intsArg(Elaborator &e, const Call &call, size_t index,
             llvm::SmallVectorImpl<int64_t> &ints) {
  const Value &value = call[index];
  llvm::ArrayRef<Value> items =
      value.is(ValueKind::List) ? value.asList() : llvm::ArrayRef(value);
  for (const Value &item : items) {
    if (item.is(ValueKind::Int)) {
      ints.push_back(item.asInt());
      continue;
    }
    if (!item.isPoison())
      e.error(call.args[index].loc,
              "expected a compile-time int, got " + item.describe());
    return false;
  }
  return true;
}

bool tensorListArg(Elaborator &e, const Call &call, size_t index,
                   llvm::SmallVectorImpl<const TensorData *> &tensors) {
  const Value &value = call[index];
  if (!value.is(ValueKind::List))
    return mustBe(e, call, index, "a list of tensors");
  for (const Value &item : value.asList()) {
    if (item.isPoison())
      return false;
    if (!item.isTensor()) {
      e.error(call.args[index].loc, "'" + call.name() + "': '" +
                                        call.function->formals[index].name +
                                        "' must be a list of tensors, got " +
                                        item.describe() + " in it");
      return false;
    }
    tensors.push_back(&item.asTensor());
  }
  if (!tensors.empty())
    return true;
  e.error(call.args[index].loc, "'" + call.name() + "': '" +
                                    call.function->formals[index].name +
                                    "' must hold at least one tensor");
  return false;
}

bool reductionArg(Elaborator &e, const Call &call, size_t index,
                  amp::LossReduction &reduction) {
  llvm::StringRef word;
  if (!e.stringArg(call, index, word))
    return false;
  if (std::optional<amp::LossReduction> known =
          amp::symbolizeLossReduction(word)) {
    reduction = *known;
    return true;
  }
  e.error(call.args[index].loc,
          "'" + call.name() +
              "': 'reduction' must be \"mean\", \"sum\" or \"none\", got \"" +
              word + "\"");
  return false;
}

mlir::Value permuted(Elaborator &e, Location loc, mlir::Value value,
                     llvm::ArrayRef<int64_t> order) {
  if (llvm::is_sorted(order))
    return value;
  return amp::TransposeOp::create(e.emitter.builder, loc, value, order);
}

llvm::SmallVector<int64_t> axisLast(int64_t rank, int64_t axis) {
  llvm::SmallVector<int64_t> order;
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis)
      order.push_back(i);
  order.push_back(axis);
  return order;
}

llvm::SmallVector<int64_t> inverseOrder(llvm::ArrayRef<int64_t> order) {
  llvm::SmallVector<int64_t> inverse(order.size());
  for (auto [i, axis] : llvm::enumerate(order))
    inverse[axis] = int64_t(i);
  return inverse;
}

} // namespace ampc::model
