// How parameters start, as torch.nn.init: normal, uniform, trunc_normal, and
// those whose deviation comes from the parameter's fans.
#include "ir/frontend/model/Elaborator.h"

#include <cmath>

namespace ampc::model {
namespace {

bool deviationArg(Elaborator &e, Call &call, size_t index, double &result) {
  if (!e.floatArg(call, index, result))
    return false;
  if (result >= 0)
    return true;
  e.error(call.args[index].loc,
          "'" + call.name() + "': '" + call.function->formals[index].name +
              "' must be at least 0, got " + formatFloat(result));
  return false;
}

bool intervalArgs(Elaborator &e, Call &call, size_t lowIndex, double &low,
                  double &high) {
  if (!e.floatArg(call, lowIndex, low) || !e.floatArg(call, lowIndex + 1, high))
    return false;
  if (high >= low)
    return true;
  e.error(call.args[lowIndex + 1].loc,
          "'" + call.name() + "': 'b' must be at least 'a' (" +
              formatFloat(low) + "), got " + formatFloat(high));
  return false;
}

Value normal(Elaborator &e, Call &call) {
  InitialiserData data{InitialiserData::Normal};
  if (!e.floatArg(call, 0, data.a) || !deviationArg(e, call, 1, data.b))
    return Value::poison();
  return e.initialiser(data);
}

Value uniform(Elaborator &e, Call &call) {
  InitialiserData data{InitialiserData::Uniform};
  if (!intervalArgs(e, call, 0, data.a, data.b))
    return Value::poison();
  return e.initialiser(data);
}

Value truncatedNormal(Elaborator &e, Call &call) {
  InitialiserData data{InitialiserData::TruncNormal};
  if (!e.floatArg(call, 0, data.a) || !deviationArg(e, call, 1, data.b) ||
      !intervalArgs(e, call, 2, data.low, data.high))
    return Value::poison();
  if (data.b == 0)
    return e.fail(call.args[1].loc,
                  "'trunc_normal': 'std' must be above 0, got 0.0");
  return e.initialiser(data);
}

template <InitialiserData::Kind kind>
Value xavier(Elaborator &e, Call &call) {
  InitialiserData data{kind};
  if (!deviationArg(e, call, 0, data.gain))
    return Value::poison();
  return e.initialiser(data);
}

/// torch.nn.init.calculate_gain, for the nonlinearities that it lists.
template <InitialiserData::Kind kind>
Value kaiming(Elaborator &e, Call &call) {
  InitialiserData data{kind};
  double slope = 0;
  llvm::StringRef mode, nonlinearity;
  if (!e.floatArg(call, 0, slope) || !e.stringArg(call, 1, mode) ||
      !e.stringArg(call, 2, nonlinearity))
    return Value::poison();
  if (mode != "fan_in" && mode != "fan_out")
    return e.fail(call.args[1].loc,
                  "'" + call.name() +
                      "': 'mode' must be one of \"fan_in\", \"fan_out\", got "
                      "\"" +
                      mode + "\"");
  data.fanOut = mode == "fan_out";
  if (nonlinearity == "leaky_relu")
    data.gain = std::sqrt(2 / (1 + slope * slope));
  else if (nonlinearity == "relu")
    data.gain = std::sqrt(2.0);
  else if (nonlinearity == "tanh")
    data.gain = 5.0 / 3;
  else if (nonlinearity == "selu")
    data.gain = 0.75;
  else if (nonlinearity != "linear" && nonlinearity != "sigmoid")
    return e.fail(call.args[2].loc,
                  "'" + call.name() +
                      "': 'nonlinearity' must be one of \"leaky_relu\", "
                      "\"relu\", \"tanh\", \"selu\", \"sigmoid\", "
                      "\"linear\", got \"" +
                      nonlinearity + "\"");
  return e.initialiser(data);
}

} // namespace

llvm::ArrayRef<FunctionLine> initialiserFunctions() {
  static constexpr FunctionLine lines[] = {
      {"normal(mean = 0, std = 1)", normal, FunctionLine::CompileTime},
      {"uniform(a = 0, b = 1)", uniform, FunctionLine::CompileTime},
      {"trunc_normal(mean = 0, std = 1, a = -2, b = 2)", truncatedNormal,
       FunctionLine::CompileTime},
      {"xavier_uniform(gain = 1)", xavier<InitialiserData::XavierUniform>,
       FunctionLine::CompileTime},
      {"xavier_normal(gain = 1)", xavier<InitialiserData::XavierNormal>,
       FunctionLine::CompileTime},
      {"kaiming_uniform(a = 0, mode = \"fan_in\", nonlinearity = "
       "\"leaky_relu\")",
       kaiming<InitialiserData::KaimingUniform>, FunctionLine::CompileTime},
      {"kaiming_normal(a = 0, mode = \"fan_in\", nonlinearity = "
       "\"leaky_relu\")",
       kaiming<InitialiserData::KaimingNormal>, FunctionLine::CompileTime},
  };
  return lines;
}

} // namespace ampc::model
