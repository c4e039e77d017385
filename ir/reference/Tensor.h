// A tensor of the reference evaluator: type and values, floats as f64, integers
// as i64 (so that i64 stays exact). Every float held is a number of the element
// type; whoever stores one rounds it.
#ifndef AMPC_IR_REFERENCE_TENSOR_H
#define AMPC_IR_REFERENCE_TENSOR_H

#include "ir/reference/Rounding.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <vector>

namespace ampc::reference {

class Tensor {
public:
  Tensor() = default;
  /// Zeros of `type`, whose shape is static and whose element type the language
  /// knows.
  explicit Tensor(mlir::RankedTensorType type);

  /// `values` in row-major order, one an element, each rounded to the (float)
  /// element type.
  static Tensor ofFloats(mlir::RankedTensorType type,
                         std::vector<double> values);
  /// `values` in row-major order, one an element, each wrapped to the (integer)
  /// element type.
  static Tensor ofIntegers(mlir::RankedTensorType type,
                           std::vector<int64_t> values);
  /// The tensor of a constant; fails for an elements attribute that lists no
  /// values.
  static mlir::FailureOr<Tensor> ofElements(mlir::ElementsAttr elements);
  /// The tensor stored little-endian in `bytes` (i1 one byte an element, as in
  /// npy files); fails when the number of bytes does not fit `type`.
  static mlir::FailureOr<Tensor> ofBytes(mlir::RankedTensorType type,
                                         llvm::ArrayRef<char> bytes);

  mlir::RankedTensorType type() const { return tensorType; }
  mlir::Type elementType() const { return tensorType.getElementType(); }
  llvm::ArrayRef<int64_t> shape() const { return tensorType.getShape(); }
  int64_t size() const { return tensorType.getNumElements(); }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(elementType()); }

  /// The values of a float tensor; empty for an integer tensor.
  std::vector<double> &floats() { return floatValues; }
  const std::vector<double> &floats() const { return floatValues; }
  /// The values of an integer tensor; empty for a float tensor.
  std::vector<int64_t> &integers() { return integerValues; }
  const std::vector<int64_t> &integers() const { return integerValues; }
  /// Element i as a number, whatever the element type (i64 beyond 2^53 is
  /// rounded).
  double number(int64_t i) const {
    return isFloat() ? floatValues[i] : static_cast<double>(integerValues[i]);
  }

  /// Sets element `to` to element `from` of a tensor of the same element type.
  void take(int64_t to, const Tensor &other, int64_t from) {
    if (isFloat())
      floatValues[to] = other.floatValues[from];
    else
      integerValues[to] = other.integerValues[from];
  }

  /// The same values under another shape of as many elements.
  Tensor reshaped(mlir::RankedTensorType type) const;
  /// The values little-endian, as `ofBytes` reads them.
  std::vector<char> toBytes() const;
  /// The values as a constant's attribute.
  mlir::DenseElementsAttr toElements() const;

private:
  mlir::RankedTensorType tensorType;
  std::vector<double> floatValues;
  std::vector<int64_t> integerValues;
};

} // namespace ampc::reference

#endif // AMPC_IR_REFERENCE_TENSOR_H
