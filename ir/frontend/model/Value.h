// The values of elaboration: what a name can be bound to and an expression can
// give. Values are small and immutable; lists, tensors and initialisers live in
// the arena of the elaboration.
#pragma once

#include "ir/frontend/model/syntax/AstStmt.h"

#include "mlir/IR/Value.h"

namespace ampc::model {

/// Kinds of values. Poison stands for a value whose error has been reported.
enum class ValueKind : uint8_t {
  Poison,
  None,
  Bool,
  Int,
  Float,
  String,
  ElemType,
  List,
  Initialiser,
  Tensor
};

class Value;

/// The contents of a list. `depth` is 1 more than that of its deepest item.
/// Lists share what they hold, so that a walk over all of it may take
/// exponential time: `values` says how many it would visit (saturated).
struct ListData {
  llvm::ArrayRef<Value> items;
  unsigned depth = 1;
  bool holdsTensor = false, holdsPoison = false;
  uint64_t values = 1;
};

/// A value of the graph. `axisNames` has the dim behind each extent ("" for
/// none), or is empty.
struct TensorData {
  mlir::Value value;
  ElemType element;
  Loc origin; // where it was made
  llvm::ArrayRef<llvm::StringRef> axisNames;
};

/// How a parameter starts: `a`, `b` are [low, high] (Uniform) or [mean,
/// standard deviation]; TruncNormal stays within [low, high].
/// The others have a deviation that is `gain` over a mean of the parameter's
/// fans.
struct InitialiserData {
  enum Kind : uint8_t {
    Uniform,
    Normal,
    TruncNormal,
    XavierUniform,
    XavierNormal,
    KaimingUniform,
    KaimingNormal
  } kind;
  double a = 0, b = 0, low = 0, high = 0;
  double gain = 1;
  bool fanOut = false;
};

/// One value.
class Value {
public:
  Value() = default;
  static Value poison() { return {}; }
  static Value none() { return Value(ValueKind::None); }
  static Value of(bool v);
  /// `dim` is the name of the dim the number came from, if any.
  static Value of(int64_t v, llvm::StringRef dim = {});
  static Value of(double v);
  /// The text must outlive the elaboration (arena or source).
  static Value of(llvm::StringRef v);
  static Value of(ElemType v);
  static Value of(const ListData *v);
  static Value of(const InitialiserData *v);
  static Value of(const TensorData *v);

  ValueKind kind() const { return valueKind; }
  bool is(ValueKind k) const { return valueKind == k; }
  bool isPoison() const { return is(ValueKind::Poison); }
  bool isNone() const { return is(ValueKind::None); }
  bool isTensor() const { return is(ValueKind::Tensor); }
  bool isNumber() const { return is(ValueKind::Int) || is(ValueKind::Float); }
  /// True for a tensor, and for a list that holds one.
  bool holdsTensor() const;
  /// True for poison, and for a list that holds some.
  bool holdsPoison() const;

  bool asBool() const { return boolean; }
  int64_t asInt() const { return integer; }
  /// An int or a float.
  double asFloat() const {
    return is(ValueKind::Int) ? double(integer) : number;
  }
  llvm::StringRef asString() const { return text; }
  ElemType asElemType() const { return element; }
  llvm::ArrayRef<Value> asList() const { return list->items; }
  const ListData *listData() const { return list; }
  const TensorData &asTensor() const { return *tensor; }
  const InitialiserData &asInitialiser() const { return *initialiser; }
  /// Name of the dim an int came from, or "".
  llvm::StringRef dimName() const {
    return is(ValueKind::Int) ? text : llvm::StringRef();
  }

  /// As errors name it: `int`, `list`, `tensor f32[4]`.
  std::string describe() const;

private:
  explicit Value(ValueKind kind) : valueKind(kind) {}

  ValueKind valueKind = ValueKind::Poison;
  union {
    bool boolean;
    int64_t integer = 0;
    double number;
    ElemType element;
    const ListData *list;
    const InitialiserData *initialiser;
    const TensorData *tensor;
  };
  llvm::StringRef text; // String: its contents; Int: the dim's name
};

/// `f32[4, 2]`, with names `f32[batch=4, 2]`.
std::string typeText(ElemType element, llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<llvm::StringRef> axisNames = {});
/// The type of a tensor: `f32[4, 2]`.
std::string typeText(const TensorData &tensor);
/// The same with its dims named: `f32[batch=4, 2]`.
std::string namedTypeText(const TensorData &tensor);
/// Extents of a tensor.
llvm::ArrayRef<int64_t> shapeOf(const TensorData &tensor);

/// The type that two tensors promote to, as in PyTorch: bool < i8 < i32 < i64 <
/// f8 < f16, bf16 < f32 < f64; two different types of one rank give f32.
ElemType promote(ElemType a, ElemType b);

/// True for the float types.
inline bool isFloat(ElemType type) { return type <= ElemType::F8E5M2; }
/// True for i8, i32, i64.
inline bool isInteger(ElemType type) {
  return type >= ElemType::I64 && type <= ElemType::I8;
}
/// True if an integer type can hold the number.
inline bool fitsInteger(int64_t value, ElemType type) {
  unsigned bits = type == ElemType::I8 ? 8 : type == ElemType::I32 ? 32 : 64;
  return bits == 64 || (value >= -(int64_t(1) << (bits - 1)) &&
                        value < int64_t(1) << (bits - 1));
}

} // namespace ampc::model
