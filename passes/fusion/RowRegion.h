// A wide product and what is made of it row by row: what ChunkRows computes a
// chunk of rows at a time.
#ifndef AMPC_PASSES_FUSION_ROWREGION_H
#define AMPC_PASSES_FUSION_ROWREGION_H

#include "ir/dialect/Dialect.h"

namespace ampc {

/// How a value of a region lies.
enum class RowForm : uint8_t {
  wide, ///< [.., columns]: all elements of each row
  row,  ///< [..]: one element a row
};

/// What an op does with the rows.
enum class RowRole : uint8_t {
  keeps,      ///< its result has rows again
  product,    ///< a product of each row: its result has rows of another length
  sums,       ///< a product along the rows, which are summed
  columnSums, ///< the sum of all rows
  other,      ///< asks for all rows at once
};

/// The ops from a product [rows, columns] to everything that reads a value as
/// wide. One row of any of their values depends on no other row of theirs.
class RowRegion {
public:
  /// Why there is none.
  struct Blocked {
    mlir::Operation *op = nullptr; ///< at which
    std::string reason;
  };

  /// Looks at the region of `product`, which has rank 2; `blocked` says what
  /// stands against it. None and no reason: nothing of it is a region's.
  static std::optional<RowRegion> find(amp::MatmulOp product, Blocked &blocked);

  int64_t rows() const { return extents.m; }
  int64_t columns() const { return extents.n; }
  amp::MatmulOp product() const { return root; }

  /// The ops in block order, the product first.
  llvm::ArrayRef<mlir::Operation *> ops() const { return inside; }
  bool contains(mlir::Operation *op) const { return members.contains(op); }
  RowRole role(mlir::Operation *op) const { return roles.lookup(op); }
  /// The form of a value that the region makes.
  std::optional<RowForm> form(mlir::Value value) const;

  /// What is computed from the region's values, stands among its ops and
  /// belongs to none: it is to stand behind them. In block order.
  llvm::ArrayRef<mlir::Operation *> followers() const { return behind; }

private:
  explicit RowRegion(amp::MatmulOp product)
      : root(product), extents(product.extents()) {}

  bool isWideShape(llvm::ArrayRef<int64_t> shape) const;
  /// The role of `op`, which reads a value of the region, and the form of its
  /// result.
  RowRole classify(mlir::Operation *op, RowForm &form) const;
  RowRole classifyProduct(amp::MatmulOp op) const;
  bool readsWide(mlir::Operation *op) const;
  /// Whether a wide value from outside can be made row by row where it is used.
  bool isMadeByRow(mlir::Value value) const;
  bool collect(Blocked &blocked);
  bool checkOperands(const llvm::DenseSet<mlir::Operation *> &derived,
                     Blocked &blocked) const;

  amp::MatmulOp root;
  amp::MatmulOp::Extents extents;
  llvm::SmallVector<mlir::Operation *> inside, behind;
  llvm::DenseSet<mlir::Operation *> members;
  llvm::DenseMap<mlir::Operation *, RowRole> roles;
  llvm::DenseMap<mlir::Value, RowForm> forms;
};

} // namespace ampc

#endif // AMPC_PASSES_FUSION_ROWREGION_H
