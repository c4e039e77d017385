// Tensors of the reference evaluator: construction and exchange with attributes
// and bytes.
#include "ir/reference/Tensor.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

using namespace mlir;

namespace ampc::reference {

/// Bytes of one stored element: whole bytes, i1 one.
static size_t bytesOf(Type element) {
  return (element.getIntOrFloatBitWidth() + 7) / 8;
}

Tensor::Tensor(RankedTensorType type) : tensorType(type) {
  size_t count = static_cast<size_t>(type.getNumElements());
  if (isFloat())
    floatValues.resize(count);
  else
    integerValues.resize(count);
}

Tensor Tensor::ofFloats(RankedTensorType type, std::vector<double> values) {
  Tensor tensor;
  tensor.tensorType = type;
  Rounder round(type.getElementType());
  for (double &value : values)
    value = round(value);
  tensor.floatValues = std::move(values);
  return tensor;
}

Tensor Tensor::ofIntegers(RankedTensorType type, std::vector<int64_t> values) {
  Tensor tensor;
  tensor.tensorType = type;
  for (int64_t &value : values)
    value = wrapTo(value, type.getElementType());
  tensor.integerValues = std::move(values);
  return tensor;
}

FailureOr<Tensor> Tensor::ofElements(ElementsAttr elements) {
  auto type = dyn_cast<RankedTensorType>(elements.getType());
  if (!type)
    return failure();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return failure();
    return ofBytes(type, blob->getData());
  }
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (!dense)
    return failure();
  Tensor tensor(type);
  if (!tensor.isFloat()) {
    for (auto [to, from] :
         llvm::zip_equal(tensor.integerValues, dense.getValues<APInt>()))
      to = wrapTo(from.getSExtValue(), type.getElementType());
    return tensor;
  }
  if (dense.isSplat()) {
    double value =
        decode(dense.getSplatValue<APFloat>().bitcastToAPInt().getZExtValue(),
               type.getElementType());
    llvm::fill(tensor.floatValues, value);
    return tensor;
  }
  if (type.getElementType().isF32()) {
    for (auto [to, from] :
         llvm::zip_equal(tensor.floatValues, dense.getValues<float>()))
      to = from;
    return tensor;
  }
  for (auto [to, from] :
       llvm::zip_equal(tensor.floatValues, dense.getValues<APFloat>()))
    to = decode(from.bitcastToAPInt().getZExtValue(), type.getElementType());
  return tensor;
}

FailureOr<Tensor> Tensor::ofBytes(RankedTensorType type, ArrayRef<char> bytes) {
  Type element = type.getElementType();
  size_t width = bytesOf(element);
  if (bytes.size() != width * static_cast<size_t>(type.getNumElements()))
    return failure();
  Tensor tensor(type);
  for (int64_t i = 0, count = tensor.size(); i < count; ++i) {
    uint64_t bits = 0;
    for (size_t byte = 0; byte < width; ++byte)
      bits |=
          static_cast<uint64_t>(static_cast<uint8_t>(bytes[i * width + byte]))
          << (8 * byte);
    if (tensor.isFloat())
      tensor.floatValues[i] = decode(bits, element);
    else
      tensor.integerValues[i] = wrapTo(static_cast<int64_t>(bits), element);
  }
  return tensor;
}

std::vector<char> Tensor::toBytes() const {
  size_t width = bytesOf(elementType());
  std::vector<char> bytes(width * static_cast<size_t>(size()));
  for (int64_t i = 0, count = size(); i < count; ++i) {
    uint64_t bits = isFloat() ? encode(floatValues[i], elementType())
                              : static_cast<uint64_t>(integerValues[i]);
    for (size_t byte = 0; byte < width; ++byte)
      bytes[i * width + byte] = static_cast<char>(bits >> (8 * byte));
  }
  return bytes;
}

Tensor Tensor::reshaped(RankedTensorType type) const {
  Tensor tensor = *this;
  tensor.tensorType = type;
  return tensor;
}

DenseElementsAttr Tensor::toElements() const {
  Type element = elementType();
  if (!isFloat()) {
    SmallVector<APInt> values;
    for (int64_t value : integerValues)
      values.push_back(APInt(element.getIntOrFloatBitWidth(),
                             static_cast<uint64_t>(value),
                             /*isSigned=*/true, /*implicitTrunc=*/true));
    return DenseElementsAttr::get(tensorType, values);
  }
  SmallVector<APFloat> values;
  const llvm::fltSemantics &semantics =
      cast<FloatType>(element).getFloatSemantics();
  for (double value : floatValues)
    values.push_back(APFloat(semantics, APInt(element.getIntOrFloatBitWidth(),
                                              encode(value, element))));
  return DenseElementsAttr::get(tensorType, values);
}

} // namespace ampc::reference
