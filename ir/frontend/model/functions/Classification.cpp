// Losses and metrics of class labels: nll, cross_entropy, accuracy, perplexity.
// The ops take the classes on the last axis.
#include "ir/frontend/model/functions/Support.h"

using namespace mlir;

namespace ampc::model {
namespace {

/// Logits or log-probabilities with the classes last, and the labels of the
/// other axes.
struct Labelled {
  mlir::Value logits, labels;
  ElemType element;
  int64_t classes = 0;
  llvm::SmallVector<llvm::StringRef> names; // of the labels
};

/// Arguments 0, 1 and `axis`: logits, integer labels of their shape without
/// that axis.
bool labelledArg(Elaborator &e, Call &call, size_t axisIndex, Location at,
                 Labelled &result) {
  const TensorData *logits = nullptr, *labels = nullptr;
  int64_t axis = 0;
  if (!e.floatTensorArg(call, 0, logits) ||
      !indexArg(e, call, 1, at, labels, result.labels) ||
      !axisArg(e, call, axisIndex, *logits, axis))
    return false;
  llvm::SmallVector<int64_t> shape(shapeOf(*logits));
  result.names = axisNames(*logits);
  result.classes = shape[axis];
  result.element = logits->element;
  shape.erase(shape.begin() + axis);
  result.names.erase(result.names.begin() + axis);
  if (!mustHaveShape(e, call, 1, shape, result.names,
                     "the shape of '" + call.function->formals[0].name +
                         "' without axis " + llvm::Twine(axis)))
    return false;
  if (result.classes == 0)
    return mustFit(e, call, 0, "of at least one class");
  result.logits =
      permuted(e, at, logits->value, axisLast(int64_t(shape.size()) + 1, axis));
  return true;
}

/// The weights of classes, or none. Logits of a narrower type are widened to
/// the weights': a float is never narrowed here.
bool classWeightArg(Elaborator &e, Call &call, size_t index, Location at,
                    Labelled &labelled, mlir::Value &weight) {
  if (call[index].isNone())
    return true;
  const TensorData *tensor = nullptr;
  if (!e.floatTensorArg(call, index, tensor) ||
      !mustHaveShape(e, call, index, {labelled.classes}, {},
                     "one weight a class"))
    return false;
  labelled.element = promote(labelled.element, tensor->element);
  labelled.logits = e.emitter.cast(at, labelled.logits, labelled.element);
  weight = e.emitter.cast(at, tensor->value, labelled.element);
  return true;
}

/// A loss: a scalar, or of the labels' shape.
Value lossOf(Elaborator &e, Call &call, mlir::Value result,
             amp::LossReduction reduction, const Labelled &labelled) {
  return e.tensor(
      result, labelled.element == ElemType::F64 ? ElemType::F64 : ElemType::F32,
      call.expr->loc,
      reduction == amp::LossReduction::none
          ? llvm::ArrayRef<llvm::StringRef>(labelled.names)
          : llvm::ArrayRef<llvm::StringRef>());
}

/// nll(logp, labels, axis = -1, weight = none, ignore_index = -100, reduction).
Value nll(Elaborator &e, Call &call) {
  enum { Logp, Labels, Axis, Weight, Ignore, Reduction };
  Labelled labelled;
  mlir::Value weight;
  int64_t ignore = 0;
  amp::LossReduction reduction;
  Location at = e.location(call);
  if (!labelledArg(e, call, Axis, at, labelled) ||
      !classWeightArg(e, call, Weight, at, labelled, weight) ||
      !e.intArg(call, Ignore, ignore) ||
      !reductionArg(e, call, Reduction, reduction))
    return Value::poison();
  mlir::Value result =
      amp::NllOp::create(e.emitter.builder, at, reduction, labelled.logits,
                         labelled.labels, weight, ignore);
  return lossOf(e, call, result, reduction, labelled);
}

/// cross_entropy(logits, labels, axis = -1, weight = none, ignore_index = -100,
/// label_smoothing = 0, reduction).
Value crossEntropy(Elaborator &e, Call &call) {
  enum { Logits, Labels, Axis, Weight, Ignore, Smoothing, Reduction };
  Labelled labelled;
  mlir::Value weight;
  int64_t ignore = 0;
  double smoothing = 0;
  amp::LossReduction reduction;
  Location at = e.location(call);
  if (!labelledArg(e, call, Axis, at, labelled) ||
      !classWeightArg(e, call, Weight, at, labelled, weight) ||
      !e.intArg(call, Ignore, ignore) ||
      !e.floatArg(call, Smoothing, smoothing) ||
      !reductionArg(e, call, Reduction, reduction))
    return Value::poison();
  if (!(smoothing >= 0 && smoothing <= 1))
    return e.fail(call.args[Smoothing].loc,
                  "'cross_entropy': 'label_smoothing' must be in [0, 1], got " +
                      formatFloat(smoothing));
  auto op = amp::CrossEntropyOp::create(e.emitter.builder, at, reduction,
                                        labelled.logits, labelled.labels,
                                        weight, ignore, smoothing);
  return lossOf(e, call, op.getLoss(), reduction, labelled);
}

/// accuracy(logits, labels, axis = -1, k = 1, ignore_index = -100): the share
/// of labels among the k largest logits.
Value accuracy(Elaborator &e, Call &call) {
  enum { Logits, Labels, Axis, K, Ignore };
  Labelled labelled;
  int64_t k = 0, ignore = 0;
  Location at = e.location(call);
  if (!labelledArg(e, call, Axis, at, labelled) || !e.intArg(call, K, k) ||
      !e.intArg(call, Ignore, ignore))
    return Value::poison();
  if (k < 1 || k > labelled.classes)
    return e.fail(call.args[K].loc, "'accuracy': 'k' must be from 1 to the " +
                                        llvm::Twine(labelled.classes) +
                                        " classes, got " + llvm::Twine(k));
  return e.tensor(
      amp::AccuracyOp::create(e.emitter.builder, at, amp::LossReduction::mean,
                              labelled.logits, labelled.labels, k, ignore),
      ElemType::F32, call.expr->loc);
}

/// perplexity(logits, labels, axis = -1, ignore_index = -100): e to the mean
/// cross entropy.
Value perplexity(Elaborator &e, Call &call) {
  enum { Logits, Labels, Axis, Ignore };
  Labelled labelled;
  int64_t ignore = 0;
  Location at = e.location(call);
  if (!labelledArg(e, call, Axis, at, labelled) ||
      !e.intArg(call, Ignore, ignore))
    return Value::poison();
  auto op = amp::CrossEntropyOp::create(
      e.emitter.builder, at, amp::LossReduction::mean, labelled.logits,
      labelled.labels, mlir::Value(), ignore, /*label_smoothing=*/0.0);
  mlir::Value result = amp::ExpOp::create(e.emitter.builder, at, op.getLoss());
  return lossOf(e, call, result, amp::LossReduction::mean, labelled);
}

} // namespace

llvm::ArrayRef<FunctionLine> classificationFunctions() {
  static constexpr FunctionLine lines[] = {
      {"nll(logp, labels, axis = -1, weight = none, ignore_index = -100, "
       "reduction = \"mean\")",
       nll, FunctionLine::Op},
      {"cross_entropy(logits, labels, axis = -1, weight = none, "
       "ignore_index = -100, label_smoothing = 0, reduction = \"mean\")",
       crossEntropy, FunctionLine::Op},
      {"accuracy(logits, labels, axis = -1, k = 1, ignore_index = -100)",
       accuracy, FunctionLine::Op},
      {"perplexity(logits, labels, axis = -1, ignore_index = -100)", perplexity,
       FunctionLine::Op},
  };
  return lines;
}

} // namespace ampc::model
