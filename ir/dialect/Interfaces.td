//===- Interfaces.td - the facts passes ask of ops ---------------------------------------------===//
// Op classes come from these interfaces, never from lists of names.
#ifndef AMPC_IR_INTERFACES
#define AMPC_IR_INTERFACES

include "mlir/IR/OpBase.td"

class Amp_Interface<string name> : OpInterface<name> { let cppNamespace = "::ampc::amp"; }

def Amp_PrecisionRule : Amp_Interface<"PrecisionRule"> {
  let description = [{How the precision policy treats the op (N21).}];
  let methods = [
    InterfaceMethod<"The op's class: lower, f32_inside, follow or never.",
      "::ampc::amp::PrecisionClass", "classify", (ins), "",
      "return ::ampc::amp::PrecisionClass::follow;">,
    InterfaceMethod<"The type sums are kept in, null when the op accumulates nothing.",
      "::mlir::Type", "accumulationType", (ins), "", "return ::mlir::Type();">,
    InterfaceMethod<[{
      Whether float operand `operand` may have the type that the op computes in where its others are
      narrower: a bias, an affine weight, a mask.}],
      "bool", "keepsWide", (ins "unsigned":$operand), "", "return false;">];
}

def Amp_Differentiable : Amp_Interface<"Differentiable"> {
  let description = [{
    Reverse-mode derivative: one formula and one set of saved operands at every memory budget (N28).
  }];
  let methods = [
    InterfaceMethod<[{
      Appends to `operandGradients` one value an operand, of the operand's type; null where none
      flows. `resultGradients` holds one value a result, null where the result has no gradient.
      Ops are built at `builder`'s insertion point with the op's location.}],
      "::mlir::LogicalResult", "backward",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$resultGradients,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$operandGradients)>,
    InterfaceMethod<"The forward values that `backward` reads: operands or results of the op.",
      "::llvm::SmallVector<::mlir::Value>", "savedOperands", (ins), "", "return {};">];
}

def Amp_Decomposable : Amp_Interface<"Decomposable"> {
  let description = [{A composite op: it has an equal spelling in primitives.}];
  let methods = [
    InterfaceMethod<"Builds the primitives and returns one value a result, of its type.",
      "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>", "decompose",
      (ins "::mlir::OpBuilder &":$builder)>];
}

