// RUN: %ampc-opt %s | FileCheck %s

// CHECK-LABEL: func.func @attention(
// CHECK-SAME: %[[Q:[^:]+]]: tensor<2x4x5x8xf32>, %[[K:[^:]+]]: tensor<2x2x3x8xf32>, %[[V:[^:]+]]: tensor<2x2x3x6xf32>, %[[M:[^:]+]]: tensor<1x4x1x3xi1>, %[[F:[^:]+]]: tensor<2x1x5x3xbf16>, %[[S:[^:]+]]: tensor<i64>
func.func @attention(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x3x8xf32>, %v: tensor<2x2x3x6xf32>, %m: tensor<1x4x1x3xi1>,
                     %f: tensor<2x1x5x3xbf16>, %seed: tensor<i64>) {
  // CHECK: amp.attention %[[Q]], %[[K]], %[[V]] causal scale 2.500000e-01 dropout 0.000000e+00 mode train site 0
  // CHECK-SAME: : tensor<2x4x5x8xf32>, tensor<2x2x3x8xf32>, tensor<2x2x3x6xf32> -> tensor<2x4x5x6xf32>, tensor<2x4x5xf32>
  %0:2 = amp.attention %q, %k, %v causal scale 0.25 dropout 0.0 mode train site 0
       : tensor<2x4x5x8xf32>, tensor<2x2x3x8xf32>, tensor<2x2x3x6xf32> -> tensor<2x4x5x6xf32>, tensor<2x4x5xf32>
  // CHECK: amp.attention %[[Q]], %[[K]], %[[V]] mask %[[M]] : tensor<1x4x1x3xi1> key(%[[S]], %[[S]], %[[S]]) scale 1.000000e+00 dropout 5.000000e-01 mode eval site 7
  %1:2 = amp.attention %q, %k, %v mask %m : tensor<1x4x1x3xi1> key(%seed, %seed, %seed) scale 1.0 dropout 0.5 mode eval site 7
       : tensor<2x4x5x8xf32>, tensor<2x2x3x8xf32>, tensor<2x2x3x6xf32> -> tensor<2x4x5x6xf32>, tensor<2x4x5xf32>
  // CHECK: amp.attention %[[Q]], %[[K]], %[[V]] mask %[[F]] : tensor<2x1x5x3xbf16> scale
  %2:2 = amp.attention %q, %k, %v mask %f : tensor<2x1x5x3xbf16> scale 1.0 dropout 0.5 mode train site 7
       : tensor<2x4x5x8xf32>, tensor<2x2x3x8xf32>, tensor<2x2x3x6xf32> -> tensor<2x4x5x6xf32>, tensor<2x4x5xf32>
  return
}

// CHECK-LABEL: func.func @narrow(
func.func @narrow(%q: tensor<1x1x2x4xbf16>) {
  // CHECK: -> tensor<1x1x2x4xbf16>, tensor<1x1x2xf32>
  %0:2 = amp.attention %q, %q, %q scale 0.5 dropout 0.0 mode train site 0
       : tensor<1x1x2x4xbf16>, tensor<1x1x2x4xbf16>, tensor<1x1x2x4xbf16> -> tensor<1x1x2x4xbf16>, tensor<1x1x2xf32>
  return
}

// CHECK-LABEL: func.func @gradients(
// CHECK-SAME: %[[Q:[^:]+]]: tensor<2x4x5x8xf32>, %[[K:[^:]+]]: tensor<2x2x3x8xf32>, %[[V:[^:]+]]: tensor<2x2x3x6xf32>, %[[O:[^:]+]]: tensor<2x4x5x6xf32>, %[[L:[^:]+]]: tensor<2x4x5xf32>, %[[M:[^:]+]]: tensor<1x4x1x3xi1>, %[[F:[^:]+]]: tensor<2x1x5x3xbf16>
func.func @gradients(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x3x8xf32>, %v: tensor<2x2x3x6xf32>, %o: tensor<2x4x5x6xf32>,
                     %l: tensor<2x4x5xf32>, %m: tensor<1x4x1x3xi1>, %f: tensor<2x1x5x3xbf16>) {
  // CHECK: %{{.*}}:3 = amp.attention_gradient %[[Q]], %[[K]], %[[V]], %[[O]], %[[L]], %[[O]] mask %[[M]] : tensor<1x4x1x3xi1> causal scale 2.500000e-01 dropout 0.000000e+00 mode train site 0
  %0:3 = amp.attention_gradient %q, %k, %v, %o, %l, %o mask %m : tensor<1x4x1x3xi1> causal scale 0.25 dropout 0.0 mode train site 0
       : tensor<2x4x5x8xf32>, tensor<2x2x3x8xf32>, tensor<2x2x3x6xf32>, tensor<2x4x5x6xf32>, tensor<2x4x5xf32>, tensor<2x4x5x6xf32>
       -> tensor<2x4x5x8xf32>, tensor<2x2x3x8xf32>, tensor<2x2x3x6xf32>
  // CHECK: %{{.*}}:4 = amp.attention_gradient %[[Q]], %[[K]], %[[V]], %[[O]], %[[L]], %[[O]] mask %[[F]] : tensor<2x1x5x3xbf16> scale
  %1:4 = amp.attention_gradient %q, %k, %v, %o, %l, %o mask %f : tensor<2x1x5x3xbf16> scale 0.25 dropout 0.0 mode train site 0
       : tensor<2x4x5x8xf32>, tensor<2x2x3x8xf32>, tensor<2x2x3x6xf32>, tensor<2x4x5x6xf32>, tensor<2x4x5xf32>, tensor<2x4x5x6xf32>
       -> tensor<2x4x5x8xf32>, tensor<2x2x3x8xf32>, tensor<2x2x3x6xf32>, tensor<2x1x5x3xbf16>
  return
}
