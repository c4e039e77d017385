// RUN: %ampc-opt --amp-print-cuda -split-input-file -verify-diagnostics %s

// expected-error @+1 {{holds no module @kernels}}
module {
}

// -----

module {
  module @kernels {
    // expected-error @+1 {{must hold one scf.parallel, got none}}
    func.func @serial(%x: memref<64xf32>) {
      return
    }
  }
}

// -----

module {
  module @kernels {
    func.func @vectors(%x: memref<64xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      // expected-error @+1 {{has no unit or no block_threads; CUDA text is made of kernels built with threads=true}}
      scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
        %v = memref.load %x[%i] : memref<64xf32>
        memref.store %v, %x[%i] : memref<64xf32>
      } {work = 64 : i64}
      return
    }
  }
}

// -----

module {
  module @kernels {
    func.func @slices(%x: memref<64xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
        %v = vector.load %x[%i] : memref<64xf32>, vector<4xf32>
        // expected-error @+1 {{in CUDA text is not available yet}}
        %w = vector.shuffle %v, %v [0, 1] : vector<4xf32>, vector<4xf32>
        vector.store %w, %x[%i] : memref<64xf32>, vector<2xf32>
      } {unit = 0 : i32, block_threads = 32 : i32}
      return
    }
  }
}

// -----

module {
  module @kernels {
    func.func @unknown(%x: memref<1xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
        %v = memref.load %x[%i] : memref<1xf32>
        // expected-error @+1 {{in CUDA text is not available yet}}
        %w = arith.minnumf %v, %v : f32
        memref.store %w, %x[%i] : memref<1xf32>
      } {unit = 0 : i32, block_threads = 32 : i32}
      return
    }
  }
}