def Amp_Fusible : Amp_Interface<"Fusible"> {
  let description = [{The op's iteration space as fusion sees it.}];
  let methods = [
    InterfaceMethod<"The kind of loop nest the op needs.",
      "::ampc::amp::FusionKind", "fusionKind", (ins), "",
      "return ::ampc::amp::FusionKind::map;">,
    InterfaceMethod<[{
      Whether the op reads operand `operand` at other elements than the loop is at, so that the
      operand must stand in memory before the loop begins.}],
      "bool", "readsElsewhere", (ins "unsigned":$operand), "",
      [{
        ::ampc::amp::FusionKind kind = $_op.fusionKind();
        return kind == ::ampc::amp::FusionKind::gather || kind == ::ampc::amp::FusionKind::scatter;
      }]>];
}

def Amp_CostModel : Amp_Interface<"CostModel"> {
  let description = [{Work and traffic of the op standing alone.}];
  let methods = [
    InterfaceMethod<"Floating-point operations, bytes read and written, transcendental calls.",
      "::ampc::amp::OpCost", "cost", (ins "::ampc::amp::TargetAttr":$target), "",
      "return ::ampc::amp::mapCost($_op, /*flopsPerElement=*/1, /*transcendentals=*/0);">];
}

def Amp_ReferenceEvaluable : Amp_Interface<"ReferenceEvaluable"> {
  let description = [{
    The op's value in f64 arithmetic with one rounding to the result type. ir/reference attaches
    the implementation of every op (`registerReferenceModels`).
  }];
  let methods = [
    InterfaceMethod<"Appends one tensor a result.", "::mlir::LogicalResult", "evaluate",
      (ins "::llvm::ArrayRef<const ::ampc::reference::Tensor *>":$operands,
           "::llvm::SmallVectorImpl<::ampc::reference::Tensor> &":$results)>];
}

def Amp_MeanReduction : Amp_Interface<"MeanReduction"> {
  let description = [{
    An op that may be a mean: a sum over terms divided by their number, or by their weights' sum.
    Micro-batches (N14) and the evaluation of a data set add sums and counts up and divide once.
  }];
  let methods = [
    InterfaceMethod<"Whether the op is a mean of all its terms.", "bool", "isMean", (ins)>,
    InterfaceMethod<"The sum of the terms, undivided, of the result's type.",
      "::mlir::Value", "buildSum", (ins "::mlir::OpBuilder &":$builder)>,
    InterfaceMethod<[{
      What the sum is divided by, a scalar of the result's type: an amp.constant where the shape
      alone gives it, else a value of inputs and targets only.}],
      "::mlir::Value", "buildCount", (ins "::mlir::OpBuilder &":$builder)>,
    InterfaceMethod<"The mean of a sum and a count: 0/0 is NaN (N18) unless the op says 0 (N11).",
      "::mlir::Value", "buildQuotient",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Value":$sum, "::mlir::Value":$count), "",
      "return ::ampc::amp::quotient(builder, $_op->getLoc(), sum, count);">];
}

def Amp_RandomSite : Amp_Interface<"RandomSite"> {
  let description = [{
    An op that reads the random numbers of one site (N17). The entries' construction sets its mode,
    and gives it the key of the entry where it draws in that mode.
  }];
  let methods = [
    InterfaceMethod<"Whether the op reads random numbers in `mode`.", "bool", "drawsIn",
      (ins "::ampc::amp::RandomMode":$mode), "", "return true;">,
    InterfaceMethod<"Seed, index and micro, or none before the entries exist.",
      "::mlir::MutableOperandRange", "getKeyMutable">,
    InterfaceMethod<"The stream the op reads.", "::ampc::amp::RandomMode", "getMode">,
    InterfaceMethod<"Chooses the stream.", "void", "setMode",
      (ins "::ampc::amp::RandomMode":$mode)>,
    InterfaceMethod<"Ordinal of the random op in the model.", "uint64_t", "getSite">];
  let verify = [{ return ::ampc::amp::verifyRandomSite($_op); }];
}

def Amp_IndexBounds : Amp_Interface<"IndexBounds"> {
  let description = [{
    An op that reads indices or labels. Values out of bounds are an error of the data (N11): entries
    check the inputs that such operands come from, or the operands themselves.
  }];
  let methods = [
    InterfaceMethod<"The values allowed and what to call them, one entry an index operand.",
      "::llvm::SmallVector<::ampc::amp::IndexBound>", "indexBounds", (ins)>];
}

def Amp_BoundedInteger : Amp_Interface<"BoundedInteger"> {
  let description = [{
    An op whose integers lie between bounds that follow from its operands': an index that cannot
    leave its range is not checked (N11).
  }];
  let methods = [
    InterfaceMethod<[{
      The least and the largest integer the result may hold, before it wraps to its type; none where
      the op cannot say. `operands` holds the range of each operand.}],
      "::std::optional<::ampc::amp::IntegerRange>", "resultRange",
      (ins "::llvm::ArrayRef<::ampc::amp::IntegerRange>":$operands), "",
      "return ::ampc::amp::hullOf(operands);">];
}
def Amp_BoundedIntegerMethods : DeclareOpInterfaceMethods<Amp_BoundedInteger, ["resultRange"]>;

def Amp_OptimizerUpdate : Amp_Interface<"OptimizerUpdate"> {
  let description = [{
    An optimizer's update of one parameter. Operands: parameter, gradient, state tensors in the
    order of `stateNames`, update counter (i64 scalar), learning rate (f32 scalar). Results: the new
    parameter, then the new state tensors.
  }];
  let methods = [
    StaticInterfaceMethod<[{
      Names of the state tensors for these hyper-parameters, as checkpoints carry them
      (`ampc.NAME/PARAMETER`); each has the parameter's shape, in f32, and starts at zero.}],
      "::llvm::SmallVector<::llvm::StringRef>", "stateNames",
      (ins "::mlir::DictionaryAttr":$hyperparameters)>];
}

#endif // AMPC_IR_INTERFACES
