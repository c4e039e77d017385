// RUN: %ampc-opt %s -amp-place-buffers --remarks-filter=memory -o /dev/null 2>&1 | FileCheck %s

module attributes {amp.stage = #amp.stage<fused>} {
  amp.variable @w : tensor<2x2xf32> role parameter init zeros
  func.func @f(%g: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %w = amp.read @w : tensor<2x2xf32>
    // CHECK-DAG: [Missed] update | Category:memory | Function=f | Reason="its producer reads the old value at other elements", Remark="'w' is copied, not updated in place"
    // CHECK-DAG: [Analysis] arena | Category:memory | Function=f | Remark="arena 64 bytes, lower bound 64 bytes, 1 buffers; recomputation adds 0.0 % of the step"
    %0 = amp.matmul %w, %g accumulate f32 : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    amp.write @w, %0 : tensor<2x2xf32>
    return %g : tensor<2x2xf32>
  }
}
