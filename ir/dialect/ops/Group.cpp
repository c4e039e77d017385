// Fusion groups: verification.
#include "ir/dialect/Dialect.h"

using namespace mlir;
using namespace ampc::amp;

/// group_c1: `inside` (values of the body) have the types of `outside` (values
/// of the group).
static LogicalResult verifySameTypes(GroupOp group, ValueRange outside,
                                     ValueRange inside, StringRef what) {
  if (outside.size() != inside.size())
    return group.emitOpError() << "has " << outside.size() << " " << what
                               << "s but its body " << inside.size();
  for (auto [i, pair] : llvm::enumerate(llvm::zip(outside, inside)))
    if (std::get<0>(pair).getType() != std::get<1>(pair).getType())
      return group.emitOpError()
             << what << " " << i << " is " << std::get<0>(pair).getType()
             << " outside and " << std::get<1>(pair).getType() << " inside";
  return success();
}

/// Reports an op that the group cannot hold.
static LogicalResult refuse(GroupOp group, Operation *op, const Twine &what) {
  InFlightDiagnostic diagnostic = group.emitOpError() << what;
  diagnostic.attachNote(op->getLoc()) << "found '" << op->getName() << "' here";
  return diagnostic;
}

/// group_c6: what `op` reads elsewhere is an operand of the group.
static LogicalResult verifyReads(GroupOp group, Operation *op) {
  for (OpOperand &use : op->getOpOperands())
    if (cast<Fusible>(op).readsElsewhere(use.getOperandNumber()) &&
        !isa<BlockArgument>(use.get()))
      return refuse(group, op,
                    "must take operand " + Twine(use.getOperandNumber()) +
                        " of this op from outside");
  return success();
}

/// group_c7: the body is one scatter, yielded.
static LogicalResult verifyScatter(GroupOp group) {
  Block &block = group.getBody().front();
  Operation &first = block.front();
  auto fusible = dyn_cast<Fusible>(first);
  if (!fusible || fusible.fusionKind() != FusionKind::scatter ||
      first.getNextNode() != block.getTerminator())
    return refuse(group, &first, "of kind scatter must hold one scatter");
  if (block.getTerminator()->getOperands() != first.getResults())
    return group.emitOpError() << "of kind scatter must yield its op's result";
  ArrayRef<int64_t> updates = tensorType(first.getOperand(1)).getShape();
  if (updates != group.getSpace())
    return first.emitOpError()
           << "must have updates of the group's space [" << group.getSpace()
           << "], got [" << updates << "]";
  return success();
}

/// group_c8: the body is one product and elementwise ops.
static LogicalResult verifyContraction(GroupOp group) {
  MatmulOp product;
  for (Operation &op : group.getBody().front().without_terminator()) {
    auto fusible = dyn_cast<Fusible>(op);
    auto matmul = dyn_cast<MatmulOp>(op);
    if (matmul && product)
      return refuse(group, &op, "of kind contraction must hold one product");
    if (matmul && matmul.hasEpilogue())
      return refuse(group, &op, "must hold the epilogue as ops of its own");
    if (matmul) {
      product = matmul;
      continue;
    }
    if (!fusible || isa<Decomposable>(op) ||
        (fusible.fusionKind() != FusionKind::map &&
         fusible.fusionKind() != FusionKind::view))
      return refuse(group, &op, "of kind contraction cannot hold this op");
  }
  if (!product)
    return group.emitOpError() << "of kind contraction holds no product";
  ArrayRef<int64_t> shape = tensorType(product.getResult()).getShape();
  ArrayRef<int64_t> space = group.getSpace();
  if (space.empty() || shape.back() != space.back() ||
      elementCount(shape) != elementCount(space))
    return product.emitOpError() << "must have the elements and the last "
                                    "extent of the group's space ["
                                 << space << "], got [" << shape << "]";
  return success();
}

LogicalResult GroupOp::verifyRegions() {
  Block &block = getBody().front();
  auto yield = cast<YieldOp>(block.getTerminator());
  if (failed(verifySameTypes(*this, getInputs(), block.getArguments(),
                             "operand")) ||
      failed(verifySameTypes(*this, getOutputs(), yield.getValues(), "result")))
    return failure();
  FusionKind wanted = getKind() == GroupKind::row ? FusionKind::row_reduce
                                                  : FusionKind::column_reduce;
  if (getKind() == GroupKind::scatter)
    return failed(verifyScatter(*this)) ? failure()
                                        : verifyReads(*this, &block.front());
  bool isContraction = getKind() == GroupKind::contraction;
  if (isContraction && failed(verifyContraction(*this)))
    return failure();
  ReduceOp first;
  for (Operation &op : block.without_terminator()) {
    // group_c2
    auto fusible = dyn_cast<Fusible>(op);
    if (!fusible || isa<Decomposable>(op))
      return refuse(*this, &op, "body must hold fusible primitives");
    FusionKind kind = fusible.fusionKind();
    if (failed(verifyReads(*this, &op)))
      return failure();
    if (kind == FusionKind::map || kind == FusionKind::view ||
        kind == FusionKind::gather || isContraction)
      continue;
    // group_c3
    auto reduce = dyn_cast<ReduceOp>(op);
    bool fits = reduce && getKind() != GroupKind::map && kind == wanted;
    if (fits && first && reduce.getAxes() != first.getAxes())
      fits = false;
    if (!fits)
      return refuse(*this, &op,
                    "of kind " + stringifyGroupKind(getKind()) +
                        " cannot hold this op");
    if (tensorType(reduce.getInput()).getShape() != getSpace())
      return reduce.emitOpError()
             << "must reduce the group's space [" << getSpace() << "], got ["
             << tensorType(reduce.getInput()).getShape() << "]";
    first = first ? first : reduce;
  }
  // group_c5
  if (first)
    for (size_t i = 1; i < first.getAxes().size(); ++i)
      if (first.getAxes()[i] != first.getAxes()[i - 1] + 1)
        return first.emitOpError()
               << "in a group must reduce one run of axes, got ["
               << first.getAxes() << "]";
  // group_c4
  int64_t whole = elementCount(getSpace());
  int64_t left =
      first ? elementCount(withoutAxes(getSpace(), first.getAxes())) : whole;
  for (auto [i, value] : llvm::enumerate(yield.getValues())) {
    int64_t count = tensorType(value).getNumElements();
    if (count != whole && count != left)
      return emitOpError() << "result " << i << " must have " << whole
                           << " elements (the space)"
                           << (first ? " or " + std::to_string(left) +
                                           " (after the reduction)"
                                     : "")
                           << ", got " << count;
  }
  if (getKind() != GroupKind::map && !isContraction && !first)
    return emitOpError() << "of kind " << stringifyGroupKind(getKind())
                         << " holds no reduction";
  return success();
}

#define GET_OP_CLASSES
#include "ir/dialect/ops/Group.cpp.inc"
