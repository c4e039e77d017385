// RUN: %ampc-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

func.func @group_c1_operands(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 1 operands but its body 0}}
  %r = amp.group map [4] (%x) : (tensor<4xf32>) -> tensor<4xf32> {
    %0 = amp.constant dense<1.0> : tensor<4xf32>
    amp.yield %0 : tensor<4xf32>
  }
  return
}

// -----

func.func @group_c1_operand_types(%x: tensor<4xf32>) {
  // expected-error @+1 {{operand 0 is 'tensor<4xf32>' outside and 'tensor<4xf16>' inside}}
  amp.group map [4] (%x) : (tensor<4xf32>) -> () {
  ^bb0(%x0: tensor<4xf16>):
    amp.yield
  }
  return
}

// -----

func.func @group_c1_results(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 1 results but its body 2}}
  %r = amp.group map [4] (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%x0: tensor<4xf32>):
    amp.yield %x0, %x0 : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @group_c1_result_types(%x: tensor<4xf32>) {
  // expected-error @+1 {{result 0 is 'tensor<4xf16>' outside and 'tensor<4xf32>' inside}}
  %r = amp.group map [4] (%x) : (tensor<4xf32>) -> tensor<4xf16> {
  ^bb0(%x0: tensor<4xf32>):
    amp.yield %x0 : tensor<4xf32>
  }
  return
}

// -----

func.func @group_c2_composite(%x: tensor<4xf32>) {
  // expected-error @+1 {{body must hold fusible primitives}}
  %r = amp.group map [4] (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%x0: tensor<4xf32>):
    // expected-note @+1 {{found 'amp.relu' here}}
    %0 = amp.relu %x0 : tensor<4xf32>
    amp.yield %0 : tensor<4xf32>
  }
  return
}

// -----

amp.variable @w : tensor<4xf32> role parameter init zeros
func.func @group_c2_read() {
  // expected-error @+1 {{body must hold fusible primitives}}
  %r = amp.group map [4] () : () -> tensor<4xf32> {
    // expected-note @+1 {{found 'amp.read' here}}
    %0 = amp.read @w : tensor<4xf32>
    amp.yield %0 : tensor<4xf32>
  }
  return
}

// -----

func.func @group_c2_contraction(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{of kind map cannot hold this op}}
  %r = amp.group map [4, 4] (%x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%x0: tensor<4x4xf32>):
    // expected-note @+1 {{found 'amp.matmul' here}}
    %0 = amp.matmul %x0, %x0 accumulate f32
       : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    amp.yield %0 : tensor<4x4xf32>
  }
  return
}

// -----

func.func @group_c3_map(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{of kind map cannot hold this op}}
  %r = amp.group map [2, 3] (%x) : (tensor<2x3xf32>) -> tensor<2xf32> {
  ^bb0(%x0: tensor<2x3xf32>):
    // expected-note @+1 {{found 'amp.reduce' here}}
    %0 = amp.reduce sum %x0 over [1] order row accumulate f32 : tensor<2x3xf32> -> tensor<2xf32>
    amp.yield %0 : tensor<2xf32>
  }
  return
}

// -----

func.func @group_c3_order(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{of kind row cannot hold this op}}
  %r = amp.group row [2, 3] (%x) : (tensor<2x3xf32>) -> tensor<3xf32> {
  ^bb0(%x0: tensor<2x3xf32>):
    // expected-note @+1 {{found 'amp.reduce' here}}
    %0 = amp.reduce sum %x0 over [0] order column accumulate f32 : tensor<2x3xf32> -> tensor<3xf32>
    amp.yield %0 : tensor<3xf32>
  }
  return
}

// -----

func.func @group_c3_axes(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{of kind row cannot hold this op}}
  %r:2 = amp.group row [2, 3] (%x) : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<f32>) {
  ^bb0(%x0: tensor<2x3xf32>):
    %0 = amp.reduce sum %x0 over [1] order row accumulate f32 : tensor<2x3xf32> -> tensor<2xf32>
    // expected-note @+1 {{found 'amp.reduce' here}}
    %1 = amp.reduce sum %x0 over [0, 1] order row accumulate f32 : tensor<2x3xf32> -> tensor<f32>
    amp.yield %0, %1 : tensor<2xf32>, tensor<f32>
  }
  return
}

// -----

func.func @group_c3_space(%x: tensor<2x3xf32>) {
  %r = amp.group row [2, 4] (%x) : (tensor<2x3xf32>) -> tensor<2xf32> {
  ^bb0(%x0: tensor<2x3xf32>):
    // expected-error @+1 {{must reduce the group's space [2, 4], got [2, 3]}}
    %0 = amp.reduce sum %x0 over [1] order row accumulate f32 : tensor<2x3xf32> -> tensor<2xf32>
    amp.yield %0 : tensor<2xf32>
  }
  return
}

