// RUN: %ampc-opt --amp-print-cuda -split-input-file -verify-diagnostics %s

// expected-error @+1 {{holds no module @kernels}}
module {
}

// -----

module {
  module @kernels {
    // expected-error @+1 {{kernel 'row' holds a reduction, which in CUDA text is not available yet}}
    func.func @row(%x: memref<64xf32>) {
      %c0 = arith.constant 0 : index
      %v = vector.load %x[%c0] : memref<64xf32>, vector<64xf32>
      return
    }
  }
}

// -----

module {
  module @kernels {
    func.func @unknown(%x: memref<1xf32>) {
      %c0 = arith.constant 0 : index
      %v = memref.load %x[%c0] : memref<1xf32>
      // expected-error @+1 {{in CUDA text is not available yet}}
      %w = arith.minnumf %v, %v : f32
      memref.store %w, %x[%c0] : memref<1xf32>
      return
    }
  }
}
