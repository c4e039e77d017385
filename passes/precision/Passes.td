//===- Passes.td - precision: from model to typed, and the clean-up of the joint graph -----------===//
#ifndef AMPC_PASSES_PRECISION
#define AMPC_PASSES_PRECISION

include "mlir/Pass/PassBase.td"

def AssignPrecision : Pass<"amp-assign-precision", "::mlir::ModuleOp"> {
  let summary = "give every value its type under a precision policy";
  let description = [{
    Input: a module in stage model. Output: stage typed.

    The policy (a row of the table in `Policy.cpp`, chosen by format and target) has a say over ops
    whose floats are all f32 as written and whose class is not never (N21):

    - lower: contractions take and give the narrow type;
    - f32_inside: computes in f32, gives the narrow type where every user takes it so;
    - follow: the types with the least total cost of casts plus bytes moved, by a minimum cut
      (`TypeChoice.h` states the cost); among equals f32.

    The loss, scalars, ops with a constant that would become 0 or infinite, and those that follow them
    stay f32. Where a narrow op reads a constant that the type does not hold, it computes in f32 and
    rounds its result (N5). Entries of `amp.precision` win over all of that but the loss, the last that
    matches first; a pattern `op:softmax` names a kind of op instead of a path. Values and users that
    differ in type get one policy cast a value and type. Each op it decides and each cast gets
    `amp.reason`.

    Under f32, without overrides, no type changes and no cast is inserted. tf32 on a target without
    it is f32. `auto` is bf16 where the target has fast bf16 contractions, else f32. A format that
    the target emulates gives one warning, and f16 sets `loss_scale` of `amp.train` to dynamic where it
    says nothing.

    ```mlir
    %y = amp.linear %x, %w accumulate f32 : tensor<8x4xf32>, tensor<2x4xf32> -> tensor<8x2xf32>  // before

    %0 = amp.cast %x origin policy : tensor<8x4xf32> -> tensor<8x4xbf16>                          // after
    %1 = amp.cast %w origin policy : tensor<2x4xf32> -> tensor<2x4xbf16>
    %y = amp.linear %0, %1 accumulate f32 : tensor<8x4xbf16>, tensor<2x4xbf16> -> tensor<8x2xbf16>
    ```
  }];
  let options = [
    Option<"precision", "precision", "std::string", "\"f32\"",
           "the policy: auto, f32, tf32, bf16 or f16 (names of the language; no unit)">,
    Option<"scaleLoss", "scale-loss", "bool", "false",
           "scale the loss as f16 does unless the model says how (no unit)">];
}

def CleanCasts : Pass<"amp-clean-casts", "::mlir::ModuleOp"> {
  let summary = "clean the joint graph of forward and backward of policy casts";
  let description = [{
    Input: a module with differentiated entries, before the optimizer. Output: the same stage.

    A parameter's gradient is f32 from its last sums on (N7): the product, the sum over rows, the
    scatter or the addition that makes it gives f32 where it gave the type of the parameter's narrow
    form, and so does what moves its elements afterwards. A policy cast that undoes an exact policy
    cast goes. User casts are left alone (N2).

    ```mlir
    %0 = amp.matmul %g, %x transpose_a accumulate f32 : ... -> tensor<2x4xbf16>       // before
    %1 = amp.cast %0 origin policy : tensor<2x4xbf16> -> tensor<2x4xf32>

    %1 = amp.matmul %g, %x transpose_a accumulate f32 : ... -> tensor<2x4xf32>        // after
    ```
  }];
}

def CopyWeights : Pass<"amp-copy-weights", "::mlir::ModuleOp"> {
  let summary = "keep a 16-bit working copy of each parameter that is read in 16 bits";
  let description = [{
    Input: a module with complete entries. Output: the same stage.

    Where entries cast a whole f32 parameter to bf16 or f16 by policy, they read a variable of role
    copy16 instead, which train_step or apply_step writes beside its parameter: one optimizer kernel
    gives both, and no step casts a parameter (N22).

    ```mlir
    %0 = amp.read @w : tensor<2x4xf32>                                                // before
    %1 = amp.cast %0 origin policy : tensor<2x4xf32> -> tensor<2x4xbf16>

    %1 = amp.read @"ampc.copy16/w" : tensor<2x4xbf16>                                   // after
    ```
  }];
}

def VerifyPrecision : Pass<"amp-verify-precision", "::mlir::ModuleOp"> {
  let summary = "refuse precisions that lose weights or gradients";
  let description = [{
    The verifier of what the precision passes promise (N23); run after stages typed and step.

    precision_c1: no step writes a variable below f32, working copies aside.
    precision_c2: no gradient passes through f16 or f8 without a scaled loss, unless `unsafe`.
    precision_c3: no contraction takes 8-bit floats, which no target multiplies.

    A sum in fewer than 32 bits is refused where it stands (matmul_c4, linear_c3, reduce_c4).
  }];
  let options = [
    Option<"unsafe", "unsafe", "bool", "false",
           "allow f16 gradients without a scaled loss (no unit)">];
}

#endif // AMPC_PASSES_PRECISION
