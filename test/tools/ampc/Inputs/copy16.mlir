// A step that computes from the 16-bit copy of its parameter and writes both: the gradient is
// copy * x, so that a copy that is not up to date changes the parameter.
module attributes {amp.stage = #amp.stage<step>, amp.model = "copied",
    amp.train = {steps = 6 : i64, seed = 0 : i64, log_every = 1 : i64},
    amp.data = [{names = ["x"], spec = "normal:1"}]} {
  amp.variable @"ampc.copy16/w" : tensor<40xbf16> role copy16 copy_of @w init zeros
  amp.variable @w : tensor<40xf32> role parameter init uniform with [1.0, 2.0] site 0
  amp.variable @"ampc.state/iteration" : tensor<i64> role counter init zeros
  amp.variable @"ampc.state/update" : tensor<i64> role counter init zeros

  func.func @train_step(%x: tensor<40xf32> {amp.io = #amp.io<input>, amp.name = "x"})
      -> (tensor<f32> {amp.io = #amp.io<loss>, amp.name = "loss"})
      attributes {amp.entry = #amp.entry<train_step>} {
    %iteration = amp.read @"ampc.state/iteration" : tensor<i64>
    %update = amp.read @"ampc.state/update" : tensor<i64>
    %w = amp.read @w : tensor<40xf32>
    %copy = amp.read @"ampc.copy16/w" : tensor<40xbf16>
    %wide = amp.cast %copy origin policy : tensor<40xbf16> -> tensor<40xf32>
    %gradient = amp.mul %wide, %x : tensor<40xf32>
    %loss = amp.reduce max %gradient over [0] order row accumulate f32 : tensor<40xf32> -> tensor<f32>
    %rate = amp.constant dense<0.125> : tensor<40xf32>
    %change = amp.mul %gradient, %rate : tensor<40xf32>
    %next = amp.sub %w, %change : tensor<40xf32>
    %narrow = amp.cast %next origin policy : tensor<40xf32> -> tensor<40xbf16>
    %one = amp.constant dense<1> : tensor<i64>
    %iterations = amp.add %iteration, %one : tensor<i64>
    %updates = amp.add %update, %one : tensor<i64>
    amp.write @"ampc.state/iteration", %iterations : tensor<i64>
    amp.write @"ampc.state/update", %updates : tensor<i64>
    amp.write @w, %next : tensor<40xf32>
    amp.write @"ampc.copy16/w", %narrow : tensor<40xbf16>
    return %loss : tensor<f32>
  }
}
