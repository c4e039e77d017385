// RUN: %ampc-opt %s -amp-copy-weights -split-input-file | FileCheck %s

// A parameter that entries read in bf16 gets one working copy: every entry reads
// it, the step writes it beside its parameter, and no cast of the parameter is
// left (N22). The cast that the step writes it with stands there for the reason of the cast that it
// replaces.

// CHECK: amp.variable @w : tensor<4x2xf32> role parameter
// CHECK-NEXT: amp.variable @"ampc.copy16/w" : tensor<4x2xbf16> role copy16 copy_of @w init zeros
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<4x2xf32> role parameter init ones
  // CHECK-LABEL: @train_step
  func.func @train_step(%v: tensor<4x2xf32>) -> (tensor<4x2xbf16>, tensor<4x2xf32>) {
    // CHECK-NEXT: %[[C:.*]] = amp.read @"ampc.copy16/w" {amp.reason = #amp.reason<lower>} : tensor<4x2xbf16>
    // CHECK-NEXT: %[[W:.*]] = amp.read @w
    // CHECK-NEXT: %[[N:.*]] = amp.cast %arg0 origin policy {amp.reason = #amp.reason<lower>} : tensor<4x2xf32> -> tensor<4x2xbf16>
    // CHECK-NEXT: amp.write @w, %arg0
    // CHECK-NEXT: amp.write @"ampc.copy16/w", %[[N]]
    // CHECK-NEXT: return %[[C]], %[[W]]
    %0 = amp.read @w : tensor<4x2xf32>
    %1 = amp.cast %0 origin policy {amp.reason = #amp.reason<lower>} : tensor<4x2xf32> -> tensor<4x2xbf16>
    amp.write @w, %v : tensor<4x2xf32>
    return %1, %0 : tensor<4x2xbf16>, tensor<4x2xf32>
  }

  // CHECK-LABEL: @infer
  func.func @infer() -> (tensor<4x2xbf16>) {
    // CHECK-NEXT: %[[C:.*]] = amp.read @"ampc.copy16/w"
    // CHECK-NEXT: return %[[C]]
    %0 = amp.read @w : tensor<4x2xf32>
    %1 = amp.cast %0 origin policy : tensor<4x2xf32> -> tensor<4x2xbf16>
    return %1 : tensor<4x2xbf16>
  }
}

// -----

// A cast that the model writes is its own (N2), and so is state that is no
// parameter. Two formats are two copies.

module attributes {amp.stage = #amp.stage<step>} {
  // CHECK: amp.variable @w
  // CHECK-DAG: amp.variable @"ampc.copy16/w" : tensor<2xf16>
  // CHECK-DAG: amp.variable @"ampc.copy16/w.bf16" : tensor<2xbf16>
  amp.variable @w : tensor<2xf32> role parameter init ones
  amp.variable @s : tensor<2xf32> role statistic init ones
  // CHECK-LABEL: @infer
  func.func @infer() -> (tensor<2xbf16>, tensor<2xbf16>, tensor<2xf16>, tensor<2xbf16>) {
    // CHECK-DAG: amp.cast %{{.*}} origin user
    // CHECK-DAG: %[[S:.*]] = amp.read @s
    // CHECK-DAG: amp.cast %[[S]] origin policy
    %0 = amp.read @w : tensor<2xf32>
    %1 = amp.cast %0 origin user : tensor<2xf32> -> tensor<2xbf16>
    %2 = amp.read @s : tensor<2xf32>
    %3 = amp.cast %2 origin policy : tensor<2xf32> -> tensor<2xbf16>
    %4 = amp.cast %0 origin policy : tensor<2xf32> -> tensor<2xbf16>
    %5 = amp.cast %0 origin policy : tensor<2xf32> -> tensor<2xf16>
    return %1, %3, %5, %4 : tensor<2xbf16>, tensor<2xbf16>, tensor<2xf16>, tensor<2xbf16>
  }
}
