// RUN: %ampc-opt %s -amp-verify-fused -split-input-file -verify-diagnostics

// fused_c1
// expected-error @below {{is not in stage fused}}
module attributes {amp.stage = #amp.stage<step>} {
}

// -----

// fused_c2
module attributes {amp.stage = #amp.stage<fused>} {
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{cannot stand outside a group in stage fused}}
    %0 = amp.exp %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// fused_c2
module attributes {amp.stage = #amp.stage<fused>} {
  func.func @loop(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = amp.foreach 3(%x) divisors [1] : (tensor<3x4xf32>) -> tensor<3x4xf32> {
    ^bb0(%x0: tensor<4xf32>):
      // expected-error @below {{cannot stand in the body of amp.foreach in stage fused, which runs kernels alone}}
      %1 = amp.exp %x0 : tensor<4xf32>
      amp.yield %1 : tensor<4xf32>
    }
    return %0 : tensor<3x4xf32>
  }
}

// -----

// fused_c2: nobody runs a product of the library in a loop.
module attributes {amp.stage = #amp.stage<fused>} {
  func.func @loop_product(%x: tensor<3x2x2xf32>) -> tensor<3x2x2xf32> {
    %0 = amp.foreach 3(%x) divisors [1] : (tensor<3x2x2xf32>) -> tensor<3x2x2xf32> {
    ^bb0(%x0: tensor<2x2xf32>):
      // expected-error @below {{'amp.matmul' op cannot stand in the body of amp.foreach in stage fused, which runs kernels alone}}
      %1 = amp.matmul %x0, %x0 accumulate f32 : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
      amp.yield %1 : tensor<2x2xf32>
    }
    return %0 : tensor<3x2x2xf32>
  }
}
