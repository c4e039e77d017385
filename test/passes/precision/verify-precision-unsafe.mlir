// RUN: %ampc-opt %s -amp-verify-precision=unsafe | FileCheck %s

// Leave to go without a scaled loss.

// CHECK-LABEL: @train_step
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<4xf32> role parameter init zeros
  func.func @train_step(%t: tensor<i64> {amp.name = "t", amp.io = #amp.io<input>},
                        %r: tensor<f32> {amp.name = "r", amp.io = #amp.io<input>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<4xf32>
    %v = amp.cast %w origin policy : tensor<4xf32> -> tensor<4xf16>
    %1 = amp.cast %v origin policy : tensor<4xf16> -> tensor<4xf32>
    %2 = amp.sgd %w, %1 update %t lr %r : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    amp.write @w, %2 : tensor<4xf32>
    return
  }
}
