// A wide value from outside whose parts meet again and again: each is looked at once.
// RUN: %ampc-opt %s -amp-chunk-rows=limit-bytes=2048 | FileCheck %s

// CHECK-LABEL: func.func @step(
// CHECK: amp.concat
func.func @step(%x: tensor<70x8xf32>, %w: tensor<16x8xf32>, %v0: tensor<70x16xf32>) -> tensor<70xf32> {
  %v1 = amp.add %v0, %v0 : tensor<70x16xf32>
  %v2 = amp.add %v1, %v1 : tensor<70x16xf32>
  %v3 = amp.add %v2, %v2 : tensor<70x16xf32>
  %v4 = amp.add %v3, %v3 : tensor<70x16xf32>
  %v5 = amp.add %v4, %v4 : tensor<70x16xf32>
  %v6 = amp.add %v5, %v5 : tensor<70x16xf32>
  %v7 = amp.add %v6, %v6 : tensor<70x16xf32>
  %v8 = amp.add %v7, %v7 : tensor<70x16xf32>
  %v9 = amp.add %v8, %v8 : tensor<70x16xf32>
  %v10 = amp.add %v9, %v9 : tensor<70x16xf32>
  %v11 = amp.add %v10, %v10 : tensor<70x16xf32>
  %v12 = amp.add %v11, %v11 : tensor<70x16xf32>
  %v13 = amp.add %v12, %v12 : tensor<70x16xf32>
  %v14 = amp.add %v13, %v13 : tensor<70x16xf32>
  %v15 = amp.add %v14, %v14 : tensor<70x16xf32>
  %v16 = amp.add %v15, %v15 : tensor<70x16xf32>
  %v17 = amp.add %v16, %v16 : tensor<70x16xf32>
  %v18 = amp.add %v17, %v17 : tensor<70x16xf32>
  %v19 = amp.add %v18, %v18 : tensor<70x16xf32>
  %v20 = amp.add %v19, %v19 : tensor<70x16xf32>
  %v21 = amp.add %v20, %v20 : tensor<70x16xf32>
  %v22 = amp.add %v21, %v21 : tensor<70x16xf32>
  %v23 = amp.add %v22, %v22 : tensor<70x16xf32>
  %v24 = amp.add %v23, %v23 : tensor<70x16xf32>
  %v25 = amp.add %v24, %v24 : tensor<70x16xf32>
  %v26 = amp.add %v25, %v25 : tensor<70x16xf32>
  %v27 = amp.add %v26, %v26 : tensor<70x16xf32>
  %v28 = amp.add %v27, %v27 : tensor<70x16xf32>
  %v29 = amp.add %v28, %v28 : tensor<70x16xf32>
  %v30 = amp.add %v29, %v29 : tensor<70x16xf32>
  %v31 = amp.add %v30, %v30 : tensor<70x16xf32>
  %v32 = amp.add %v31, %v31 : tensor<70x16xf32>
  %v33 = amp.add %v32, %v32 : tensor<70x16xf32>
  %v34 = amp.add %v33, %v33 : tensor<70x16xf32>
  %v35 = amp.add %v34, %v34 : tensor<70x16xf32>
  %v36 = amp.add %v35, %v35 : tensor<70x16xf32>
  %v37 = amp.add %v36, %v36 : tensor<70x16xf32>
  %v38 = amp.add %v37, %v37 : tensor<70x16xf32>
  %v39 = amp.add %v38, %v38 : tensor<70x16xf32>
  %v40 = amp.add %v39, %v39 : tensor<70x16xf32>
  %v41 = amp.add %v40, %v40 : tensor<70x16xf32>
  %v42 = amp.add %v41, %v41 : tensor<70x16xf32>
  %v43 = amp.add %v42, %v42 : tensor<70x16xf32>
  %v44 = amp.add %v43, %v43 : tensor<70x16xf32>
  %v45 = amp.add %v44, %v44 : tensor<70x16xf32>
  %v46 = amp.add %v45, %v45 : tensor<70x16xf32>
  %v47 = amp.add %v46, %v46 : tensor<70x16xf32>
  %v48 = amp.add %v47, %v47 : tensor<70x16xf32>
  %l = amp.matmul %x, %w transpose_b accumulate f32 : tensor<70x8xf32>, tensor<16x8xf32> -> tensor<70x16xf32>
  %z = amp.add %l, %v48 : tensor<70x16xf32>
  %m = amp.reduce max %z over [1] order row accumulate f32 : tensor<70x16xf32> -> tensor<70xf32>
  %ms = amp.broadcast %m along [0] : tensor<70xf32> -> tensor<70x16xf32>
  %d = amp.sub %z, %ms : tensor<70x16xf32>
  %s = amp.reduce sum %d over [1] order row accumulate f32 : tensor<70x16xf32> -> tensor<70xf32>
  return %s : tensor<70xf32>
}
