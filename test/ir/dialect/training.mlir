// RUN: %ampc-opt %s | FileCheck %s

// CHECK: amp.variable @fc.weight : tensor<4x3xf32> role parameter init uniform with [-5.000000e-01, 5.000000e-01] site 0
amp.variable @fc.weight : tensor<4x3xf32> role parameter init uniform with [-0.5, 0.5] site 0
// CHECK: amp.variable @emb : tensor<4x3xf32> role parameter init normal with [0.000000e+00, 2.000000e-02] site 1
amp.variable @emb : tensor<4x3xf32> role parameter init normal with [0.0, 0.02] site 1
// CHECK: amp.variable @cut : tensor<4xf32> role parameter init trunc_normal with [0.000000e+00, 1.000000e+00, -2.000000e+00, 2.000000e+00] site 2
amp.variable @cut : tensor<4xf32> role parameter init trunc_normal with [0.0, 1.0, -2.0, 2.0] site 2
// CHECK: amp.variable @tokens : tensor<4x3xf32> role parameter init padded_normal with [0.000000e+00, 1.000000e+00, 3.000000e+00, 6.000000e+00] site 3
amp.variable @tokens : tensor<4x3xf32> role parameter init padded_normal with [0.0, 1.0, 3.0, 6.0] site 3
// CHECK: amp.variable @fc.master : tensor<4x3xf32> role master init ones
amp.variable @fc.master : tensor<4x3xf32> role master init ones
// CHECK: amp.variable @fc.copy16 : tensor<4x3xbf16> role copy16 copy_of @fc.weight init zeros
amp.variable @fc.copy16 : tensor<4x3xbf16> role copy16 copy_of @fc.weight init zeros
// CHECK: amp.variable @"ampc.exp_avg/fc.weight" : tensor<4x3xf32> role moment init zeros
amp.variable @"ampc.exp_avg/fc.weight" : tensor<4x3xf32> role moment init zeros
// CHECK: amp.variable @running_mean : tensor<3xf32> role statistic init data = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
amp.variable @running_mean : tensor<3xf32> role statistic init data
  = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
// CHECK: amp.variable @sum : tensor<f32> role accumulator init zeros
amp.variable @sum : tensor<f32> role accumulator init zeros
// CHECK: amp.variable @scale : tensor<f32> role scaler init constant with [6.553600e+04]
amp.variable @scale : tensor<f32> role scaler init constant with [65536.0]
// CHECK: amp.variable @"ampc.state/update" : tensor<i64> role counter init zeros
amp.variable @"ampc.state/update" : tensor<i64> role counter init zeros
// CHECK: amp.variable @lr : tensor<f32> role rate init constant with [1.000000e-03]
amp.variable @lr : tensor<f32> role rate init constant with [1.0e-3]

// CHECK-LABEL: func.func @read_write(
func.func @read_write() {
  // CHECK: %[[W:.+]] = amp.read @fc.weight : tensor<4x3xf32>
  %w = amp.read @fc.weight : tensor<4x3xf32>
  // CHECK: amp.read @"ampc.state/update" : tensor<i64>
  %t = amp.read @"ampc.state/update" : tensor<i64>
  // CHECK: amp.write @fc.master, %[[W]] : tensor<4x3xf32>
  amp.write @fc.master, %w : tensor<4x3xf32>
  return
}

// Initial values are read back exactly, whatever their digits.
// CHECK: amp.variable @exact : tensor<2xf32> role parameter init uniform with [-0.57735026918962573, 0x7FF0000000000000] site 0
amp.variable @exact : tensor<2xf32> role parameter init uniform with [-0.57735026918962573, 0x7FF0000000000000] site 0