// -----

func.func @group_c3_none(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{of kind row holds no reduction}}
  %r = amp.group row [2, 3] (%x) : (tensor<2x3xf32>) -> tensor<2x3xf32> {
  ^bb0(%x0: tensor<2x3xf32>):
    amp.yield %x0 : tensor<2x3xf32>
  }
  return
}

// -----

func.func @group_c6_moved(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{must take operand 0 of this op from outside}}
  %r = amp.group map [3, 2] (%x) : (tensor<2x3xf32>) -> tensor<3x2xf32> {
  ^bb0(%x0: tensor<2x3xf32>):
    %0 = amp.exp %x0 : tensor<2x3xf32>
    // expected-note @+1 {{found 'amp.transpose' here}}
    %1 = amp.transpose %0 perm [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    amp.yield %1 : tensor<3x2xf32>
  }
  return
}

// -----

func.func @group_c7_kind(%x: tensor<4xf32>) {
  // expected-error @+1 {{of kind scatter must hold one scatter}}
  %r = amp.group scatter [4] (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%x0: tensor<4xf32>):
    // expected-note @+1 {{found 'amp.exp' here}}
    %0 = amp.exp %x0 : tensor<4xf32>
    amp.yield %0 : tensor<4xf32>
  }
  return
}

// -----

func.func @group_c7_yield(%i: tensor<3xi32>, %g: tensor<3xf32>) {
  // expected-error @+1 {{of kind scatter must yield its op's result}}
  %r = amp.group scatter [3] (%i, %g) : (tensor<3xi32>, tensor<3xf32>) -> tensor<3xf32> {
  ^bb0(%i0: tensor<3xi32>, %g0: tensor<3xf32>):
    %0 = amp.scatter_rows %i0, %g0 axis 0 : tensor<3xi32>, tensor<3xf32> -> tensor<9xf32>
    amp.yield %g0 : tensor<3xf32>
  }
  return
}

// -----

func.func @group_c7_space(%i: tensor<3xi32>, %g: tensor<3xf32>) {
  %r = amp.group scatter [9] (%i, %g) : (tensor<3xi32>, tensor<3xf32>) -> tensor<9xf32> {
  ^bb0(%i0: tensor<3xi32>, %g0: tensor<3xf32>):
    // expected-error @+1 {{must have updates of the group's space [9], got [3]}}
    %0 = amp.scatter_rows %i0, %g0 axis 0 : tensor<3xi32>, tensor<3xf32> -> tensor<9xf32>
    amp.yield %0 : tensor<9xf32>
  }
  return
}

// -----

