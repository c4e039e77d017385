// The unrounded values of a matrix product, for those who bound its rounding.
#ifndef AMPC_IR_REFERENCE_MATRIXPRODUCT_H
#define AMPC_IR_REFERENCE_MATRIXPRODUCT_H

#include "ir/dialect/Dialect.h"

#include <vector>

namespace ampc::reference {

/// The values of `op` in f64, k ascending, for operand values `lhs` and `rhs`
/// (row-major, as stored), before the rounding to the result type. The sums
/// begin from `values`, where there are any.
std::vector<double> matrixProduct(amp::MatmulOp op,
                                  const std::vector<double> &lhs,
                                  const std::vector<double> &rhs,
                                  std::vector<double> values = {});

} // namespace ampc::reference

#endif // AMPC_IR_REFERENCE_MATRIXPRODUCT_H
