// RUN: %ampc-opt %s -amp-assign-precision=precision=f32 -split-input-file -verify-diagnostics

// A pattern of precision { } that has a say over no op is told: the loss, integers and what the model
// types keep their types. One that a later line overrules is no mistake.

// expected-warning @below {{precision 'op:mse' changes nothing: what it matches is the loss, or ops that have no f32 or a type that the model gave them}}
// expected-warning @below {{precision 'best' changes nothing}}
// expected-warning @below {{precision 'typed' changes nothing}}
module attributes {amp.stage = #amp.stage<model>,
                   amp.precision = [{patterns = ["op:mse", "head"], type = bf16}, {patterns = ["best"], type = bf16},
                                    {patterns = ["typed"], type = f16}, {patterns = ["op:mat*"], type = bf16}]} {
  func.func @forward(%x: tensor<8x8xf32> {amp.name = "x", amp.io = #amp.io<input>},
                     %n: tensor<8xi64> {amp.name = "n", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>},
          tensor<8xi64> {amp.name = "i", amp.io = #amp.io<output>},
          tensor<8x8xbf16> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<forward>} {
    %0 = amp.matmul %x, %x accumulate f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32> loc("head")
    %1 = amp.add %n, %n : tensor<8xi64> loc("best")
    %2 = amp.cast %x origin user : tensor<8x8xf32> -> tensor<8x8xbf16>
    %3 = amp.mul %2, %2 : tensor<8x8xbf16> loc("typed")
    %4 = amp.mse mean %0, %x : tensor<8x8xf32> -> tensor<f32>
    return %4, %1, %3 : tensor<f32>, tensor<8xi64>, tensor<8x8xbf16>
  }
}
