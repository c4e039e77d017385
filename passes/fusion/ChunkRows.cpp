// Computes wide products and what is made of them a chunk of rows at a time.
#include "passes/fusion/Passes.h"
#include "passes/fusion/RowChunk.h"

#include "ir/dialect/Locations.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_CHUNKROWS
#include "passes/fusion/Passes.h.inc"

namespace {

/// Rows that a sum along the rows takes together (N10): chunks hold a power of
/// two of such blocks, so that their sums, joined pairwise, are the sum of the
/// whole.
constexpr int64_t kBlockRows = 32;

int64_t wideBytes(MatmulOp product) {
  return storageBytes(tensorType(product.getResult()));
}

/// The sum of chunks' sums, joined as the column order joins blocks: like a
/// binary counter, neighbours of one size.
class PairwiseSum {
public:
  void add(OpBuilder &builder, Location loc, Value value) {
    unsigned level = 0;
    while (!open.empty() && open.back().second == level) {
      value = AddOp::create(builder, loc, open.pop_back_val().first, value);
      ++level;
    }
    open.push_back({value, level});
  }
  Value finish(OpBuilder &builder, Location loc) {
    Value sum = open.pop_back_val().first;
    while (!open.empty())
      sum = AddOp::create(builder, loc, open.pop_back_val().first, sum);
    return sum;
  }

private:
  SmallVector<std::pair<Value, unsigned>> open; ///< and log2 of their chunks
};

/// Rewrites one region.
class RegionCutter {
public:
  RegionCutter(const RowRegion &region, int64_t chunkRows)
      : region(region), chunkRows(chunkRows), last(region.ops().back()),
        builder(last) {}

  void run() {
    for (int64_t start = 0; start < region.rows(); start += chunkRows)
      addChunk(start, std::min(chunkRows, region.rows() - start));
    for (Operation *op : region.ops())
      finish(op);
    for (Operation *op : region.followers())
      op->moveBefore(last);
  }

private:
  /// Whether something outside reads the value, one element a row, of `op`.
  bool leaves(Operation *op) const {
    return region.form(op->getResult(0)) == RowForm::row &&
           llvm::any_of(op->getUsers(), [&](Operation *user) {
             return !region.contains(user);
           });
  }

  void addChunk(int64_t start, int64_t count) {
    RowChunk chunk(builder, region, flat, start, count);
    for (Operation *op : region.ops())
      switch (region.role(op)) {
      case RowRole::keeps:
        chunk.keep(op);
        if (leaves(op))
          parts[op].push_back(chunk.get(op->getResult(0), RowForm::row));
        break;
      case RowRole::product:
        parts[op].push_back(chunk.product(cast<MatmulOp>(op)));
        break;
      case RowRole::sums:
        sums[op] = chunk.sums(cast<MatmulOp>(op), sums.lookup(op));
        break;
      case RowRole::columnSums:
        columnSums[op].add(builder, op->getLoc(),
                           chunk.columnSums(cast<ReduceOp>(op)));
        break;
      case RowRole::other:
        llvm_unreachable("no op of a region");
      }
  }

  /// Puts what all chunks give in the place of `op`'s result.
  void finish(Operation *op) {
    Location loc = op->getLoc();
    RankedTensorType type = tensorType(op->getResult(0));
    Value whole;
    if (Value sum = sums.lookup(op)) {
      whole = castTo(builder, loc, sum, type.getElementType());
    } else if (auto found = columnSums.find(op); found != columnSums.end()) {
      whole = castTo(builder, loc, found->second.finish(builder, loc),
                     type.getElementType());
    } else if (auto found = parts.find(op); found != parts.end()) {
      whole = ConcatOp::create(builder, loc, found->second, 0);
      if (whole.getType() != type)
        whole = ReshapeOp::create(builder, loc, type, whole);
    } else {
      return;
    }
    op->getResult(0).replaceUsesWithIf(whole, [&](OpOperand &use) {
      return !region.contains(use.getOwner());
    });
  }

  const RowRegion &region;
  int64_t chunkRows;
  Operation *last; ///< everything new stands before it
  OpBuilder builder;
  FlatValues flat;
  llvm::DenseMap<Operation *, SmallVector<Value>> parts;
  llvm::DenseMap<Operation *, Value> sums;
  llvm::DenseMap<Operation *, PairwiseSum> columnSums;
};

class ChunkRowsPass : public impl::ChunkRowsBase<ChunkRowsPass> {
  using Base::Base;

  void runOnOperation() override {
    if (limitBytes <= 0)
      return;
    func::FuncOp func = getOperation();
    if (!func.getBody().hasOneBlock())
      return;
    llvm::DenseSet<Operation *> seen;
    while (MatmulOp product = nextWide(func.front(), seen)) {
      seen.insert(product);
      RowRegion::Blocked blocked;
      std::optional<RowRegion> region = RowRegion::find(product, blocked);
      if (region)
        cut(func, *region);
      else if (!blocked.reason.empty())
        reportWhole(func, product, blocked);
    }
  }

  MatmulOp nextWide(Block &block, const llvm::DenseSet<Operation *> &seen) {
    for (auto product : block.getOps<MatmulOp>())
      if (tensorType(product.getResult()).getRank() == 2 &&
          wideBytes(product) > limitBytes && !seen.contains(product))
        return product;
    return {};
  }

  /// The most rows whose bytes are within the limit: a block at least.
  int64_t chunkRowsOf(const RowRegion &region) const {
    int64_t rowBytes = wideBytes(region.product()) / region.rows();
    int64_t rows = kBlockRows;
    while (2 * rows * rowBytes <= limitBytes)
      rows *= 2;
    return rows;
  }

  void cut(func::FuncOp func, const RowRegion &region) {
    int64_t rows = chunkRowsOf(region);
    if (rows >= region.rows())
      return; // one block of rows is above the limit
    MatmulOp product = region.product();
    int64_t bytes = wideBytes(product);
    remark::passed(product.getLoc(), options(func)) << remark::add(
        "{0} bytes of {1} rows are computed {2} rows at a time, "
        "{3} chunks",
        bytes, region.rows(), rows, llvm::divideCeil(region.rows(), rows));
    note(func, product, region.rows(), rows, bytes);
    RegionCutter(region, rows).run();
    // What the region was, and what it alone read.
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(func.front())))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  static remark::RemarkOpts options(func::FuncOp func) {
    return remark::RemarkOpts::name("chunk").category("memory").function(
        func.getName());
  }

  static void reportWhole(func::FuncOp func, MatmulOp product,
                          const RowRegion::Blocked &blocked) {
    remark::missed(product.getLoc(), options(func))
        << remark::add("{0} bytes of {1} rows are computed at once",
                       wideBytes(product), product.extents().m)
        << remark::reason("{0}: {1}", blocked.op->getName().stripDialect(),
                          blocked.reason);
  }

  static void note(func::FuncOp func, MatmulOp product, int64_t rows,
                   int64_t chunk, int64_t bytes) {
    Builder builder(func.getContext());
    SmallVector<Attribute> all;
    if (auto before = func->getAttrOfType<ArrayAttr>(kChunksAttr))
      all.assign(before.begin(), before.end());
    auto number = [&](StringRef name, int64_t value) {
      return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
    };
    all.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr(
             "path", builder.getStringAttr(namePathOf(product.getLoc()))),
         number("rows", rows), number("chunk", chunk),
         number("bytes", bytes)}));
    func->setAttr(kChunksAttr, builder.getArrayAttr(all));
  }
};

} // namespace
} // namespace ampc
