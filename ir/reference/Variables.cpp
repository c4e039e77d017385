// The variables of a module and how they start; see Interpreter.h.
#include "ir/dialect/Dialect.h"
#include "ir/reference/Interpreter.h"
#include "ir/reference/Random.h"
#include "ir/reference/Reference.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace ampc::reference {

/// The normal distribution's function, and what it is inverse to: Abramowitz
/// and Stegun 26.2.23, within 5e-4, then twice Newton.
static double normalFunction(double x) {
  return std::erfc(-x * std::numbers::sqrt2 / 2) / 2;
}
static double normalQuantile(double p) {
  double tail = std::min(p, 1 - p);
  if (tail <= 0)
    return p < 0.5 ? -HUGE_VAL : HUGE_VAL;
  double t = std::sqrt(-2 * std::log(tail));
  double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                     (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (int step = 0; step < 2; ++step)
    x += (normalFunction(-x) - tail) * std::sqrt(2 * std::numbers::pi) *
         std::exp(x * x / 2);
  return p < 0.5 ? -x : x;
}

/// The drawn start of element `element` in f64, before its one rounding. The
/// runtime computes the same expression, so both start from the same bits.
static double drawn(const RandomStream &stream, amp::InitKind init,
                    ArrayRef<double> arguments, uint64_t element) {
  double first = arguments[0], second = arguments[1];
  switch (init) {
  case amp::InitKind::uniform: // [low, high)
    return first + (second - first) * stream.uniform(element);
  case amp::InitKind::trunc_normal: { // mean, std, low, high
    double low = normalFunction((arguments[2] - first) / second);
    double high = normalFunction((arguments[3] - first) / second);
    double p = low + (high - low) * stream.uniform(element);
    return std::clamp(first + second * normalQuantile(p), arguments[2],
                      arguments[3]);
  }
  case amp::InitKind::padded_normal: // mean, std, elements [first, end) of 0
    if (double(element) >= arguments[2] && double(element) < arguments[3])
      return 0;
    [[fallthrough]];
  default: // mean, std
    return first + second * stream.normal(element);
  }
}

static FailureOr<Tensor> initialValue(amp::VariableOp variable, uint64_t seed) {
  RankedTensorType type = variable.tensorType();
  if (failed(verifyHoldable(variable, type)))
    return failure();
  if (variable.getInit() == amp::InitKind::data) {
    FailureOr<Tensor> value = Tensor::ofElements(*variable.getValue());
    if (failed(value))
      return variable.emitOpError() << "has a value that lists no elements";
    return value;
  }
  std::vector<double> arguments;
  if (std::optional<ArrayRef<double>> given = variable.getInitArgs())
    arguments.assign(given->begin(), given->end());
  Tensor tensor(type);
  auto fill = [&](double value) {
    if (tensor.isFloat())
      llvm::fill(tensor.floats(), roundTo(value, type.getElementType()));
    else
      llvm::fill(tensor.integers(), truncateTo(value, type.getElementType()));
  };
  switch (variable.getInit()) {
  case amp::InitKind::zeros:
  case amp::InitKind::data:
    return tensor;
  case amp::InitKind::ones:
    fill(1);
    return tensor;
  case amp::InitKind::constant:
    fill(arguments[0]);
    return tensor;
  case amp::InitKind::uniform:
  case amp::InitKind::normal:
  case amp::InitKind::trunc_normal:
  case amp::InitKind::padded_normal: {
    RandomStream stream{seed, amp::RandomMode::init,
                        static_cast<uint32_t>(variable.getSite().value_or(0))};
    Rounder round(type.getElementType());
    for (int64_t i = 0, count = tensor.size(); i < count; ++i)
      tensor.floats()[i] = round(drawn(stream, variable.getInit(), arguments,
                                       static_cast<uint64_t>(i)));
    return tensor;
  }
  }
  llvm_unreachable("covered switch");
}

FailureOr<Variables> Variables::create(ModuleOp module, uint64_t seed) {
  Variables variables;
  for (auto variable : module.getOps<amp::VariableOp>()) {
    FailureOr<Tensor> value = initialValue(variable, seed);
    if (failed(value))
      return failure();
    if (variable.getSymName() == amp::kSeedVariable && !value->isFloat())
      llvm::fill(value->integers(),
                 wrapTo(static_cast<int64_t>(seed), value->elementType()));
    variables.tensors[variable.getSymName()] =
        std::make_shared<const Tensor>(std::move(*value));
  }
  variables.refreshCopies(module);
  return variables;
}

void Variables::refreshCopies(ModuleOp module) {
  for (auto variable : module.getOps<amp::VariableOp>()) {
    std::optional<StringRef> source = variable.getCopyOf();
    if (!source)
      continue;
    Tensor copy(variable.tensorType());
    Rounder round(copy.elementType());
    llvm::transform(find(*source)->floats(), copy.floats().begin(), round);
    tensors[variable.getSymName()] =
        std::make_shared<const Tensor>(std::move(copy));
  }
}

const Tensor *Variables::find(StringRef name) const {
  return share(name).get();
}

SharedTensor Variables::share(StringRef name) const {
  auto found = tensors.find(name);
  return found == tensors.end() ? nullptr : found->second;
}

LogicalResult Variables::set(StringRef name, Tensor value) {
  return set(name, std::make_shared<const Tensor>(std::move(value)));
}

LogicalResult Variables::set(StringRef name, SharedTensor value) {
  auto found = tensors.find(name);
  if (found == tensors.end() || found->second->type() != value->type())
    return failure();
  found->second = std::move(value);
  return success();
}

} // namespace ampc::reference
