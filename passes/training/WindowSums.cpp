// Adds to the sums of a window; see WindowSums.h.
#include "passes/training/WindowSums.h"

#include "ir/dialect/ops/Formula.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

VariableOp ensureSum(VariableTable &variables, StringRef name, Value part) {
  if (VariableOp known = variables.lookup(name))
    return known;
  RankedTensorType type = tensorType(part);
  return variables.append(
      part.getLoc(), name,
      withElementType(type, accumulationTypeFor(type.getElementType())),
      VariableRole::accumulator, InitKind::zeros);
}

Value readSum(OpBuilder &builder, VariableTable &variables, StringRef name,
              Value part) {
  VariableOp variable = ensureSum(variables, name, part);
  Value sum = ReadOp::create(builder, part.getLoc(), variable.tensorType(),
                             variable.getSymName());
  return castTo(builder, part.getLoc(), sum, tensorType(part).getElementType());
}

WindowSums::WindowSums(func::FuncOp entry, VariableTable &variables,
                       StringRef position)
    : entry(entry), variables(variables),
      top(&entry.front(), entry.front().begin()),
      end(entry.front().getTerminator()), positionName(position) {
  VariableOp variable = variables.lookup(position);
  at = ReadOp::create(top, entry.getLoc(), variable.tensorType(), position);
  first = Formula(top, entry.getLoc()).compare(ComparePredicate::eq, at, 0.0);
}

void WindowSums::add(StringRef name, Value part) {
  VariableOp variable = ensureSum(variables, name, part);
  Formula f(end, part.getLoc());
  top.setInsertionPointAfterValue(first); // before all that is written
  Value old = ReadOp::create(top, part.getLoc(), variable.tensorType(), name);
  Value wide = f.cast(part, variable.tensorType().getElementType());
  Value start = f.select(f.broadcastScalar(first, tensorType(old).getShape()),
                         f.constant(old, 0.0), old);
  WriteOp::create(end, part.getLoc(), name, f.add(start, wide));
}

void WindowSums::advance() {
  Formula f(end, entry.getLoc());
  WriteOp::create(end, entry.getLoc(), positionName,
                  f.add(at, f.constant(at, 1.0)));
}

} // namespace ampc
