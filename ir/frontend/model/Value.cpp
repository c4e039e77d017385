// Values and their descriptions.
#include "ir/frontend/model/Value.h"

#include "mlir/IR/BuiltinTypes.h"

namespace ampc::model {

Value Value::of(bool v) {
  Value value(ValueKind::Bool);
  value.boolean = v;
  return value;
}

Value Value::of(int64_t v, llvm::StringRef dim) {
  Value value(ValueKind::Int);
  value.integer = v;
  value.text = dim;
  return value;
}

Value Value::of(double v) {
  Value value(ValueKind::Float);
  value.number = v;
  return value;
}

Value Value::of(llvm::StringRef v) {
  Value value(ValueKind::String);
  value.text = v;
  return value;
}

Value Value::of(ElemType v) {
  Value value(ValueKind::ElemType);
  value.element = v;
  return value;
}

Value Value::of(const ListData *v) {
  Value value(ValueKind::List);
  value.list = v;
  return value;
}

Value Value::of(const InitialiserData *v) {
  Value value(ValueKind::Initialiser);
  value.initialiser = v;
  return value;
}

Value Value::of(const TensorData *v) {
  Value value(ValueKind::Tensor);
  value.tensor = v;
  return value;
}

bool Value::holdsTensor() const {
  return isTensor() || (is(ValueKind::List) && list->holdsTensor);
}

bool Value::holdsPoison() const {
  return isPoison() || (is(ValueKind::List) && list->holdsPoison);
}

std::string Value::describe() const {
  switch (valueKind) {
  case ValueKind::Poison:
    return "nothing";
  case ValueKind::None:
    return "none";
  case ValueKind::Bool:
    return "bool";
  case ValueKind::Int:
    return "int";
  case ValueKind::Float:
    return "float";
  case ValueKind::String:
    return "string";
  case ValueKind::ElemType:
    return "element type";
  case ValueKind::List:
    return "list";
  case ValueKind::Initialiser:
    return "initialiser";
  case ValueKind::Tensor:
    return "tensor " + typeText(asTensor());
  }
  return "";
}

std::string typeText(ElemType element, llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<llvm::StringRef> axisNames) {
  std::string text = elemTypeName(element).str() + "[";
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (axis)
      text += ", ";
    if (axis < axisNames.size() && !axisNames[axis].empty())
      text += axisNames[axis].str() + "=";
    text += std::to_string(shape[axis]);
  }
  return text + "]";
}

std::string typeText(const TensorData &tensor) {
  return typeText(tensor.element, shapeOf(tensor));
}

std::string namedTypeText(const TensorData &tensor) {
  return typeText(tensor.element, shapeOf(tensor), tensor.axisNames);
}

llvm::ArrayRef<int64_t> shapeOf(const TensorData &tensor) {
  return llvm::cast<mlir::RankedTensorType>(tensor.value.getType()).getShape();
}

} // namespace ampc::model
