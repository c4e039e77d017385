//===- Training.td - variables ------------------------------------------------------------------===//
#ifndef AMPC_IR_OPS_TRAINING
#define AMPC_IR_OPS_TRAINING

include "ir/dialect/ops/Base.td"
include "mlir/IR/SymbolInterfaces.td"

def Amp_VariableOp : Amp_Op<"variable", [
    Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "state that lives between steps";
  let description = [{
    A named tensor that entries read and write: a parameter, its master, a moment, a counter, ...; a tied
    one has its other names in `aliases = ["b", ...]`. `init` says how it starts; `init_args` holds [value]
    for constant, [low, high] for uniform, [mean, std] for normal; `data` starts from the elements attribute
    `value`. A drawn start reads random stream `site`, the variable's ordinal in the model (N17, mode init).

    `trunc_normal` has [mean, std, low, high]: with F the normal distribution's function and u a
    uniform number, `mean + std * F^-1(F(l) + u * (F(h) - F(l)))`, l and h the bounds less the mean
    over std, held in [low, high]. `padded_normal` has [mean, std, first, end]: normal, but elements
    [first, end) in row-major order are 0, the row of an embedding that stands for padding.

    A variable of role copy16 is the 16-bit working form of the parameter it is a `copy_of`. It
    starts as that parameter's start, rounded, and follows every write from outside the step; the
    step itself writes both (N22). It is never saved and never loaded.

    variable_c1: init_args has 1 entry for constant, 2 for uniform and normal, 4 for trunc_normal
    and padded_normal, else none.
    variable_c2: `value` is present exactly for data and has the variable's type.
    variable_c3: what is drawn fills floats.
    variable_c4: site is in [0, 2^30).
    variable_c5: `copy_of` is present exactly for copy16, whose type is bf16 or f16 and whose init
    is zeros.
    variable_c6: `copy_of` names an f32 variable of role parameter and of the same shape.

    Created by: the front end (parameters), `amp-build-optimizer` (moments, counters), `amp-split-window` and
    `amp-accumulate-gradients` (accumulators). Absent after: nothing.

    ```mlir
    amp.variable @fc.weight : tensor<4x3xf32> role parameter init uniform with [-0.5, 0.5] site 0
    amp.variable @"ampc.copy16/fc.weight" : tensor<4x3xbf16> role copy16 copy_of @fc.weight init zeros
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Amp_Tensor>:$type,
                       Amp_VariableRole:$role, Amp_InitKind:$init,
                       OptionalAttr<DenseF64ArrayAttr>:$init_args,
                       OptionalAttr<I64Attr>:$site, OptionalAttr<ElementsAttr>:$value,
                       OptionalAttr<FlatSymbolRefAttr>:$copy_of);
  let assemblyFormat = [{
    $sym_name `:` $type `role` $role (`copy_of` $copy_of^)? `init` $init
    (`with` custom<Floats>($init_args)^)? (`site` $site^)? (`=` $value^)? attr-dict
  }];
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType tensorType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getType());
    }
    /// Number of entries of init_args.
    static unsigned argumentsOf(InitKind init);
    /// True for a start of random numbers.
    static bool isDrawn(InitKind init);
  }];
  let hasVerifier = 1;
}

def Amp_ReadOp : Amp_Op<"read", [
    MemoryEffects<[MemRead]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a variable's value";
  let description = [{
    The value the variable holds here. In an entry every read stands before every write.

    read_c1: the symbol names an amp.variable of the result's type.

    ```mlir
    %w = amp.read @fc.weight : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = "$variable attr-dict `:` type($result)";
}

def Amp_WriteOp : Amp_Op<"write", [
    MemoryEffects<[MemWrite]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "gives a variable its next value";
  let description = [{
    The variable holds `input` from here on. Placement lets the producer write the variable's
    storage in place where nothing reads the old value later; otherwise codegen emits a copy.

    write_c1: the symbol names an amp.variable of the input's type.

    ```mlir
    amp.write @fc.weight, %w1 : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable, Amp_Tensor:$input);
  let assemblyFormat = "$variable `,` $input attr-dict `:` type($input)";
}

#endif // AMPC_IR_OPS_TRAINING
