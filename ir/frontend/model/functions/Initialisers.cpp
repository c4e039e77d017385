// How parameters start: normal, uniform.
#include "ir/frontend/model/Elaborator.h"

namespace ampc::model {
namespace {

Value normal(Elaborator &e, Call &call) {
  double mean = 0, deviation = 1;
  if (!e.floatArg(call, 0, mean) || !e.floatArg(call, 1, deviation))
    return Value::poison();
  if (deviation < 0)
    return e.fail(call.args[1].loc, "'normal': 'std' must be at least 0, got " +
                                        formatFloat(deviation));
  return e.initialiser(InitialiserData::Normal, mean, deviation);
}

Value uniform(Elaborator &e, Call &call) {
  double low = 0, high = 1;
  if (!e.floatArg(call, 0, low) || !e.floatArg(call, 1, high))
    return Value::poison();
  if (high < low)
    return e.fail(call.args[1].loc, "'uniform': 'b' must be at least 'a' (" +
                                        formatFloat(low) + "), got " +
                                        formatFloat(high));
  return e.initialiser(InitialiserData::Uniform, low, high);
}

} // namespace

llvm::ArrayRef<FunctionLine> initialiserFunctions() {
  static constexpr FunctionLine lines[] = {
      {"normal(mean = 0, std = 1)", normal, FunctionLine::CompileTime},
      {"uniform(a = 0, b = 1)", uniform, FunctionLine::CompileTime},
  };
  return lines;
}

} // namespace ampc::model