// Damaged bodies in the generic form are diagnosed, not trusted.
func.func @group_terminator(%x: tensor<4xf32>) {
  // expected-error @+2 {{expects regions to end with 'amp.yield', found 'test.end'}}
  // expected-note @+1 {{in custom textual format, the absence of terminator implies 'amp.yield'}}
  %r = "amp.group"(%x) <{kind = 0 : i32, space = array<i64: 4>}> ({
  ^bb0(%x0: tensor<4xf32>):
    "test.end"(%x0) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @group_empty() {
  // expected-error @+1 {{region #0 ('body') failed to verify constraint: region with 1 blocks}}
  "amp.group"() <{kind = 0 : i32, space = array<i64: 4>}> ({}) : () -> ()
  return
}

// -----

func.func @group_operand_type() {
  %r = amp.group row [4] () : () -> tensor<f32> {
  ^bb0(%i: index):
    // expected-error @+1 {{operand #0 must be statically shaped tensor}}
    %0 = "amp.reduce"(%i) <{kind = 0 : i32, axes = array<i64: 0>, order = 0 : i32, accumulation = f32}>
       : (index) -> tensor<f32>
    amp.yield %0 : tensor<f32>
  }
  return
}

// -----

func.func @group_isolated(%x: tensor<4xf32>) {
  // expected-note @+1 {{required by region isolation constraints}}
  %r = amp.group map [4] () : () -> tensor<4xf32> {
    // expected-error @+1 {{using value defined outside the region}}
    %0 = amp.neg %x : tensor<4xf32>
    amp.yield %0 : tensor<4xf32>
  }
  return
}

// -----

func.func @yield_parent() {
  // expected-error @+1 {{expects parent op to be one of 'amp.group, amp.foreach'}}
  amp.yield
}

// -----

func.func @group_c4(%a: tensor<4x2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{result 0 must have 8 elements (the space), got 3}}
  %0 = amp.group map [4, 2](%a) : (tensor<4x2xf32>) -> tensor<3xf32> {
  ^bb0(%x: tensor<4x2xf32>):
    %1 = amp.constant dense<0.0> : tensor<3xf32>
    amp.yield %1 : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}

// -----

func.func @group_c4_reduced(%a: tensor<4x2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{result 0 must have 8 elements (the space) or 4 (after the reduction), got 3}}
  %0 = amp.group row [4, 2](%a) : (tensor<4x2xf32>) -> tensor<3xf32> {
  ^bb0(%x: tensor<4x2xf32>):
    %1 = amp.reduce sum %x over [1] order row accumulate f32 : tensor<4x2xf32> -> tensor<4xf32>
    %2 = amp.constant dense<0.0> : tensor<3xf32>
    amp.yield %2 : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}

// -----

func.func @group_c5(%a: tensor<4x2x3xf32>) -> tensor<2xf32> {
  %0 = amp.group column [4, 2, 3](%a) : (tensor<4x2x3xf32>) -> tensor<2xf32> {
  ^bb0(%x: tensor<4x2x3xf32>):
    // expected-error@+1 {{in a group must reduce one run of axes, got [0, 2]}}
    %1 = amp.reduce sum %x over [0, 2] order column accumulate f32 : tensor<4x2x3xf32> -> tensor<2xf32>
    amp.yield %1 : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

// -----

func.func @group_c6_product(%a: tensor<4x2xf32>, %b: tensor<2x3xf32>) -> tensor<4x3xf32> {
  // expected-error@+1 {{must take operand 0 of this op from outside}}
  %0 = amp.group contraction [4, 3](%a, %b) : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32> {
  ^bb0(%x: tensor<4x2xf32>, %y: tensor<2x3xf32>):
    %1 = amp.neg %x : tensor<4x2xf32>
    // expected-note@+1 {{found 'amp.matmul' here}}
    %2 = amp.matmul %1, %y accumulate f32 : tensor<4x2xf32>, tensor<2x3xf32> -> tensor<4x3xf32>
    amp.yield %2 : tensor<4x3xf32>
  }
  return %0 : tensor<4x3xf32>
}

// -----

func.func @group_c8_none(%a: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // expected-error@+1 {{of kind contraction holds no product}}
  %0 = amp.group contraction [4, 2](%a) : (tensor<4x2xf32>) -> tensor<4x2xf32> {
  ^bb0(%x: tensor<4x2xf32>):
    %1 = amp.neg %x : tensor<4x2xf32>
    amp.yield %1 : tensor<4x2xf32>
  }
  return %0 : tensor<4x2xf32>
}

// -----

func.func @group_c8_two(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{of kind contraction must hold one product}}
  %0 = amp.group contraction [4, 4](%a) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%x: tensor<4x4xf32>):
    %1 = amp.matmul %x, %x accumulate f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    // expected-note@+1 {{found 'amp.matmul' here}}
    %2 = amp.matmul %x, %x transpose_b accumulate f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    %3 = amp.add %1, %2 : tensor<4x4xf32>
    amp.yield %3 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

func.func @group_c8_epilogue(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{must hold the epilogue as ops of its own}}
  %0 = amp.group contraction [4, 4](%a) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%x: tensor<4x4xf32>):
    // expected-note@+1 {{found 'amp.matmul' here}}
    %1 = amp.matmul %x, %x relu accumulate f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    amp.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

func.func @group_c8_reduction(%a: tensor<4x4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{of kind contraction cannot hold this op}}
  %0 = amp.group contraction [4, 4](%a) : (tensor<4x4xf32>) -> tensor<4xf32> {
  ^bb0(%x: tensor<4x4xf32>):
    %1 = amp.matmul %x, %x accumulate f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    // expected-note@+1 {{found 'amp.reduce' here}}
    %2 = amp.reduce sum %1 over [1] order row accumulate f32 : tensor<4x4xf32> -> tensor<4xf32>
    amp.yield %2 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @group_c8_space(%a: tensor<4x4xf32>) -> tensor<2x8xf32> {
  %0 = amp.group contraction [2, 8](%a) : (tensor<4x4xf32>) -> tensor<2x8xf32> {
  ^bb0(%x: tensor<4x4xf32>):
    // expected-error@+1 {{must have the elements and the last extent of the group's space [2, 8], got [4, 4]}}
    %1 = amp.matmul %x, %x accumulate f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    %2 = amp.reshape %1 : tensor<4x4xf32> -> tensor<2x8xf32>
    amp.yield %2 : tensor<2x8xf32>
  }
  return %0 : tensor<2x8xf32>
}
