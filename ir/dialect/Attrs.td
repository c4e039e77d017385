//===- Attrs.td - enumerations and attributes of the amp dialect -------------------------------===//
#ifndef AMPC_IR_ATTRS
#define AMPC_IR_ATTRS

include "ir/dialect/Dialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

// An enumeration that an op prints as a keyword.
class Amp_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::ampc::amp";
}
// An enumeration that stands as an attribute of its own: `#amp.stage<model>`.
class Amp_StandaloneEnum<string name, string summary, list<I32EnumAttrCase> cases>
    : Amp_Enum<name, summary, cases> {
  let genSpecializedAttr = 0;
}
class Amp_EnumAttr<I32EnumAttr info, string mnemonic> : EnumAttr<Amp_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

//===----------------------------------------------------------------------===//
// Enumerations of ops
//===----------------------------------------------------------------------===//

def Amp_VariableRole : Amp_Enum<"VariableRole", "what a variable is for", [
  I32EnumAttrCase<"parameter", 0>, I32EnumAttrCase<"master", 1>, I32EnumAttrCase<"copy16", 2>,
  I32EnumAttrCase<"moment", 3>, I32EnumAttrCase<"statistic", 4>, I32EnumAttrCase<"accumulator", 5>,
  I32EnumAttrCase<"scaler", 6>, I32EnumAttrCase<"counter", 7>, I32EnumAttrCase<"rate", 8>]>;
def Amp_InitKind : Amp_Enum<"InitKind", "how a variable starts", [
  I32EnumAttrCase<"zeros", 0>, I32EnumAttrCase<"ones", 1>, I32EnumAttrCase<"constant", 2>,
  I32EnumAttrCase<"uniform", 3>, I32EnumAttrCase<"normal", 4>, I32EnumAttrCase<"data", 5>,
  I32EnumAttrCase<"trunc_normal", 6>, I32EnumAttrCase<"padded_normal", 7>]>;
def Amp_CastOrigin : Amp_Enum<"CastOrigin", "who asked for a cast", [
  I32EnumAttrCase<"user", 0>, I32EnumAttrCase<"policy", 1>]>;
def Amp_ReduceKind : Amp_Enum<"ReduceKind", "what a reduction computes", [
  I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"mean", 1>, I32EnumAttrCase<"max", 2>,
  I32EnumAttrCase<"min", 3>, I32EnumAttrCase<"prod", 4>, I32EnumAttrCase<"first", 5>]>;
def Amp_AccumulationOrder : Amp_Enum<"AccumulationOrder", "the order of a reduction (N10)", [
  I32EnumAttrCase<"row", 0>, I32EnumAttrCase<"column", 1>]>;
def Amp_ComparePredicate : Amp_Enum<"ComparePredicate", "an ordered comparison", [
  I32EnumAttrCase<"eq", 0>, I32EnumAttrCase<"ne", 1>, I32EnumAttrCase<"lt", 2>,
  I32EnumAttrCase<"le", 3>, I32EnumAttrCase<"gt", 4>, I32EnumAttrCase<"ge", 5>]>;
def Amp_Distribution : Amp_Enum<"Distribution", "what a random op draws", [
  I32EnumAttrCase<"uniform", 0>, I32EnumAttrCase<"normal", 1>]>;
def Amp_RandomMode : Amp_Enum<"RandomMode", "which random stream is read (N17)", [
  I32EnumAttrCase<"train", 0>, I32EnumAttrCase<"eval", 1>, I32EnumAttrCase<"infer", 2>,
  I32EnumAttrCase<"init", 3>]>;
def Amp_LossReduction : Amp_Enum<"LossReduction", "how a loss joins its terms", [
  I32EnumAttrCase<"mean", 0>, I32EnumAttrCase<"sum", 1>, I32EnumAttrCase<"none", 2>]>;
def Amp_GeluApproximation : Amp_Enum<"GeluApproximation", "which formula of GELU", [
  I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"tanh", 1>]>;
def Amp_GroupKind : Amp_Enum<"GroupKind", "the loop nest of a group", [
  I32EnumAttrCase<"map", 0>, I32EnumAttrCase<"row", 1>, I32EnumAttrCase<"column", 2>,
  I32EnumAttrCase<"scatter", 3>, I32EnumAttrCase<"contraction", 4>]>;

