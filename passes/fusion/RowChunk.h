// One chunk of the rows of a region: its ops on so many rows, and what they
// give.
#ifndef AMPC_PASSES_FUSION_ROWCHUNK_H
#define AMPC_PASSES_FUSION_ROWCHUNK_H

#include "passes/fusion/RowRegion.h"

namespace ampc {

/// Values from outside as [rows] or [rows, columns], shared by all chunks.
using FlatValues = llvm::DenseMap<mlir::Value, mlir::Value>;

/// Builds rows [start, start + count) of a region.
class RowChunk {
public:
  RowChunk(mlir::OpBuilder &builder, const RowRegion &region, FlatValues &flat,
           int64_t start, int64_t count)
      : builder(builder), region(region), flat(flat), start(start),
        count(count) {}

  /// The rows of a value that the region makes, or of one from outside that its
  /// ops read in form `form`.
  mlir::Value get(mlir::Value value, RowForm form);
  /// Builds `op`, of role keeps.
  void keep(mlir::Operation *op);
  /// The chunk's rows of the product of each row `op`.
  mlir::Value product(amp::MatmulOp op);
  /// The sums of `op` over the chunk's rows, from `init` where there is one, in
  /// the accumulation type.
  mlir::Value sums(amp::MatmulOp op, mlir::Value init);
  /// The sum of the chunk's rows in the accumulation type.
  mlir::Value columnSums(amp::ReduceOp op);

private:
  mlir::RankedTensorType typeOf(mlir::Value value, RowForm form) const;
  /// Rows of `value`, from outside, along `axis`.
  mlir::Value slice(mlir::Value value, int64_t axis);
  mlir::Value sliceFlat(mlir::Value value, RowForm form);
  mlir::Value makeOutside(mlir::Value value, RowForm form);
  mlir::Value spread(amp::BroadcastOp op);
  mlir::Value elementwise(mlir::Operation *op, RowForm form);

  mlir::OpBuilder &builder;
  const RowRegion &region;
  FlatValues &flat;
  int64_t start, count;
  llvm::DenseMap<mlir::Value, mlir::Value> made;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> sliced;
};

} // namespace ampc

#endif // AMPC_PASSES_FUSION_ROWCHUNK_H
