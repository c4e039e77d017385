//===- Ops.td - every op of the amp dialect, one family a file ----------------------------------===//
#ifndef AMPC_IR_OPS
#define AMPC_IR_OPS

include "ir/dialect/ops/Activation.td"
include "ir/dialect/ops/Attention.td"
include "ir/dialect/ops/Cast.td"
include "ir/dialect/ops/Classification.td"
include "ir/dialect/ops/Contraction.td"
include "ir/dialect/ops/Elementwise.td"
include "ir/dialect/ops/Foreach.td"
include "ir/dialect/ops/Graph.td"
include "ir/dialect/ops/Group.td"
include "ir/dialect/ops/Indexing.td"
include "ir/dialect/ops/Logic.td"
include "ir/dialect/ops/Loss.td"
include "ir/dialect/ops/Movement.td"
include "ir/dialect/ops/Normalization.td"
include "ir/dialect/ops/Optimizer.td"
include "ir/dialect/ops/Random.td"
include "ir/dialect/ops/Reduction.td"
include "ir/dialect/ops/Shape.td"
include "ir/dialect/ops/Training.td"
include "ir/dialect/ops/Transcendental.td"

#endif // AMPC_IR_OPS
