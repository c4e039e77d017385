// A contraction as a plan states it, for the executor of any device.
#pragma once

#include "runtime/plan/PlanFile.h"

namespace ampc::rt {

/// C[m, n] = sum_k A(m, k) * B(k, n) for each of `batch` matrices; as
/// `Contraction` of plan.fbs.
struct ContractionSpec {
  DType typeA, typeB, typeC;
  int64_t m, n, k;
  bool transposeA, transposeB;
  int64_t batch, strideA, strideB, strideC; ///< strides in elements
  bool hasInit = false; ///< the sums begin from a matrix laid out as C
  bool tf32 = false;    ///< operands in f32 may be rounded to tf32
  /// What may be done of the launch behind it: max(C + bias, 0).
  bool hasBias = false, hasRelu = false;
};

/// The contraction of an instruction.
inline ContractionSpec specOf(const fb::Contraction &op) {
  ContractionSpec spec{
      DType(op.dtype_a()),    DType(op.dtype_b()),    DType(op.dtype_c()),
      int64_t(op.m()),        int64_t(op.n()),        int64_t(op.k()),
      op.transpose_a(),       op.transpose_b(),       int64_t(op.batch()),
      int64_t(op.stride_a()), int64_t(op.stride_b()), int64_t(op.stride_c()),
      op.init() != nullptr};
  spec.hasBias = op.bias() != nullptr;
  spec.hasRelu = op.relu();
  return spec;
}

} // namespace ampc::rt
