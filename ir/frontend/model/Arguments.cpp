// What handlers ask of their arguments. Each reports a wrong one at its place.
#include "ir/frontend/model/Elaborator.h"

using namespace mlir;

namespace ampc::model {
namespace {

std::string mustBe(const Call &call, size_t index, llvm::StringRef what,
                   const Value &got) {
  std::string shown =
      got.isTensor() ? typeText(got.asTensor()) : got.describe();
  return ("'" + call.name() + "': '" + call.function->formals[index].name +
          "' must be " + what + ", got " + shown)
      .str();
}

} // namespace

bool Elaborator::intArg(const Call &call, size_t index, int64_t &result) {
  const Value &value = call[index];
  if (!value.is(ValueKind::Int)) {
    error(call.args[index].loc,
          "expected a compile-time int, got " + value.describe());
    return false;
  }
  result = value.asInt();
  return true;
}

bool Elaborator::floatArg(const Call &call, size_t index, double &result) {
  const Value &value = call[index];
  if (!value.isNumber()) {
    error(call.args[index].loc,
          "expected a compile-time number, got " + value.describe());
    return false;
  }
  result = value.asFloat();
  return true;
}

bool Elaborator::boolArg(const Call &call, size_t index, bool &result) {
  return conditionOf(call[index], call.args[index].loc, result);
}

bool Elaborator::stringArg(const Call &call, size_t index,
                           llvm::StringRef &result) {
  const Value &value = call[index];
  if (!value.is(ValueKind::String)) {
    error(call.args[index].loc,
          "expected a compile-time string, got " + value.describe());
    return false;
  }
  result = value.asString();
  return true;
}

bool Elaborator::tensorArg(const Call &call, size_t index,
                           const TensorData *&result) {
  const Value &value = call[index];
  if (!value.isTensor()) {
    error(call.args[index].loc, mustBe(call, index, "a tensor", value));
    return false;
  }
  result = &value.asTensor();
  return true;
}

bool Elaborator::floatTensorArg(const Call &call, size_t index,
                                const TensorData *&result) {
  const Value &value = call[index];
  if (!value.isTensor() || !isFloat(value.asTensor().element)) {
    error(call.args[index].loc, mustBe(call, index, "a float tensor", value));
    return false;
  }
  result = &value.asTensor();
  return true;
}

bool Elaborator::shapeArg(const Call &call, size_t index, bool allowInferred,
                          llvm::SmallVectorImpl<int64_t> &shape,
                          llvm::SmallVectorImpl<llvm::StringRef> &axisNames) {
  const Value &value = call[index];
  Loc loc = call.args[index].loc;
  llvm::ArrayRef<Value> items =
      value.is(ValueKind::List) ? value.asList() : llvm::ArrayRef(value);
  bool inferred = false;
  for (const Value &item : items) {
    if (item.isPoison())
      return false;
    if (!item.is(ValueKind::Int)) {
      error(loc, "expected a compile-time int, got " + item.describe());
      return false;
    }
    int64_t extent = item.asInt();
    if (extent < 0 && (!allowInferred || extent != -1 || inferred)) {
      error(loc, allowInferred && extent == -1
                     ? "'" + call.name() + "': only one extent can be -1"
                     : "'" + call.name() +
                           "': an extent must be at least 0, got " +
                           llvm::Twine(extent));
      return false;
    }
    inferred |= extent == -1;
    shape.push_back(extent);
    axisNames.push_back(item.dimName());
  }
  return true;
}

bool Elaborator::axisInRange(const Call &call, size_t index, int64_t axis,
                             const TensorData &tensor, int64_t &result) {
  int64_t rank = shapeOf(tensor).size();
  result = axis < 0 ? axis + rank : axis;
  if (result >= 0 && result < rank)
    return true;
  error(call.args[index].loc, "'" + call.name() + "': axis " +
                                  llvm::Twine(axis) + " is outside " +
                                  typeText(tensor));
  return false;
}

bool Elaborator::axesArg(const Call &call, size_t index,
                         const TensorData &tensor,
                         llvm::SmallVectorImpl<int64_t> &axes) {
  const Value &value = call[index];
  if (value.isNone()) {
    for (size_t axis = 0; axis < shapeOf(tensor).size(); ++axis)
      axes.push_back(axis);
    return true;
  }
  llvm::ArrayRef<Value> items =
      value.is(ValueKind::List) ? value.asList() : llvm::ArrayRef(value);
  for (const Value &item : items) {
    int64_t axis = 0;
    if (item.isPoison())
      return false;
    if (!item.is(ValueKind::Int)) {
      error(call.args[index].loc,
            "expected a compile-time int, got " + item.describe());
      return false;
    }
    if (!axisInRange(call, index, item.asInt(), tensor, axis))
      return false;
    axes.push_back(axis);
  }
  llvm::sort(axes);
  auto repeat = std::adjacent_find(axes.begin(), axes.end());
  if (repeat == axes.end())
    return true;
  error(call.args[index].loc, "'" + call.name() + "': axis " +
                                  llvm::Twine(*repeat) + " is given twice");
  return false;
}

} // namespace ampc::model
