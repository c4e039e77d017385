// RUN: %ampc-opt --amp-build-kernels -split-input-file -verify-diagnostics %s

// expected-error @+1 {{kernels are built of a module in stage placed}}
module attributes {amp.stage = #amp.stage<fused>} {
}

// -----

module attributes {amp.stage = #amp.stage<placed>} {
  func.func @infer(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>, amp.place = #amp.place<input, 0>})
      -> (tensor<4xf32> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>, amp.arena_bytes = 0 : i64} {
    // expected-error @+1 {{result 0 has no amp.place; codegen takes modules in stage placed}}
    %y = amp.group map [4] (%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %0 = amp.neg %a : tensor<4xf32>
      amp.yield %0 : tensor<4xf32>
    }
    return %y : tensor<4xf32>
  }
}

// -----

// The result may not overwrite an operand that other points still read.
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @infer(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>, amp.place = #amp.place<input, 0>})
      -> (tensor<4xf32> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>, amp.arena_bytes = 64 : i64} {
    // expected-error @+1 {{operand 0 is read at other elements than result 0 is written, and both stand at #amp.place<input, 0>}}
    %y = amp.group row [4, 4] (%x) {amp.place = [#amp.place<input, 0>]} : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %0 = amp.broadcast %a along [1] : tensor<4xf32> -> tensor<4x4xf32>
      %1 = amp.reduce sum %0 over [1] order row accumulate f32 : tensor<4x4xf32> -> tensor<4xf32>
      amp.yield %1 : tensor<4xf32>
    }
    return %y : tensor<4xf32>
  }
}

// -----

// One of two views of the bytes has the type of the result, the other not: it would be read through
// a pointer of its own while the result is written.
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @infer(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>, amp.place = #amp.place<arena, 0>},
                   %b: tensor<4xi32> {amp.name = "b", amp.io = #amp.io<input>, amp.place = #amp.place<arena, 0>})
      -> (tensor<4xf32> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>, amp.arena_bytes = 64 : i64} {
    // expected-error @+1 {{shares #amp.place<arena, 0> between 4 elements of 'i32' and 4 of 'f32', one of them written}}
    %y = amp.group map [4] (%x, %b) {amp.place = [#amp.place<arena, 0>]} : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>, %c: tensor<4xi32>):
      %0 = amp.cast %c origin user : tensor<4xi32> -> tensor<4xf32>
      %1 = amp.add %a, %0 : tensor<4xf32>
      amp.yield %1 : tensor<4xf32>
    }
    return %y : tensor<4xf32>
  }
}

// -----

module attributes {amp.stage = #amp.stage<placed>} {
  func.func @infer(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>, amp.place = #amp.place<input, 0>})
      -> (tensor<4xf32> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>, amp.arena_bytes = 0 : i64} {
    // expected-error @+1 {{shares #amp.place<output, 0> between 4 elements of 'f32' and 4 of 'i32', one of them written}}
    %y:2 = amp.group map [4] (%x) {amp.place = [#amp.place<output, 0>, #amp.place<output, 0>]}
        : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
    ^bb0(%a: tensor<4xf32>):
      %0 = amp.neg %a : tensor<4xf32>
      %1 = amp.cast %a origin user : tensor<4xf32> -> tensor<4xi32>
      amp.yield %0, %1 : tensor<4xf32>, tensor<4xi32>
    }
    return %y#0 : tensor<4xf32>
  }
}

// -----

module attributes {amp.stage = #amp.stage<placed>} {
  func.func @infer(%x: tensor<2x3xf32> {amp.name = "x", amp.io = #amp.io<input>, amp.place = #amp.place<input, 0>})
      -> (tensor<2x3xf32> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>, amp.arena_bytes = 0 : i64} {
    %y = amp.group map [2, 3] (%x) {amp.place = [#amp.place<output, 0>]} : (tensor<2x3xf32>) -> tensor<2x3xf32> {
    ^bb0(%a: tensor<2x3xf32>):
      // expected-error @+1 {{inside a group must be a splat}}
      %c = amp.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
      %0 = amp.add %a, %c : tensor<2x3xf32>
      amp.yield %0 : tensor<2x3xf32>
    }
    return %y : tensor<2x3xf32>
  }
}

// -----

module attributes {amp.stage = #amp.stage<placed>} {
  func.func @infer(%x: tensor<3xf32> {amp.name = "x", amp.io = #amp.io<input>, amp.place = #amp.place<input, 0>})
      -> (tensor<6xf32> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>, amp.arena_bytes = 0 : i64} {
    %y = amp.group map [6] (%x) {amp.place = [#amp.place<output, 0>]} : (tensor<3xf32>) -> tensor<6xf32> {
    ^bb0(%a: tensor<3xf32>):
      // expected-error @+1 {{under a reshape inside a group is not available yet}}
      %b = amp.broadcast %a along [1] : tensor<3xf32> -> tensor<2x3xf32>
      %0 = amp.reshape %b : tensor<2x3xf32> -> tensor<6xf32>
      amp.yield %0 : tensor<6xf32>
    }
    return %y : tensor<6xf32>
  }
}

// -----

module attributes {amp.stage = #amp.stage<placed>} {
  func.func @infer(%i: tensor<4xi32> {amp.name = "i", amp.io = #amp.io<input>, amp.place = #amp.place<input, 0>},
                   %g: tensor<4xbf16> {amp.name = "g", amp.io = #amp.io<input>, amp.place = #amp.place<input, 1>})
      -> (tensor<9xbf16> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>, amp.arena_bytes = 0 : i64} {
    %y = amp.group scatter [4] (%i, %g) {amp.place = [#amp.place<output, 0>]} : (tensor<4xi32>, tensor<4xbf16>) -> tensor<9xbf16> {
    ^bb0(%i0: tensor<4xi32>, %g0: tensor<4xbf16>):
      // expected-error @+1 {{of 'bf16' inside a group is not available yet}}
      %0 = amp.scatter_rows %i0, %g0 axis 0 : tensor<4xi32>, tensor<4xbf16> -> tensor<9xbf16>
      amp.yield %0 : tensor<9xbf16>
    }
    return %y : tensor<9xbf16>
  }
}

// -----

module attributes {amp.stage = #amp.stage<placed>} {
  func.func @infer(%x: tensor<4x4xf32> {amp.name = "x", amp.io = #amp.io<input>, amp.place = #amp.place<output, 0>})
      -> (tensor<4x4xf32> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>, amp.arena_bytes = 0 : i64} {
    // expected-error @+1 {{operand 0 is read at other elements than result 0 is written}}
    %y = amp.group contraction [4, 4] (%x) {amp.place = [#amp.place<output, 0>]} : (tensor<4x4xf32>) -> tensor<4x4xf32> {
    ^bb0(%a: tensor<4x4xf32>):
      %0 = amp.matmul %a, %a accumulate f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      amp.yield %0 : tensor<4x4xf32>
    }
    return %y : tensor<4x4xf32>
  }
}
