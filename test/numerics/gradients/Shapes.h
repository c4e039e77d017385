// Shapes, operands and texts of generated gradient cases.
#ifndef AMPC_TEST_NUMERICS_GRADIENTS_SHAPES_H
#define AMPC_TEST_NUMERICS_GRADIENTS_SHAPES_H

#include "test/numerics/Graph.h"

namespace ampc::test {

/// Fixed shapes of `minRank` or more axes that have broken code before, then
/// generated ones; with unit and empty extents.
std::vector<Shape> shapes(Numbers &numbers, int64_t minRank = 0);

/// Elements of `shape`.
int64_t count(const Shape &shape);

/// Values in [low, high).
Written drawn(const Shape &shape, Numbers &numbers, double low, double high,
              const char *element = "f64");

/// Values with random sign and magnitude in [low, high): away from zero.
Written signedDrawn(const Shape &shape, Numbers &numbers, double low,
                    double high);

/// Indices in [0, extent), as i32 or i64 in turns of the numbers.
Written indices(const Shape &shape, Numbers &numbers, int64_t extent);

/// "1, 2, 3".
std::string list(llvm::ArrayRef<int64_t> values);

} // namespace ampc::test

#endif // AMPC_TEST_NUMERICS_GRADIENTS_SHAPES_H
