// RUN: %ampc-opt %s -pass-pipeline="builtin.module(func.func(amp-split-heads))" --remarks-filter=fusion -split-input-file -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t

module attributes {amp.target = #amp.target<kind = "cpu", level = "avx512", vector_bytes = 64, cache_bytes = 2097152, bandwidth = 12.0 : f64, launch_ns = 2000.0 : f64, fast = []>} {
  // Two query heads read a key head; the mask of all heads has a slice a batch.
  // REMARK: [Passed] heads | Category:fusion | Function=grouped | Remark="attention is computed head by head: 3072 bytes of scores are not stored"
  // CHECK-LABEL: @grouped
  // CHECK: %[[R:.*]]:2 = amp.foreach 8(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) divisors [1, 1, 1, 4] : (tensor<2x8x6x4xf32>, tensor<2x4x8x4xf32>, tensor<2x4x8x5xf32>, tensor<2x1x1x8xi1>) -> (tensor<2x8x6x5xf32>, tensor<2x8x6xf32>)
  // CHECK-NEXT: ^bb0(%[[Q:.*]]: tensor<1x2x6x4xf32>, %[[K:.*]]: tensor<1x1x8x4xf32>, %[[V:.*]]: tensor<1x1x8x5xf32>, %[[M:.*]]: tensor<1x1x1x8xi1>):
  // CHECK-NEXT: %[[O:.*]], %[[L:.*]] = amp.attention %[[Q]], %[[K]], %[[V]] mask %[[M]] : tensor<1x1x1x8xi1> scale {{.*}} -> tensor<1x2x6x5xf32>, tensor<1x2x6xf32>
  // CHECK-NEXT: amp.yield %[[O]], %[[L]] : tensor<1x2x6x5xf32>, tensor<1x2x6xf32>
  // CHECK: return %[[R]]#0, %[[R]]#1
  func.func @grouped(%q: tensor<2x8x6x4xf32>, %k: tensor<2x4x8x4xf32>, %v: tensor<2x4x8x5xf32>, %m: tensor<2x1x1x8xi1>)
      -> (tensor<2x8x6x5xf32>, tensor<2x8x6xf32>) {
    %o, %l = amp.attention %q, %k, %v mask %m : tensor<2x1x1x8xi1> scale 0.5 dropout 0.0 mode train site 0
       : tensor<2x8x6x4xf32>, tensor<2x4x8x4xf32>, tensor<2x4x8x5xf32> -> tensor<2x8x6x5xf32>, tensor<2x8x6xf32>
    return %o, %l : tensor<2x8x6x5xf32>, tensor<2x8x6xf32>
  }

