// Hands what follows a product of the target's library to the library: a bias,
// relu. Only where that saves a kernel and changes no bit.
#include "passes/fusion/FreeOps.h"
#include "passes/fusion/GeneratedProducts.h"
#include "passes/fusion/LoopNest.h"
#include "passes/fusion/Passes.h"
#include "passes/memory/LiveRanges.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_FORMEPILOGUES
#include "passes/fusion/Passes.h.inc"

namespace {

/// Whether something reads `value` in memory: an op that no kernel holds
/// beside what makes the value, the end of the entry.
bool isStored(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isView(user))
      return isStored(user->getResult(0));
    return isa<WriteOp>(user) || user->hasTrait<OpTrait::IsTerminator>() ||
           isReadElsewhere(use);
  });
}

/// Whether every element of `value` is +0.
bool isZero(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getInput();
  DenseFPElementsAttr all;
  if (!matchPattern(value, m_Constant(&all)) || !all.isSplat())
    return false;
  return all.getSplatValue<APFloat>().isPosZero();
}

/// A product and what follows it, as far as the library may do it.
struct Epilogue {
  MatmulOp product;
  Value bias;
  bool relu = false;
  Value last; ///< what the library gives instead of the product
  SmallVector<Operation *> ops; ///< from the product's first reader to `last`
  /// Why there is none though a bias or relu follows; empty: nothing follows.
  StringRef refusal;

  explicit Epilogue(MatmulOp product) : product(product) {
    Value value = viewsOf(product.getResult());
    if (auto add = onlyUser<AddOp>(value))
      takeBias(add, value);
    else if (auto maximum = onlyUser<MaximumOp>(value))
      takeRelu(maximum, value);
    if (!last || !refusal.empty())
      return;
    if (product.getInit() || product.extents().batch != 1)
      refusal = "the library does so for one whole product alone";
    else if (llvm::any_of(ops, [&](Operation *op) {
               return !isView(op) &&
                      op->getAttr(kCheckpointAttr) !=
                          this->product->getAttr(kCheckpointAttr);
             }))
      refusal = "one stands in a checkpoint block that the other is not in";
    else if (!isStored(last))
      refusal = "the kernel of what reads it has it at hand";
  }

private:
  /// The last of the views of `value` that keep its columns and that nothing
  /// else reads beside.
  Value viewsOf(Value value) {
    while (auto view = onlyUser<ReshapeOp>(value)) {
      ArrayRef<int64_t> shape = tensorType(view.getResult()).getShape();
      if (shape.empty() || shape.back() != product.extents().n)
        break;
      ops.push_back(view);
      value = view.getResult();
    }
    return value;
  }

  template <class Op>
  static Op onlyUser(Value value) {
    return value.hasOneUse() ? dyn_cast<Op>(*value.user_begin()) : Op();
  }

  static Value otherOperand(Operation *op, Value value) {
    return op->getOperand(op->getOperand(0) == value ? 1 : 0);
  }

  void takeBias(AddOp add, Value value) {
    auto spread = otherOperand(add, value).getDefiningOp<BroadcastOp>();
    if (!spread)
      return;
    RankedTensorType type = tensorType(add.getResult());
    Value row = spread.getInput();
    if (spread.getAxes() != ArrayRef<int64_t>{type.getRank() - 1} ||
        tensorType(row).getShape() != ArrayRef<int64_t>{product.extents().n})
      return;
    last = add.getResult();
    ops.push_back(add);
    if (!viewedValue(row).getDefiningOp<ReadOp>())
      refusal = "what it adds is no parameter";
    else if (type.getElementType() != product.getAccumulation() ||
             type.getElementType().isF64())
      refusal = "the library adds a bias of the result's type, f32 alone";
    bias = row;
    if (auto maximum = onlyUser<MaximumOp>(last))
      takeRelu(maximum, last);
  }

  void takeRelu(MaximumOp maximum, Value value) {
    if (!isZero(otherOperand(maximum, value)))
      return;
    if (tensorType(value).getElementType().isF64())
      refusal = "the library has no epilogue in f64";
    relu = true;
    last = maximum.getResult();
    ops.push_back(maximum);
  }
};

class FormEpiloguesPass : public impl::FormEpiloguesBase<FormEpiloguesPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    auto target = func->getParentOfType<ModuleOp>()->getAttrOfType<TargetAttr>(
        kTargetAttr);
    if (!func.getBody().hasOneBlock() || !hasLibraryEpilogues(target))
      return;
    SmallVector<MatmulOp> products(func.front().getOps<MatmulOp>());
    for (MatmulOp product : products) {
      if (isGenerated(product, target) || product.hasEpilogue())
        continue;
      Epilogue epilogue(product);
      if (!epilogue.last)
        continue;
      report(func.getName(), epilogue);
      if (epilogue.refusal.empty())
        form(epilogue);
    }
  }

  static void form(const Epilogue &epilogue) {
    MatmulOp product = epilogue.product;
    Operation *end = epilogue.last.getDefiningOp();
    OpBuilder builder(end);
    SmallVector<Location> locs{product.getLoc()};
    for (Operation *op : epilogue.ops)
      if (!isView(op))
        locs.push_back(op->getLoc());
    auto made = MatmulOp::create(
        builder, FusedLoc::get(builder.getContext(), locs), product.getType(),
        product.getLhs(), product.getRhs(), Value(), epilogue.bias,
        product.getTransposeA(), product.getTransposeB(), epilogue.relu,
        product.getAccumulation());
    made->setDiscardableAttrs(product->getDiscardableAttrDictionary());
    Value result = made;
    if (result.getType() != epilogue.last.getType())
      result = ReshapeOp::create(builder, end->getLoc(),
                                 epilogue.last.getType(), result);
    Value last = epilogue.last;
    last.replaceAllUsesWith(result);
    for (Operation *op : llvm::reverse(epilogue.ops))
      op->erase();
    product->erase();
  }

  static void report(StringRef entry, const Epilogue &epilogue) {
    auto options =
        remark::RemarkOpts::name("epilogue").category("fusion").function(entry);
    StringRef what = epilogue.bias && epilogue.relu ? "a bias and relu"
                     : epilogue.bias                ? "a bias"
                                                    : "relu";
    MatmulOp product = epilogue.product;
    Location loc = product.getLoc();
    if (epilogue.refusal.empty())
      remark::passed(loc, options)
          << remark::add("the library's product does {0} itself", what)
          << remark::metric("bytes_saved",
                            2 * storageBytes(tensorType(product.getResult())));
    else
      remark::missed(loc, options)
          << remark::add("the library's product does not do {0} itself", what)
          << remark::reason("{0}", epilogue.refusal);
  }
};

} // namespace
} // namespace ampc
