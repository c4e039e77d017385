// The parallel loop of a kernel as a serial loop over a range of tiles
// (Passes.td).
#include "codegen/cpu/Passes.h"
#include "codegen/kernel/IndexMath.h"
#include "codegen/kernel/Kernels.h"
#include "codegen/kernel/Tiling.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace ampc {
#define GEN_PASS_DEF_TILEKERNELS
#include "codegen/cpu/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;

/// Moves the body of `loop` to the builder, its variables being `variables`.
static void inlineBody(OpBuilder &builder, scf::ParallelOp loop,
                       ValueRange variables) {
  IRMapping mapping;
  mapping.map(loop.getInductionVars(), variables);
  for (Operation &op : loop.getBody()->without_terminator())
    builder.clone(op, mapping);
  loop.erase();
}

/// Replaces `loop`, which has a span, by loops over the points [begin, end):
/// over the outer axes, and over spans of the neighbours along the inner one.
static void emitSpanLoops(scf::ParallelOp loop, const Tiling &tiling,
                          Value begin, Value end) {
  OpBuilder builder(loop);
  IndexMath at{builder, loop.getLoc()};
  size_t axes = tiling.extents.size();
  int64_t extent = tiling.extents.back();
  Value firstOuter = at.divide(begin, extent),
        endOuter = at.divide(at.add(end, extent - 1), extent);
  auto outer =
      scf::ForOp::create(builder, at.loc, firstOuter, endOuter, at.constant(1));
  builder.setInsertionPointToStart(outer.getBody());
  Value first = at.times(outer.getInductionVar(), extent);
  Value low = at.larger(at.subtract(begin, first), at.constant(0)),
        high = at.smaller(at.subtract(end, first), at.constant(extent));
  auto inner =
      scf::ForOp::create(builder, at.loc, low, high, at.constant(tiling.span));
  builder.setInsertionPointToStart(inner.getBody());
  SmallVector<Value> variables(axes + 1);
  variables[axes - 1] = inner.getInductionVar();
  variables[axes] = at.smaller(at.constant(tiling.span),
                               at.subtract(high, inner.getInductionVar()));
  Value rest = outer.getInductionVar();
  for (size_t axis = axes - 1; axis-- > 0;) {
    int64_t count = tiling.extents[axis];
    variables[axis] = axis == 0 ? rest : at.remainder(rest, count);
    if (axis > 0)
      rest = at.divide(rest, count);
  }
  inlineBody(builder, loop, variables);
}

/// Replaces `loop` by loops over the points of tiles [begin, end).
static void emitTileLoops(scf::ParallelOp loop, const Tiling &tiling,
                          Value begin, Value end) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value zero = index(0), one = index(1);
  auto tileLoop = scf::ForOp::create(builder, loc, begin, end, one);
  builder.setInsertionPointToStart(tileLoop.getBody());

  SmallVector<Value> variables(tiling.extents.size());
  Value rest = tileLoop.getInductionVar();
  Value blockNumber = rest;
  if (tiling.axis > 0) {
    blockNumber =
        arith::RemUIOp::create(builder, loc, rest, index(tiling.blocks));
    rest = arith::DivUIOp::create(builder, loc, rest, index(tiling.blocks));
    for (size_t axis = tiling.axis; axis-- > 0;) {
      variables[axis] =
          axis == 0 ? rest
                    : arith::RemUIOp::create(builder, loc, rest,
                                             index(tiling.extents[axis]));
      if (axis > 0)
        rest = arith::DivUIOp::create(builder, loc, rest,
                                      index(tiling.extents[axis]));
    }
  }
  int64_t extent = tiling.extents[tiling.axis];
  Value from = zero, to = index(extent);
  if (tiling.blocks > 1) {
    from = arith::MulIOp::create(builder, loc, blockNumber, index(tiling.block),
                                 arith::IntegerOverflowFlags::nsw);
    Value bound = arith::AddIOp::create(builder, loc, from, index(tiling.block),
                                        arith::IntegerOverflowFlags::nsw);
    to = arith::MinSIOp::create(builder, loc, bound, to);
  }
  for (size_t axis = tiling.axis; axis < tiling.extents.size(); ++axis) {
    bool isBlock = axis == tiling.axis;
    Value low = isBlock ? from : zero;
    Value high = isBlock ? to : index(tiling.extents[axis]);
    auto inner = scf::ForOp::create(builder, loc, low, high, one);
    builder.setInsertionPointToStart(inner.getBody());
    variables[axis] = inner.getInductionVar();
  }
  inlineBody(builder, loop, variables);
}

/// The body of one tile runs many times: its scratch memory is taken once a
/// call.
static void hoistScratch(func::FuncOp func) {
  Block &entry = func.getBody().front();
  func.walk([&](memref::AllocaOp alloca) {
    if (alloca->getBlock() != &entry && alloca.getType().hasStaticShape())
      alloca->moveBefore(&entry, entry.begin());
  });
}

/// An i1 is stored as a byte.
static int64_t bytesOf(MemRefType type) {
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

static LogicalResult tileKernel(func::FuncOp func) {
  FailureOr<scf::ParallelOp> loop = parallelLoopOf(func);
  if (failed(loop))
    return failure();
  FailureOr<Tiling> tiling = tilingOf(*loop);
  if (failed(tiling))
    return failure();
  unsigned pointers = func.getNumArguments();
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes()))
    if (auto memory = dyn_cast<MemRefType>(type);
        !memory || !memory.hasStaticShape())
      return func.emitOpError()
             << "argument " << i << " must be memory of static shape, got "
             << type;
  auto index = IndexType::get(func.getContext());
  for (unsigned i = 0; i < 2; ++i)
    if (failed(func.insertArgument(pointers + i, index, {}, func.getLoc())))
      return func.emitOpError() << "cannot take the range of tiles";
  bool hasSpan = (*loop)->hasAttr(kSpanAttr);
  (hasSpan ? emitSpanLoops : emitTileLoops)(*loop, *tiling,
                                            func.getArgument(pointers),
                                            func.getArgument(pointers + 1));
  hoistScratch(func);
  auto unit = UnitAttr::get(func.getContext());
  func->setAttr("llvm.bareptr", unit);
  for (unsigned i = 0; i < pointers; ++i) {
    func.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), unit);
    auto type = cast<MemRefType>(func.getArgument(i).getType());
    if (int64_t bytes = bytesOf(type))
      func.setArgAttr(
          i, LLVM::LLVMDialect::getDereferenceableAttrName(),
          IntegerAttr::get(IntegerType::get(func.getContext(), 64), bytes));
  }
  return success();
}

namespace {

class TileKernelsPass : public ampc::impl::TileKernelsBase<TileKernelsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (failed(tileKernel(func)))
        return signalPassFailure();
  }
};

} // namespace