  // A result that nothing reads is no result of the loop; a mask of one batch has a slice a key head. The key of
  // dropout that does not draw goes along.
  // CHECK-LABEL: @unread
  // CHECK: amp.foreach 8({{.*}}) divisors [1, 1, 1, 1, 1, 1, 1] : (tensor<2x8x6x4xf32>, tensor<2x4x8x4xf32>, tensor<2x4x8x5xf32>, tensor<1x8x6x1xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<2x8x6x5xf32>
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<1x2x6x4xf32>, %{{.*}}: tensor<1x1x8x4xf32>, %{{.*}}: tensor<1x1x8x5xf32>, %{{.*}}: tensor<1x2x6x1xf32>, %{{.*}}: tensor<i64>, %{{.*}}: tensor<i64>, %{{.*}}: tensor<i64>):
  func.func @unread(%q: tensor<2x8x6x4xf32>, %k: tensor<2x4x8x4xf32>, %v: tensor<2x4x8x5xf32>, %m: tensor<1x8x6x1xf32>, %s: tensor<i64>)
      -> tensor<2x8x6x5xf32> {
    %o, %l = amp.attention %q, %k, %v mask %m : tensor<1x8x6x1xf32> key(%s, %s, %s) scale 0.5 dropout 0.1 mode eval site 0
       : tensor<2x8x6x4xf32>, tensor<2x4x8x4xf32>, tensor<2x4x8x5xf32> -> tensor<2x8x6x5xf32>, tensor<2x8x6xf32>
    return %o : tensor<2x8x6x5xf32>
  }

  // CHECK-LABEL: @gradients
  // CHECK: amp.foreach 8({{.*}}) divisors [1, 1, 1, 1, 1, 1] {amp.checkpoint = 3 : i64} : {{.*}} -> (tensor<2x8x6x4xf32>, tensor<2x4x8x5xf32>)
  // CHECK: %[[G:.*]]:3 = amp.attention_gradient {{.*}} -> tensor<1x2x6x4xf32>, tensor<1x1x8x4xf32>, tensor<1x1x8x5xf32>
  // CHECK-NEXT: amp.yield %[[G]]#0, %[[G]]#2 : tensor<1x2x6x4xf32>, tensor<1x1x8x5xf32>
  func.func @gradients(%q: tensor<2x8x6x4xf32>, %k: tensor<2x4x8x4xf32>, %v: tensor<2x4x8x5xf32>, %o: tensor<2x8x6x5xf32>, %l: tensor<2x8x6xf32>)
      -> (tensor<2x8x6x4xf32>, tensor<2x4x8x5xf32>) {
    %g:3 = amp.attention_gradient %q, %k, %v, %o, %l, %o scale 0.5 dropout 0.0 mode train site 0 {amp.checkpoint = 3 : i64}
       : tensor<2x8x6x4xf32>, tensor<2x4x8x4xf32>, tensor<2x4x8x5xf32>, tensor<2x8x6x5xf32>, tensor<2x8x6xf32>, tensor<2x8x6x5xf32>
       -> tensor<2x8x6x4xf32>, tensor<2x4x8x4xf32>, tensor<2x4x8x5xf32>
    return %g#0, %g#2 : tensor<2x8x6x4xf32>, tensor<2x4x8x5xf32>
  }

  // One value in the place of three operands is sliced for each.
  // CHECK-LABEL: @same
  // CHECK: amp.foreach 8(%[[X:.*]], %[[X]], %[[X]]) divisors [1, 1, 1]
  // CHECK-NEXT: ^bb0(%[[Q:.*]]: tensor<1x1x6x4xf32>, %[[K:.*]]: tensor<1x1x6x4xf32>, %[[V:.*]]: tensor<1x1x6x4xf32>):
  // CHECK-NEXT: amp.attention %[[Q]], %[[K]], %[[V]] scale
  func.func @same(%x: tensor<1x8x6x4xf32>) -> tensor<1x8x6x4xf32> {
    %o, %l = amp.attention %x, %x, %x scale 0.5 dropout 0.0 mode train site 0
       : tensor<1x8x6x4xf32>, tensor<1x8x6x4xf32>, tensor<1x8x6x4xf32> -> tensor<1x8x6x4xf32>, tensor<1x8x6xf32>
    return %o : tensor<1x8x6x4xf32>
  }

  // REMARK: [Missed] heads | Category:fusion | Function=negative_few | Reason="7 key heads of all batches, fewer than 8", Remark="attention is computed for all heads at once"
  // CHECK-LABEL: @negative_few
  // CHECK-NOT: amp.foreach
  func.func @negative_few(%q: tensor<1x7x6x4xf32>) -> tensor<1x7x6x4xf32> {
    %o, %l = amp.attention %q, %q, %q scale 0.5 dropout 0.0 mode train site 0
       : tensor<1x7x6x4xf32>, tensor<1x7x6x4xf32>, tensor<1x7x6x4xf32> -> tensor<1x7x6x4xf32>, tensor<1x7x6xf32>
    return %o : tensor<1x7x6x4xf32>
  }

  // REMARK: Function=negative_dropout | Reason="the numbers of dropout count over all heads"
  // CHECK-LABEL: @negative_dropout
  // CHECK-NOT: amp.foreach
  func.func @negative_dropout(%q: tensor<1x8x6x4xf32>, %s: tensor<i64>) -> tensor<1x8x6x4xf32> {
    %o, %l = amp.attention %q, %q, %q key(%s, %s, %s) scale 0.5 dropout 0.5 mode train site 0
       : tensor<1x8x6x4xf32>, tensor<1x8x6x4xf32>, tensor<1x8x6x4xf32> -> tensor<1x8x6x4xf32>, tensor<1x8x6xf32>
    return %o : tensor<1x8x6x4xf32>
  }

  // The forward shares its scores with a gradient that stays whole.
  // REMARK: Function=negative_mask | Reason="the gradient of the mask is a sum over heads"
  // REMARK: Function=negative_mask | Reason="the gradient of the mask is a sum over heads"
  // CHECK-LABEL: @negative_mask
  // CHECK-NOT: amp.foreach
  func.func @negative_mask(%q: tensor<1x8x6x4xf32>, %m: tensor<1x1x6x6xf32>) -> tensor<1x1x6x6xf32> {
    %o, %l = amp.attention %q, %q, %q mask %m : tensor<1x1x6x6xf32> scale 0.5 dropout 0.0 mode train site 0
       : tensor<1x8x6x4xf32>, tensor<1x8x6x4xf32>, tensor<1x8x6x4xf32> -> tensor<1x8x6x4xf32>, tensor<1x8x6xf32>
    %g:4 = amp.attention_gradient %q, %q, %q, %o, %l, %q mask %m : tensor<1x1x6x6xf32> scale 0.5 dropout 0.0 mode train site 0
       : tensor<1x8x6x4xf32>, tensor<1x8x6x4xf32>, tensor<1x8x6x4xf32>, tensor<1x8x6x4xf32>, tensor<1x8x6xf32>, tensor<1x8x6x4xf32>
       -> tensor<1x8x6x4xf32>, tensor<1x8x6x4xf32>, tensor<1x8x6x4xf32>, tensor<1x1x6x6xf32>
    return %g#3 : tensor<1x1x6x6xf32>
  }

  // No keys: zeros, which nothing splits.
  // CHECK-LABEL: @negative_empty
  // CHECK-NOT: amp.foreach
  func.func @negative_empty(%q: tensor<1x8x6x4xf32>, %k: tensor<1x8x0x4xf32>) -> tensor<1x8x6x4xf32> {
    %o, %l = amp.attention %q, %k, %k scale 0.5 dropout 0.0 mode train site 0
       : tensor<1x8x6x4xf32>, tensor<1x8x0x4xf32>, tensor<1x8x0x4xf32> -> tensor<1x8x6x4xf32>, tensor<1x8x6xf32>
    return %o : tensor<1x8x6x4xf32>
  }
}

// -----

// A device whose library multiplies.
module attributes {amp.target = #amp.target<kind = "cuda", level = "sm_80", vector_bytes = 16, cache_bytes = 2097152, bandwidth = 1500.0 : f64, launch_ns = 2000.0 : f64, fast = []>} {
  // CHECK-LABEL: @negative_library
  // CHECK-NOT: amp.foreach
  func.func @negative_library(%q: tensor<1x8x6x4xf32>) -> tensor<1x8x6x4xf32> {
    %o, %l = amp.attention %q, %q, %q scale 0.5 dropout 0.0 mode train site 0
       : tensor<1x8x6x4xf32>, tensor<1x8x6x4xf32>, tensor<1x8x6x4xf32> -> tensor<1x8x6x4xf32>, tensor<1x8x6xf32>
    return %o : tensor<1x8x6x4xf32>
  }
}
