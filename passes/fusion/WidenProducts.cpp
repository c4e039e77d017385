// Computes products in f32 where the target's library has none of their format.
#include "passes/fusion/GeneratedProducts.h"
#include "passes/fusion/Passes.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_WIDENPRODUCTS
#include "passes/fusion/Passes.h.inc"

namespace {

class WidenProductsPass : public impl::WidenProductsBase<WidenProductsPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    auto target = func->getParentOfType<ModuleOp>()->getAttrOfType<TargetAttr>(
        kTargetAttr);
    if (!func.getBody().hasOneBlock() || !target)
      return;
    SmallVector<MatmulOp> products(func.front().getOps<MatmulOp>());
    for (MatmulOp product : products) {
      Type element = tensorType(product.getLhs()).getElementType();
      if (isGenerated(product, target) ||
          element.getIntOrFloatBitWidth() >= 32 || target.isFast(element))
        continue;
      widen(product);
      remark::passed(product.getLoc(), remark::RemarkOpts::name("widen")
                                           .category("precision")
                                           .function(func.getName()))
          << remark::add("{0} operands are multiplied as {1}: {2} has no "
                         "products of {0}",
                         element, product.getAccumulation(), target.getLevel());
    }
    wide.clear();
  }

  void widen(MatmulOp product) {
    OpBuilder builder(product);
    Type sums = product.getAccumulation(),
         given = tensorType(product.getResult()).getElementType();
    for (OpOperand &operand : product->getOpOperands().take_front(2))
      operand.set(widened(operand.get(), sums));
    if (given == sums)
      return;
    Value result = product.getResult();
    result.setType(withElementType(tensorType(result), sums));
    builder.setInsertionPointAfter(product);
    Value narrow = castTo(builder, product.getLoc(), result, given);
    result.replaceAllUsesExcept(narrow, narrow.getDefiningOp());
  }

  /// `value` in `sums`, once for all products that read it.
  Value widened(Value value, Type sums) {
    Value &made = wide[value];
    if (!made) {
      OpBuilder builder(value.getContext());
      builder.setInsertionPointAfterValue(value);
      made = castTo(builder, value.getLoc(), value, sums);
    }
    return made;
  }

  llvm::DenseMap<Value, Value> wide;
};

} // namespace
} // namespace ampc
