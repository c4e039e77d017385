// The value of comparisons, truth values and choices.
#include "ir/reference/ScalarModels.h"

using namespace mlir;

namespace ampc::reference {

namespace {

template <typename T>
bool holds(amp::ComparePredicate predicate, T a, T b) {
  switch (predicate) {
  case amp::ComparePredicate::eq:
    return a == b;
  case amp::ComparePredicate::ne:
    return a != b;
  case amp::ComparePredicate::lt:
    return a < b;
  case amp::ComparePredicate::le:
    return a <= b;
  case amp::ComparePredicate::gt:
    return a > b;
  case amp::ComparePredicate::ge:
    return a >= b;
  }
  llvm_unreachable("covered switch");
}

struct CompareModel : Model<CompareModel, amp::CompareOp> {
  LogicalResult evaluate(Operation *op, Operands in, Results &out) const {
    amp::ComparePredicate predicate = cast<amp::CompareOp>(op).getPredicate();
    const Tensor &a = *in[0], &b = *in[1];
    Tensor result(resultType(op));
    for (size_t i = 0; i < result.integers().size(); ++i)
      result.integers()[i] =
          a.isFloat() ? holds(predicate, a.floats()[i], b.floats()[i])
                      : holds(predicate, a.integers()[i], b.integers()[i]);
    out.push_back(std::move(result));
    return success();
  }
};

struct SelectModel : Model<SelectModel, amp::SelectOp> {
  LogicalResult evaluate(Operation *op, Operands in, Results &out) const {
    const std::vector<int64_t> &condition = in[0]->integers();
    Tensor result = *in[2];
    for (size_t i = 0; i < condition.size(); ++i) {
      if (!condition[i])
        continue;
      if (result.isFloat())
        result.floats()[i] = in[1]->floats()[i];
      else
        result.integers()[i] = in[1]->integers()[i];
    }
    out.push_back(std::move(result));
    return success();
  }
};

struct And {
  static int64_t of(int64_t a, int64_t b) { return a & b; }
};
struct Or {
  static int64_t of(int64_t a, int64_t b) { return a | b; }
};
struct Xor {
  static int64_t of(int64_t a, int64_t b) { return a ^ b; }
};
struct Not {
  static int64_t of(int64_t x) { return ~x; }
};

} // namespace

void attachLogicModels(MLIRContext &context) {
  amp::CompareOp::attachInterface<CompareModel>(context);
  amp::SelectOp::attachInterface<SelectModel>(context);
  amp::AndOp::attachInterface<BinaryModel<amp::AndOp, And>>(context);
  amp::OrOp::attachInterface<BinaryModel<amp::OrOp, Or>>(context);
  amp::XorOp::attachInterface<BinaryModel<amp::XorOp, Xor>>(context);
  amp::NotOp::attachInterface<UnaryModel<amp::NotOp, Not>>(context);
}

} // namespace ampc::reference
