// Attention, and its gradients, head by head: the scores never stand in memory
// all at once.
#include "passes/fusion/GeneratedProducts.h"
#include "passes/fusion/Passes.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_SPLITHEADS
#include "passes/fusion/Passes.h.inc"

namespace {

/// What a slice holds of `value`, [batches, heads, ...]: a key head, the query
/// heads that read it, or the one of all heads.
RankedTensorType sliceType(Value value, int64_t keyHeads) {
  RankedTensorType type = tensorType(value);
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = 1;
  shape[1] = std::max<int64_t>(shape[1] / keyHeads, 1);
  return RankedTensorType::get(shape, type.getElementType());
}

/// Builds the loop of one op.
template <typename OpT>
class HeadSplitter {
public:
  explicit HeadSplitter(OpT op)
      : op(op), extents(op.extents()), builder(op), body(new Block) {}

  /// Replaces the op.
  void run() {
    int64_t b = extents.b, kv = extents.kv;
    OpBuilder inner(op->getContext());
    inner.setInsertionPointToEnd(body);
    for (OpOperand &operand : op->getOpOperands())
      addOperand(operand);
    auto slice = cast<OpT>(inner.cloneWithoutRegions(*op));
    // By number: one value may be several operands.
    slice->setOperands(body->getArguments());
    SmallVector<Type> types;
    SmallVector<Value> wanted, yielded;
    for (auto [whole, part] :
         llvm::zip_equal(op->getResults(), slice->getResults())) {
      part.setType(sliceType(whole, kv));
      if (whole.use_empty())
        continue;
      types.push_back(whole.getType());
      wanted.push_back(whole);
      yielded.push_back(part);
    }
    YieldOp::create(inner, op.getLoc(), yielded);
    auto loop = ForeachOp::create(builder, op.getLoc(), types,
                                  builder.getI64IntegerAttr(b * kv), inputs,
                                  builder.getDenseI64ArrayAttr(divisors));
    loop.getBody().push_back(body);
    if (Attribute checkpoint = op->getAttr(kCheckpointAttr))
      loop->setAttr(kCheckpointAttr, checkpoint);
    for (auto [whole, result] : llvm::zip_equal(wanted, loop.getOutputs()))
      whole.replaceAllUsesWith(result);
    op.erase();
  }

private:
  void addOperand(OpOperand &operand) {
    Value value = operand.get();
    RankedTensorType type = tensorType(value);
    int64_t divisor = 1;
    if (type.getRank() > 0) { // else a word of the key, which all slices read
      // A mask of all heads has a slice a batch.
      bool isMask = op.getMask() && &operand == &*op.getMaskMutable().begin();
      if (isMask && type.getDimSize(1) == 1)
        divisor = extents.kv;
      type = sliceType(value, extents.kv);
    }
    inputs.push_back(value);
    divisors.push_back(divisor);
    body->addArgument(type, value.getLoc());
  }

  OpT op;
  AttentionExtents extents;
  OpBuilder builder;
  Block *body;
  SmallVector<Value> inputs;
  SmallVector<int64_t> divisors;
};

/// Whether the gradient of a mask is wanted: a sum over heads.
bool wantsMaskGradient(AttentionGradientOp op) {
  return op.getGradients().size() > 3 && !op.getGradients()[3].use_empty();
}
bool wantsMaskGradient(AttentionOp op) {
  return llvm::any_of(op.getLogsumexp().getUsers(), [](Operation *user) {
    auto gradient = dyn_cast<AttentionGradientOp>(user);
    return gradient && wantsMaskGradient(gradient);
  });
}

/// Why `op` stays whole; empty: it does not. An attention and its gradient have
/// one answer: where both are whole they share their scores.
template <typename OpT>
std::string reasonAgainst(OpT op, int64_t leastHeads) {
  auto [b, h, kv, n, m, d, e] = op.extents();
  if (b * kv < leastHeads)
    return std::to_string(b * kv) + " key heads of all batches, fewer than " +
           std::to_string(leastHeads);
  if (op.drawsIn(op.getMode()))
    return "the numbers of dropout count over all heads";
  if (wantsMaskGradient(op))
    return "the gradient of the mask is a sum over heads";
  return {};
}

class SplitHeadsPass : public impl::SplitHeadsBase<SplitHeadsPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    auto module = func->getParentOfType<ModuleOp>();
    if (!runsLoops(module->getAttrOfType<TargetAttr>(kTargetAttr)))
      return;
    SmallVector<Operation *> found;
    func.walk([&](Operation *op) {
      if (isa<AttentionOp, AttentionGradientOp>(op))
        found.push_back(op);
    });
    // From the end: a forward op still sees its gradient.
    for (Operation *op : llvm::reverse(found)) {
      if (auto forward = dyn_cast<AttentionOp>(op))
        split(func.getName(), forward);
      else
        split(func.getName(), cast<AttentionGradientOp>(op));
    }
  }

  template <typename OpT>
  void split(StringRef entry, OpT op) {
    auto [b, h, kv, n, m, d, e] = op.extents();
    if (n == 0 || m == 0 || b * h == 0)
      return; // nothing is computed
    auto options =
        remark::RemarkOpts::name("heads").category("fusion").function(entry);
    if (std::string reason = reasonAgainst(op, leastHeads); !reason.empty()) {
      remark::missed(op.getLoc(), options)
          << remark::add("attention is computed for all heads at once")
          << remark::reason("{0}", reason);
      return;
    }
    int64_t bytes =
        b * h * n * m * (op.accumulationType().getIntOrFloatBitWidth() / 8);
    remark::passed(op.getLoc(), options)
        << remark::add("attention is computed head by head: {0} bytes of "
                       "scores are not stored",
                       bytes);
    HeadSplitter<OpT>(op).run();
  }
};

} // namespace
} // namespace ampc
