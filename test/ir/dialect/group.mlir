// RUN: %ampc-opt %s | FileCheck %s

// CHECK-LABEL: func.func @map(
// CHECK-SAME: %[[X:.+]]: tensor<2x3xf32>, %[[B:.+]]: tensor<3xf32>
func.func @map(%x: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  // CHECK: amp.group map [2, 3](%[[X]], %[[B]]) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32> {
  // CHECK-NEXT: ^bb0(%[[X0:.+]]: tensor<2x3xf32>, %[[B0:.+]]: tensor<3xf32>):
  %r = amp.group map [2, 3] (%x, %b) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32> {
  ^bb0(%x0: tensor<2x3xf32>, %b0: tensor<3xf32>):
    // CHECK-NEXT: %[[S:.+]] = amp.broadcast %[[B0]] along [1]
    %0 = amp.broadcast %b0 along [1] : tensor<3xf32> -> tensor<2x3xf32>
    // CHECK-NEXT: %[[Y:.+]] = amp.add %[[X0]], %[[S]]
    %1 = amp.add %x0, %0 : tensor<2x3xf32>
    // CHECK-NEXT: amp.yield %[[Y]] : tensor<2x3xf32>
    amp.yield %1 : tensor<2x3xf32>
  }
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @row(
func.func @row(%x: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // CHECK: amp.group row [2, 3](%{{.+}}) : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %r:2 = amp.group row [2, 3] (%x) : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%x0: tensor<2x3xf32>):
    // CHECK: amp.reduce sum
    %0 = amp.reduce sum %x0 over [1] order row accumulate f32 : tensor<2x3xf32> -> tensor<2xf32>
    // CHECK: amp.reduce max
    %1 = amp.reduce max %x0 over [1] order row accumulate f32 : tensor<2x3xf32> -> tensor<2xf32>
    // CHECK: amp.sqrt
    %2 = amp.sqrt %0 : tensor<2xf32>
    // CHECK: amp.yield %{{.+}}, %{{.+}} : tensor<2xf32>, tensor<2xf32>
    amp.yield %2, %1 : tensor<2xf32>, tensor<2xf32>
  }
  return %r#0, %r#1 : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @column(
func.func @column(%x: tensor<2x3xf32>) -> tensor<3xf32> {
  // CHECK: amp.group column [2, 3](%{{.+}}) : (tensor<2x3xf32>) -> tensor<3xf32>
  %r = amp.group column [2, 3] (%x) : (tensor<2x3xf32>) -> tensor<3xf32> {
  ^bb0(%x0: tensor<2x3xf32>):
    // CHECK: amp.reduce sum
    %0 = amp.reduce sum %x0 over [0] order column accumulate f32 : tensor<2x3xf32> -> tensor<3xf32>
    amp.yield %0 : tensor<3xf32>
  }
  return %r : tensor<3xf32>
}

// A group may draw constants of its own and take no operand.
// CHECK-LABEL: func.func @no_operands(
func.func @no_operands() -> tensor<4xf32> {
  // CHECK: amp.group map [4]() : () -> tensor<4xf32>
  %r = amp.group map [4] () : () -> tensor<4xf32> {
    // CHECK: amp.constant
    %0 = amp.constant dense<1.0> : tensor<4xf32>
    amp.yield %0 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
