// RUN: %ampc-opt %s -amp-place-buffers -amp-verify-placement -split-input-file | FileCheck %s

// What the body makes for itself takes turns in the scratch memory; what it yields stands in the results' slices.
module attributes {amp.stage = #amp.stage<fused>} {
  // CHECK-LABEL: @chain
  // CHECK: amp.foreach 3(%{{.*}}) divisors [1] {amp.place = [#amp.place<output, 0>, #amp.place<output, 1>], amp.scratch_bytes = 2048 : i64}
  func.func @chain(%x: tensor<3x16x16xf32>) -> (tensor<3x16x16xf32>, tensor<3x256xf32>) {
    %0:2 = amp.foreach 3(%x) divisors [1] : (tensor<3x16x16xf32>) -> (tensor<3x16x16xf32>, tensor<3x256xf32>) {
    ^bb0(%x0: tensor<16x16xf32>):
      // CHECK: amp.matmul {{.*}} {amp.place = [#amp.place<scratch, [[FIRST:[0-9]+]]>]}
      %1 = amp.matmul %x0, %x0 accumulate f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
      // CHECK: amp.matmul {{.*}} {amp.place = [#amp.place<scratch, {{[0-9]+}}>]}
      %2 = amp.matmul %1, %1 accumulate f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
      // CHECK: amp.matmul {{.*}} {amp.place = [#amp.place<scratch, [[FIRST]]>]}
      %3 = amp.matmul %2, %2 accumulate f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
      // CHECK: amp.matmul {{.*}} {amp.place = [#amp.place<slice, 1>]}
      %4 = amp.matmul %3, %3 accumulate f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
      // CHECK: amp.matmul {{.*}} {amp.place = [#amp.place<slice, 2>]}
      %5 = amp.matmul %3, %4 accumulate f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
      // CHECK: amp.reshape {{.*}} {amp.place = [#amp.place<slice, 2>]}
      %6 = amp.reshape %5 : tensor<16x16xf32> -> tensor<256xf32>
      amp.yield %4, %6 : tensor<16x16xf32>, tensor<256xf32>
    }
    return %0#0, %0#1 : tensor<3x16x16xf32>, tensor<3x256xf32>
  }
}

// -----

// A slice that is yielded as it came, and a value that is yielded twice, are copied.
module attributes {amp.stage = #amp.stage<fused>} {
  // CHECK-LABEL: @copies
  // CHECK: amp.foreach 3({{.*}}) {{.*}}amp.scratch_bytes = 0 : i64
  func.func @copies(%x: tensor<3x4x4xf32>) -> (tensor<3x4x4xf32>, tensor<3x4x4xf32>, tensor<3x4x4xf32>) {
    %0:3 = amp.foreach 3(%x) divisors [1] : (tensor<3x4x4xf32>) -> (tensor<3x4x4xf32>, tensor<3x4x4xf32>, tensor<3x4x4xf32>) {
    ^bb0(%x0: tensor<4x4xf32>):
      // CHECK: %[[M:.*]] = amp.matmul {{.*}}#amp.place<slice, 2>
      %1 = amp.matmul %x0, %x0 accumulate f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      // CHECK: %[[X:.*]] = amp.group map [4, 4](%{{.*}}) {amp.place = [#amp.place<slice, 1>]}
      // CHECK: %[[T:.*]] = amp.group map [4, 4](%[[M]]) {amp.place = [#amp.place<slice, 3>]}
      // CHECK: amp.yield %[[X]], %[[M]], %[[T]]
      amp.yield %x0, %1, %1 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
    }
    return %0#0, %0#1, %0#2 : tensor<3x4x4xf32>, tensor<3x4x4xf32>, tensor<3x4x4xf32>
  }
}

// -----

// A constant stands in the constant section, equal ones once; a loop without results has places, too.
module attributes {amp.stage = #amp.stage<fused>} {
  // CHECK-LABEL: @constants
  func.func @constants(%x: tensor<3x4x4xf32>) -> tensor<3x4x4xf32> {
    // CHECK: amp.foreach 3({{.*}}) divisors [1] {amp.scratch_bytes = 64 : i64}
    amp.foreach 3(%x) divisors [1] : (tensor<3x4x4xf32>) -> () {
    ^bb0(%x0: tensor<4x4xf32>):
      // CHECK: amp.matmul {{.*}} {amp.place = [#amp.place<scratch, 0>]}
      %1 = amp.matmul %x0, %x0 accumulate f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      amp.yield
    }
    // CHECK: amp.constant {amp.place = [#amp.place<constant, 0>]} dense<{{.*}}> : tensor<2x2xf32>
    %c = amp.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    %0 = amp.foreach 3(%x) divisors [1] : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32> {
    ^bb0(%x0: tensor<4x4xf32>):
      // CHECK: amp.constant {amp.place = [#amp.place<constant, 64>]} dense<{{.*}}> : tensor<16xf32>
      %d = amp.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]> : tensor<16xf32>
      // CHECK: amp.reshape {{.*}} {amp.place = [#amp.place<constant, 64>]}
      %e = amp.reshape %d : tensor<16xf32> -> tensor<4x4xf32>
      // CHECK: amp.constant {amp.place = [#amp.place<constant, 0>]} dense<{{.*}}> : tensor<2x2xf32>
      %f = amp.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
      %1 = amp.matmul %x0, %e accumulate f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      amp.yield %1 : tensor<4x4xf32>
    }
    return %0 : tensor<3x4x4xf32>
  }
}