//===----------------------------------------------------------------------===//
// Answers of interfaces (no attribute carries them)
//===----------------------------------------------------------------------===//

def Amp_PrecisionClass : Amp_Enum<"PrecisionClass", "how the precision policy treats an op (N21)", [
  I32EnumAttrCase<"lower", 0>, I32EnumAttrCase<"f32_inside", 1>, I32EnumAttrCase<"follow", 2>,
  I32EnumAttrCase<"never", 3>]>;
def Amp_FusionKind : Amp_Enum<"FusionKind", "the iteration space of an op, as fusion sees it", [
  I32EnumAttrCase<"map", 0>, I32EnumAttrCase<"row_reduce", 1>, I32EnumAttrCase<"column_reduce", 2>,
  I32EnumAttrCase<"gather", 3>, I32EnumAttrCase<"contraction", 4>, I32EnumAttrCase<"view", 5>,
  I32EnumAttrCase<"opaque", 6>, I32EnumAttrCase<"scatter", 7>]>;

//===----------------------------------------------------------------------===//
// Attributes of modules, functions, arguments and places
//===----------------------------------------------------------------------===//

def Amp_Stage : Amp_StandaloneEnum<"Stage", "a named stage of the IR", [
  I32EnumAttrCase<"model", 0>, I32EnumAttrCase<"typed", 1>, I32EnumAttrCase<"step", 2>,
  I32EnumAttrCase<"fused", 3>, I32EnumAttrCase<"placed", 4>]>;
def Amp_StageAttr : Amp_EnumAttr<Amp_Stage, "stage">;
def Amp_Entry : Amp_StandaloneEnum<"Entry", "what a function is for", [
  I32EnumAttrCase<"forward", 0>, I32EnumAttrCase<"train_step", 1>,
  I32EnumAttrCase<"eval_step", 2>, I32EnumAttrCase<"infer", 3>, I32EnumAttrCase<"gradient", 4>,
  I32EnumAttrCase<"eval_finish", 5>, I32EnumAttrCase<"window", 6>,
  I32EnumAttrCase<"micro_step", 7>, I32EnumAttrCase<"apply_step", 8>]>;
def Amp_EntryAttr : Amp_EnumAttr<Amp_Entry, "entry">;
def Amp_Io : Amp_StandaloneEnum<"Io", "what an argument or result of an entry is", [
  I32EnumAttrCase<"input", 0>, I32EnumAttrCase<"target", 1>, I32EnumAttrCase<"output", 2>,
  I32EnumAttrCase<"loss", 3>, I32EnumAttrCase<"metric", 4>, I32EnumAttrCase<"gradient", 5>,
  I32EnumAttrCase<"partial", 6>, I32EnumAttrCase<"fault", 7>,
  I32EnumAttrCase<"probe", 8>]>;
def Amp_IoAttr : Amp_EnumAttr<Amp_Io, "io">;

def Amp_Reason : Amp_StandaloneEnum<"Reason", "why a value has its precision (N20, N21)", [
  I32EnumAttrCase<"lower", 0>, I32EnumAttrCase<"f32_inside", 1>, I32EnumAttrCase<"follow_cut", 2>,
  I32EnumAttrCase<"follow_tie", 3>, I32EnumAttrCase<"never_unknown", 4>,
  I32EnumAttrCase<"never_integer", 5>, I32EnumAttrCase<"user_typed", 6>,
  I32EnumAttrCase<"user_override", 7>, I32EnumAttrCase<"constant_range", 8>,
  I32EnumAttrCase<"loss", 9>, I32EnumAttrCase<"master", 10>,
  I32EnumAttrCase<"target_emulated", 11>]>;
def Amp_ReasonAttr : Amp_EnumAttr<Amp_Reason, "reason">;

def Amp_Space : Amp_Enum<"Space", "where bytes stand", [
  I32EnumAttrCase<"arena", 0>, I32EnumAttrCase<"variable", 1>, I32EnumAttrCase<"input", 2>,
  I32EnumAttrCase<"output", 3>, I32EnumAttrCase<"constant", 4>, I32EnumAttrCase<"scratch", 5>,
  I32EnumAttrCase<"slice", 6>]>;

