// RUN: %ampc-opt %s -amp-erase-dead-ops | FileCheck %s

// A dead chain goes whole; writes and what they need stay.
module {
  amp.variable @w : tensor<4xf32> role parameter init zeros
  // CHECK-LABEL: @f
  // CHECK-NEXT: %[[E:.*]] = amp.exp %arg0
  // CHECK-NEXT: amp.write @w, %[[E]]
  // CHECK-NEXT: return %arg0
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = amp.neg %x : tensor<4xf32>
    %1 = amp.neg %0 : tensor<4xf32>
    %2 = amp.neg %1 : tensor<4xf32>
    %3 = amp.exp %x : tensor<4xf32>
    amp.write @w, %3 : tensor<4xf32>
    return %x : tensor<4xf32>
  }
}
