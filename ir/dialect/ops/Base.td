//===- Base.td - types, traits and base classes of the amp ops ---------------------------------===//
#ifndef AMPC_IR_OPS_BASE
#define AMPC_IR_OPS_BASE

include "ir/dialect/Attrs.td"
include "ir/dialect/Interfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Element types of the language.
def Amp_Float : AnyTypeOf<[F64, F32, F16, BF16, F8E4M3FN, F8E5M2], "a float of 8 to 64 bits">;
def Amp_Integer : AnyTypeOf<[I1, I8, I32, I64], "i1, i8, i32 or i64">;
def Amp_Element : AnyTypeOf<[Amp_Float, Amp_Integer], "an element type of the amp dialect">;

// Static shape, no encoding, fewer than 2^48 elements: sizes in bytes never overflow.
class Amp_TensorOf<list<Type> types>
    : ConfinedType<StaticShapeTensorOf<types>, [CPred<"::ampc::amp::isStorable($_self)">],
                   StaticShapeTensorOf<types>.summary # " (plain, below 2^48 elements)",
                   "::mlir::RankedTensorType">;
def Amp_Tensor : Amp_TensorOf<[Amp_Element]>;
def Amp_FloatTensor : Amp_TensorOf<[Amp_Float]>;
def Amp_NumberTensor : Amp_TensorOf<[Amp_Float, I8, I32, I64]>;
def Amp_BoolTensor : Amp_TensorOf<[I1]>;
def Amp_IndexTensor : Amp_TensorOf<[I32, I64]>;
def Amp_F32Tensor : Amp_TensorOf<[F32]>;
def Amp_I64Scalar
    : Type<0DTensorOf<[I64]>.predicate, "a scalar i64 tensor", "::mlir::RankedTensorType">,
      BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI64Type())">;
def Amp_F32Scalar
    : Type<0DTensorOf<[F32]>.predicate, "a scalar f32 tensor", "::mlir::RankedTensorType">,
      BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getF32Type())">;

class Amp_Op<string mnemonic, list<Trait> traits = []> : Op<Amp_Dialect, mnemonic, traits>;

// A pure tensor op. ir/reference attaches ReferenceEvaluable to every one of them.
class Amp_PureOp<string mnemonic, list<Trait> traits = []>
    : Amp_Op<mnemonic, !listconcat([Pure], traits)>;

// Differentiable with saved operands.
def Amp_DifferentiableMethods
    : DeclareOpInterfaceMethods<Amp_Differentiable, ["savedOperands"]>;

// The class of maps whose results 16 bits hold badly: the exp, log and pow family (N21).
defvar Amp_F32Inside = [{
    ::ampc::amp::PrecisionClass classify() { return ::ampc::amp::PrecisionClass::f32_inside; }
}];

// One value an element; operands and result have one type. Broadcasting is written out
// (amp.broadcast). f64 and f32 compute in their own type; narrower floats compute in f32 and round
// once to the result type.
class Amp_MapOp<string mnemonic, list<Trait> traits = []>
    : Amp_PureOp<mnemonic, !listconcat([
        SameOperandsAndResultType, Amp_Fusible, Amp_PrecisionRule], traits)>;

class Amp_UnaryOp<string mnemonic, list<Trait> traits = []>
    : Amp_MapOp<mnemonic, !listconcat([Amp_DifferentiableMethods], traits)> {
  let arguments = (ins Amp_FloatTensor:$input);
  let results = (outs Amp_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

class Amp_NumberUnaryOp<string mnemonic, list<Trait> traits = []>
    : Amp_UnaryOp<mnemonic, !listconcat([Amp_CostModel], traits)> {
  let arguments = (ins Amp_NumberTensor:$input);
  let results = (outs Amp_NumberTensor:$result);
}

class Amp_BinaryOp<string mnemonic, list<Trait> traits = []>
    : Amp_MapOp<mnemonic, !listconcat([Amp_CostModel, Amp_DifferentiableMethods], traits)> {
  let arguments = (ins Amp_NumberTensor:$lhs, Amp_NumberTensor:$rhs);
  let results = (outs Amp_NumberTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

#endif // AMPC_IR_OPS_BASE