def Amp_PlaceAttr : AttrDef<Amp_Dialect, "Place"> {
  let mnemonic = "place";
  let summary = "where a value's bytes stand";
  let description = [{
    `#amp.place<arena, 4096>`: byte offset in the entry's arena. `#amp.place<variable, 0, @w>`: the
    variable's own storage. `#amp.place<input, 2>`, `#amp.place<output, 0>`: argument or result
    number. `#amp.place<constant, 64>`: byte offset in the plan's constant section. In
    the body of an amp.foreach `#amp.place<scratch, 64>`: byte offset in the thread's scratch memory;
    `#amp.place<slice, 2>`: the present slice of that operand or, counted behind them, result. The index is not
    negative; a variable is named in that space and in no other.
  }];
  let parameters = (ins EnumParameter<Amp_Space>:$space, "int64_t":$index,
                        OptionalParameter<"::mlir::FlatSymbolRefAttr">:$variable);
  let assemblyFormat = "`<` $space `,` $index (`,` $variable^)? `>`";
  let genVerifyDecl = 1;
}

/// A location written out where it stands: the text defines the aliases of locations only after the
/// arguments of a function whose attributes hold some.
def Amp_WrittenLocation : AttrOrTypeParameter<"::mlir::LocationAttr", "location"> {
  let printer = "$_self.print($_printer.getStream())";
}

def Amp_IndexRangeAttr : AttrDef<Amp_Dialect, "IndexRange"> {
  let mnemonic = "index_range";
  let summary = "what the elements of a tensor must be, so that an op finds what it looks up";
  let description = [{
    `#amp.index_range<low = 0, high = 10, ignore = -100, offset = 0, extents = [4, 8], strides = [8, 1],
    noun = "label", op = "cross_entropy", loc = loc("m.amp":12:3)>`: the elements of the tensor at
    `offset + sum(i * strides)`, i below `extents` (counted in elements of the tensor, row-major), are in
    [low, high) or equal `ignore`. `noun`, `op` and `loc` say who asks, for the message. extents and
    strides have one length, extents are at least 1, offset and strides at least 0.
  }];
  let parameters = (ins "int64_t":$low, "int64_t":$high, OptionalParameter<"::mlir::IntegerAttr">:$ignore,
                        "int64_t":$offset, "::mlir::DenseI64ArrayAttr":$extents,
                        "::mlir::DenseI64ArrayAttr":$strides, StringRefParameter<>:$noun,
                        StringRefParameter<>:$op, Amp_WrittenLocation:$loc);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Amp_ProbeAttr : AttrDef<Amp_Dialect, "Probe"> {
  let mnemonic = "probe";
  let summary = "the value that a result of kind probe shows";
  let description = [{
    `#amp.probe<op = "linear", path = "block.0.qkv", type = tensor<4x8xf16>, backward = false, infinite = false,
    inputs = [0, 2]>`: the op that gave the value, the name of the call that made the op (of a variable or an input: its own
    name), the value's type, whether it belongs to a gradient, whether an infinite constant is part of it
    (a mask of -inf: its infinities are meant), and the probes of what the op computed it from, counted
    among the entry's probes. Each of these stands before the probe itself.
  }];
  let parameters = (ins StringRefParameter<>:$op, StringRefParameter<>:$path, "::mlir::TypeAttr":$type,
                        "bool":$backward, "bool":$infinite, "::mlir::DenseI64ArrayAttr":$inputs);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Amp_TargetAttr : AttrDef<Amp_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "what passes may know of the machine";
  let description = [{
    `#amp.target<kind = "cpu", level = "avx512", vector_bytes = 64, cache_bytes = 2097152,
    bandwidth = 50.0, launch_ns = 2000.0, fast = [bf16]>`: the vector register width and the last
    private cache in bytes, sustained memory bandwidth in bytes per nanosecond, the cost of starting a
    kernel in nanoseconds, and the formats below f32 that contractions have hardware for. The numbers
    but the last are above 0. Passes read these and name no chip.
  }];
  let parameters = (ins StringRefParameter<>:$kind, StringRefParameter<>:$level,
                        "int64_t":$vector_bytes, "int64_t":$cache_bytes,
                        "::mlir::FloatAttr":$bandwidth, "::mlir::FloatAttr":$launch_ns,
                        OptionalParameter<"::mlir::ArrayAttr">:$fast);
  let extraClassDeclaration = [{
    /// Whether contractions of `format` run in hardware.
    bool isFast(::mlir::Type format) const;
  }];
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // AMPC_IR_ATTRS
