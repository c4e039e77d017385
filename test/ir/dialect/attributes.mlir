// RUN: %ampc-opt %s -split-input-file | FileCheck %s

// CHECK-LABEL: module @whole
// CHECK-SAME: amp.data = [{names = ["x", "y"], source = "normal:1"}]
// CHECK-SAME: amp.model = "mlp"
// CHECK-SAME: amp.stage = #amp.stage<model>
// CHECK-SAME: amp.target = #amp.target<kind = "cpu", level = "avx512", vector_bytes = 64, cache_bytes = 2097152, bandwidth = 5.000000e+01 : f64, launch_ns = 2.000000e+03 : f64>
// CHECK-SAME: amp.train = {optimizer = {lr = 1.000000e-03 : f64, op = "amp.adam"}, steps = 20 : i64}
module @whole attributes {
  amp.stage = #amp.stage<model>, amp.model = "mlp",
  amp.train = {optimizer = {op = "amp.adam", lr = 0.001 : f64}, steps = 20 : i64},
  amp.data = [{names = ["x", "y"], source = "normal:1"}],
  amp.target = #amp.target<kind = "cpu", level = "avx512", vector_bytes = 64,
                           cache_bytes = 2097152, bandwidth = 50.0 : f64, launch_ns = 2000.0 : f64>
} {
  // CHECK: func.func @forward(
  // CHECK-SAME: %{{.+}}: tensor<2xf32> {amp.io = #amp.io<input>, amp.name = "x"}
  // CHECK-SAME: %{{.+}}: tensor<2xf32> {amp.io = #amp.io<target>, amp.name = "y"}
  // CHECK-SAME: -> (tensor<2xf32> {amp.io = #amp.io<output>, amp.name = "o"}
  // CHECK-SAME: tensor<f32> {amp.io = #amp.io<loss>, amp.name = "loss"}
  // CHECK-SAME: tensor<f32> {amp.io = #amp.io<metric>, amp.name = "accuracy"}
  // CHECK-SAME: attributes {amp.entry = #amp.entry<forward>}
  func.func @forward(%x: tensor<2xf32> {amp.io = #amp.io<input>, amp.name = "x"},
                     %y: tensor<2xf32> {amp.io = #amp.io<target>, amp.name = "y"})
      -> (tensor<2xf32> {amp.io = #amp.io<output>, amp.name = "o"},
          tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>},
          tensor<f32> {amp.io = #amp.io<metric>, amp.name = "accuracy"})
      attributes {amp.entry = #amp.entry<forward>} {
    %l = amp.mse sum %x, %y : tensor<2xf32> -> tensor<f32>
    return %x, %l, %l : tensor<2xf32>, tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: module @data
// CHECK-SAME: amp.data_shuffle = false
// CHECK-SAME: amp.data_validation = 1.000000e-01 : f64
// CHECK-SAME: amp.model_hash = 7 : i64
module @data attributes {amp.data_shuffle = false, amp.data_validation = 0.1, amp.model_hash = 7 : i64} {
  // CHECK: func.func @eval_step(
  // CHECK-SAME: amp.index_range = [#amp.index_range<low = 0, high = 10, ignore = -100 : i64, offset = 1, extents = [4], strides = [2], noun = "label", op = "cross_entropy", loc = loc("m.amp":12:3)>]
  // CHECK-SAME: -> (tensor<8xi32> {amp.io = #amp.io<partial>
  func.func @eval_step(%x: tensor<8xi32> {amp.name = "x", amp.io = #amp.io<target>,
        amp.index_range = [#amp.index_range<low = 0, high = 10, ignore = -100, offset = 1,
                             extents = [4], strides = [2], noun = "label",
                             op = "cross_entropy", loc = loc("m.amp":12:3)>]})
      -> (tensor<8xi32> {amp.name = "s", amp.io = #amp.io<partial>})
      attributes {amp.entry = #amp.entry<eval_step>} {
    return %x : tensor<8xi32>
  }
  // CHECK: amp.entry = #amp.entry<eval_finish>
  func.func @eval_finish(%x: tensor<f32> {amp.name = "s", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "m", amp.io = #amp.io<metric>, amp.eval_only})
      attributes {amp.entry = #amp.entry<eval_finish>} {
    return %x : tensor<f32>
  }
}

// -----

// CHECK-LABEL: module @stages
module @stages {
  // CHECK: amp.stage = #amp.stage<typed>
  module attributes {amp.stage = #amp.stage<typed>} {}
  // CHECK: amp.stage = #amp.stage<step>
  module attributes {amp.stage = #amp.stage<step>} {}
  // CHECK: amp.stage = #amp.stage<fused>
  module attributes {amp.stage = #amp.stage<fused>} {}
  // CHECK: amp.stage = #amp.stage<placed>
  module attributes {amp.stage = #amp.stage<placed>} {}
}

// -----

// CHECK-LABEL: module @placed
module @placed attributes {amp.stage = #amp.stage<placed>} {
  amp.variable @w : tensor<4xf32> role parameter init zeros
  // CHECK: func.func @train_step(%{{.+}}: tensor<4xf32> {amp.io = #amp.io<input>, amp.name = "x", amp.place = #amp.place<input, 2>})
  // CHECK-SAME: -> (tensor<4xf32> {amp.io = #amp.io<output>, amp.name = "y", amp.place = #amp.place<output, 0>})
  // CHECK-SAME: amp.arena_bytes = 8192 : i64
  // CHECK-SAME: amp.entry = #amp.entry<train_step>
  func.func @train_step(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>, amp.place = #amp.place<input, 2>})
      -> (tensor<4xf32> {amp.name = "y", amp.io = #amp.io<output>, amp.place = #amp.place<output, 0>})
      attributes {amp.entry = #amp.entry<train_step>, amp.arena_bytes = 8192 : i64} {
    // CHECK: amp.read @w {amp.place = [#amp.place<variable, 0, @w>]}
    %w = amp.read @w {amp.place = [#amp.place<variable, 0, @w>]} : tensor<4xf32>
    // CHECK: amp.constant {amp.place = [#amp.place<constant, 64>]} dense<1.000000e+00>
    %c = amp.constant {amp.place = [#amp.place<constant, 64>]} dense<1.0> : tensor<4xf32>
    // CHECK: amp.add {{.+}} {amp.place = [#amp.place<arena, 4096>]}
    %s = amp.add %w, %c {amp.place = [#amp.place<arena, 4096>]} : tensor<4xf32>
    return %s : tensor<4xf32>
  }
  // CHECK: amp.entry = #amp.entry<eval_step>
  func.func @eval_step() attributes {amp.entry = #amp.entry<eval_step>} {
    return
  }
  // CHECK: amp.entry = #amp.entry<infer>
  func.func @infer() attributes {amp.entry = #amp.entry<infer>} {
    return
  }
  // CHECK: func.func @gradient(
  // CHECK-SAME: -> (tensor<4xf32> {amp.io = #amp.io<gradient>, amp.name = "grad.w", amp.wrt = @w}
  // CHECK-SAME: tensor<4xf32> {amp.io = #amp.io<gradient>, amp.name = "grad.x", amp.wrt = "x"})
  // CHECK-SAME: amp.entry = #amp.entry<gradient>
  func.func @gradient(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<4xf32> {amp.name = "grad.w", amp.io = #amp.io<gradient>, amp.wrt = @w},
          tensor<4xf32> {amp.name = "grad.x", amp.io = #amp.io<gradient>, amp.wrt = "x"})
      attributes {amp.entry = #amp.entry<gradient>} {
    return %x, %x : tensor<4xf32>, tensor<4xf32>
  }
}
