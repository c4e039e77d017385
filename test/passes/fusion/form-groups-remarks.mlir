// RUN: %ampc-opt %s -amp-form-groups --remarks-filter=fusion -o /dev/null 2>&1 | FileCheck %s

module attributes {amp.stage = #amp.stage<step>} {
  func.func @f(%x: tensor<8x4xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
    // CHECK-DAG: remark: [Passed] group | Category:fusion | Function=f | Remark="one row kernel of 2 ops: exp, reduce", bytes_saved=256, ns_saved=2025
    // CHECK-DAG: remark: [Missed] group | Category:fusion | Function=f | Reason="the value is broadcast after it is complete", Remark="div is not fused with reduce"
    %0 = amp.exp %x : tensor<8x4xf32>
    %1 = amp.reduce sum %0 over [1] order row accumulate f32 : tensor<8x4xf32> -> tensor<8xf32>
    %2 = amp.broadcast %1 along [1] : tensor<8xf32> -> tensor<4x8xf32>
    %3 = amp.div %y, %2 : tensor<4x8xf32>
    return %3 : tensor<4x8xf32>
  }
}
