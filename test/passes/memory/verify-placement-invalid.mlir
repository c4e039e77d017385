// RUN: %ampc-opt %s -amp-verify-placement -split-input-file -verify-diagnostics

// placement_c1
// expected-error @below {{is not in stage placed}}
module attributes {amp.stage = #amp.stage<fused>} {
}

// -----

// placement_c1
module attributes {amp.stage = #amp.stage<placed>} {
  // expected-error @below {{has no amp.arena_bytes}}
  func.func @f() {
    return
  }
}

// -----

// placement_c2
module attributes {amp.stage = #amp.stage<placed>} {
  // expected-error @below {{argument 0 must stand in its input's bytes}}
  func.func @f(%x: tensor<4xf32>) attributes {amp.arena_bytes = 0 : i64} {
    return
  }
}

// -----

// placement_c2
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @f(%x: tensor<4x4xf32> {amp.place = #amp.place<input, 0>}) attributes {amp.arena_bytes = 0 : i64} {
    // expected-error @below {{has no amp.place}}
    %0 = amp.matmul %x, %x accumulate f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    return
  }
}

// -----

// placement_c2
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @f(%x: tensor<4x4xf32> {amp.place = #amp.place<input, 0>}) attributes {amp.arena_bytes = 0 : i64} {
    // expected-error @below {{cannot write #amp.place<input, 0>}}
    %0 = amp.matmul %x, %x accumulate f32 {amp.place = [#amp.place<input, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    return
  }
}

// -----

// placement_c2
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @f(%x: tensor<4x4xf32> {amp.place = #amp.place<input, 0>}) attributes {amp.arena_bytes = 0 : i64} {
    // expected-error @below {{names no output of this entry: #amp.place<output, 0>}}
    %0 = amp.matmul %x, %x accumulate f32 {amp.place = [#amp.place<output, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    return
  }
}

// -----

// placement_c2
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @f() attributes {amp.arena_bytes = 64 : i64} {
    // expected-error @below {{must stand in the constant section, got #amp.place<arena, 0>}}
    %0 = amp.constant {amp.place = [#amp.place<arena, 0>]} dense<[1.0, 2.0]> : tensor<2xf32>
    return
  }
}

// -----

// placement_c3
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @f(%x: tensor<4x4xf32> {amp.place = #amp.place<input, 0>}) attributes {amp.arena_bytes = 256 : i64} {
    // expected-error @below {{offset must be a multiple of 64, got 32}}
    %0 = amp.matmul %x, %x accumulate f32 {amp.place = [#amp.place<arena, 32>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    return
  }
}

// -----

// placement_c3
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @f(%x: tensor<4x4xf32> {amp.place = #amp.place<input, 0>}) attributes {amp.arena_bytes = 64 : i64} {
    // expected-error @below {{ends at byte 128 of an arena of 64}}
    %0 = amp.matmul %x, %x accumulate f32 {amp.place = [#amp.place<arena, 64>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    return
  }
}

// -----

// placement_c4
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @f(%x: tensor<4x4xf32> {amp.place = #amp.place<input, 0>}) -> (tensor<4x4xf32>, tensor<4x4xf32>) attributes {amp.arena_bytes = 64 : i64} {
    // expected-note @below {{that value is made here, at #amp.place<arena, 0>}}
    %0 = amp.matmul %x, %x accumulate f32 {amp.place = [#amp.place<arena, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    // expected-error @below {{overlaps a value that is still needed: #amp.place<arena, 0>}}
    %1 = amp.matmul %x, %x accumulate f32 {amp.place = [#amp.place<arena, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
  }
}

// -----

// placement_c4: an op's operand is needed while its result is written
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @f(%x: tensor<4x4xf32> {amp.place = #amp.place<input, 0>}) attributes {amp.arena_bytes = 64 : i64} {
    // expected-note @below {{that value is made here, at #amp.place<arena, 0>}}
    %0 = amp.matmul %x, %x accumulate f32 {amp.place = [#amp.place<arena, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    // expected-error @below {{overlaps a value that is still needed: #amp.place<arena, 0>}}
    %1 = amp.matmul %0, %x accumulate f32 {amp.place = [#amp.place<arena, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    return
  }
}

// -----

// placement_c4: a partial overlap from below
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @f(%x: tensor<8x8xf32> {amp.place = #amp.place<input, 0>}, %y: tensor<4x4xf32> {amp.place = #amp.place<input, 1>}) -> (tensor<8x8xf32>, tensor<4x4xf32>) attributes {amp.arena_bytes = 256 : i64} {
    // expected-note @below {{that value is made here, at #amp.place<arena, 0>}}
    %0 = amp.matmul %x, %x accumulate f32 {amp.place = [#amp.place<arena, 0>]} : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    // expected-error @below {{overlaps a value that is still needed: #amp.place<arena, 192>}}
    %1 = amp.matmul %y, %y accumulate f32 {amp.place = [#amp.place<arena, 192>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    return %0, %1 : tensor<8x8xf32>, tensor<4x4xf32>
  }
}

// -----

// placement_c9: an output is written twice
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @f(%x: tensor<4x4xf32> {amp.place = #amp.place<input, 0>}) -> tensor<4x4xf32> attributes {amp.arena_bytes = 0 : i64} {
    %0 = amp.matmul %x, %x accumulate f32 {amp.place = [#amp.place<output, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    // expected-error @below {{is not what the entry returns in #amp.place<output, 0>}}
    %1 = amp.matmul %x, %x accumulate f32 {amp.place = [#amp.place<output, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----

// placement_c5
module attributes {amp.stage = #amp.stage<placed>} {
  amp.variable @w : tensor<4x4xf32> role parameter init zeros
  func.func @f(%x: tensor<4x4xf32> {amp.place = #amp.place<input, 0>}) attributes {amp.arena_bytes = 64 : i64} {
    %w = amp.read @w {amp.place = [#amp.place<variable, 0, @w>]} : tensor<4x4xf32>
    // expected-note @below {{overwritten here}}
    %0 = amp.matmul %x, %x accumulate f32 {amp.place = [#amp.place<variable, 0, @w>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    // expected-error @below {{reads #amp.place<variable, 0, @w> after its bytes were overwritten}}
    %1 = amp.matmul %w, %x accumulate f32 {amp.place = [#amp.place<arena, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    amp.write @w, %0 : tensor<4x4xf32>
    return
  }
}

// -----

// placement_c5: behind a copying write
module attributes {amp.stage = #amp.stage<placed>} {
  amp.variable @w : tensor<4x4xf32> role parameter init zeros
  // expected-note @below {{overwritten here}}
  func.func @f(%x: tensor<4x4xf32> {amp.place = #amp.place<input, 0>}) -> tensor<4x4xf32> attributes {amp.arena_bytes = 0 : i64} {
    %w = amp.read @w {amp.place = [#amp.place<variable, 0, @w>]} : tensor<4x4xf32>
    amp.write @w, %x : tensor<4x4xf32>
    // expected-error @below {{reads #amp.place<variable, 0, @w> after its bytes were overwritten}}
    return %w : tensor<4x4xf32>
  }
}

// -----

// placement_c6
module attributes {amp.stage = #amp.stage<placed>} {
  amp.variable @w : tensor<4x4xf32> role parameter init zeros
  func.func @f() attributes {amp.arena_bytes = 64 : i64} {
    // expected-error @below {{must stand in the bytes of @w, got #amp.place<arena, 0>}}
    %w = amp.read @w {amp.place = [#amp.place<arena, 0>]} : tensor<4x4xf32>
    return
  }
}

// -----

// placement_c6
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @f(%x: tensor<4x4xf32> {amp.place = #amp.place<input, 0>}) attributes {amp.arena_bytes = 64 : i64} {
    // expected-error @below {{must stand where its input does, got #amp.place<arena, 0>}}
    %0 = amp.reshape %x {amp.place = [#amp.place<arena, 0>]} : tensor<4x4xf32> -> tensor<16xf32>
    return
  }
}

// -----

// placement_c7
module attributes {amp.stage = #amp.stage<placed>} {
  amp.variable @w : tensor<4x4xf32> role parameter init zeros
  func.func @f(%x: tensor<4x4xf32> {amp.place = #amp.place<input, 0>}) attributes {amp.arena_bytes = 0 : i64} {
    // expected-error @below {{writes the bytes of @w but no amp.write stores its value there}}
    %0 = amp.matmul %x, %x accumulate f32 {amp.place = [#amp.place<variable, 0, @w>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    return
  }
}

// -----

// placement_c8
module attributes {amp.stage = #amp.stage<placed>} {
  amp.variable @w : tensor<4x4xf32> role parameter init zeros
  func.func @f(%x: tensor<4x4xf32> {amp.place = #amp.place<input, 0>}) attributes {amp.arena_bytes = 0 : i64} {
    %w = amp.read @w {amp.place = [#amp.place<variable, 0, @w>]} : tensor<4x4xf32>
    // expected-error @below {{overwrites @w while it reads other elements of it}}
    %0 = amp.matmul %w, %x accumulate f32 {amp.place = [#amp.place<variable, 0, @w>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    amp.write @w, %0 : tensor<4x4xf32>
    return
  }
}

// -----

// placement_c9: outputs crossed, each would be copied over the other
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @f(%x: tensor<4x4xf32> {amp.place = #amp.place<input, 0>}) -> (tensor<4x4xf32>, tensor<4x4xf32>) attributes {amp.arena_bytes = 0 : i64} {
    // expected-error @below {{is not what the entry returns in #amp.place<output, 1>}}
    %0 = amp.matmul %x, %x accumulate f32 {amp.place = [#amp.place<output, 1>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    %1 = amp.matmul %0, %x accumulate f32 {amp.place = [#amp.place<output, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
  }
}

// -----

// placement_c8, a movement
module attributes {amp.stage = #amp.stage<placed>} {
  amp.variable @w : tensor<4x4xf32> role parameter init zeros
  func.func @f() attributes {amp.arena_bytes = 0 : i64} {
    %w = amp.read @w {amp.place = [#amp.place<variable, 0, @w>]} : tensor<4x4xf32>
    // expected-error @below {{overwrites @w while it reads other elements of it}}
    %0 = amp.group map [4, 4] (%w) {amp.place = [#amp.place<variable, 0, @w>]} : (tensor<4x4xf32>) -> tensor<4x4xf32> {
    ^bb0(%w0: tensor<4x4xf32>):
      %1 = amp.transpose %w0 perm [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
      amp.yield %1 : tensor<4x4xf32>
    }
    amp.write @w, %0 : tensor<4x4xf32>
    return
  }
}

// -----

// placement_c8, an operand of a product
module attributes {amp.stage = #amp.stage<placed>} {
  amp.variable @w : tensor<4x4xf32> role parameter init zeros
  func.func @f(%x: tensor<4x4xf32> {amp.place = #amp.place<input, 0>}) attributes {amp.arena_bytes = 0 : i64} {
    %w = amp.read @w {amp.place = [#amp.place<variable, 0, @w>]} : tensor<4x4xf32>
    // expected-error@below {{overwrites @w while it reads other elements of it}}
    %0 = amp.group contraction [4, 4](%x, %w) {amp.place = [#amp.place<variable, 0, @w>]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
    ^bb0(%a: tensor<4x4xf32>, %old: tensor<4x4xf32>):
      %1 = amp.matmul %a, %old accumulate f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      amp.yield %1 : tensor<4x4xf32>
    }
    amp.write @w, %0 : tensor<4x4xf32>
    return
  }
}

// -----

// placement_c4: the sums that a product goes on from are read after it took their bytes.
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @continued_too_early(%x: tensor<4x4xf32> {amp.place = #amp.place<input, 0>}) attributes {amp.arena_bytes = 192 : i64} {
    %0 = amp.matmul %x, %x accumulate f32 {amp.place = [#amp.place<arena, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    // expected-error @below {{goes on in #amp.place<arena, 0>, whose sums are read later}}
    %1 = amp.matmul %x, %x from %0 : tensor<4x4xf32> accumulate f32 {amp.place = [#amp.place<arena, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    %2 = amp.matmul %0, %1 accumulate f32 {amp.place = [#amp.place<arena, 128>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    return
  }
}

// -----

// placement_c4: after its last reader the taken bytes belong to the product that goes on.
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @continued_is_alive(%x: tensor<4x4xf32> {amp.place = #amp.place<input, 0>}) attributes {amp.arena_bytes = 192 : i64} {
    %0 = amp.matmul %x, %x accumulate f32 {amp.place = [#amp.place<arena, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    // expected-note @below {{that value is made here, at #amp.place<arena, 0>}}
    %1 = amp.matmul %x, %x from %0 : tensor<4x4xf32> accumulate f32 {amp.place = [#amp.place<arena, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    // expected-error @below {{overlaps a value that is still needed: #amp.place<arena, 0>}}
    %2 = amp.matmul %x, %x accumulate f32 {amp.place = [#amp.place<arena, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    %3 = amp.matmul %1, %2 accumulate f32 {amp.place = [#amp.place<arena, 128>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    return
  }
}

// -----

// placement_c10
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @f(%x: tensor<3x4x4xf32> {amp.place = #amp.place<input, 0>}) -> tensor<3x4x4xf32> attributes {amp.arena_bytes = 0 : i64} {
    // expected-error @below {{has no amp.scratch_bytes}}
    %0 = amp.foreach 3(%x) divisors [1] {amp.place = [#amp.place<output, 0>]} : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32> {
    ^bb0(%x0: tensor<4x4xf32>):
      %1 = amp.matmul %x0, %x0 accumulate f32 {amp.place = [#amp.place<scratch, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      %2 = amp.matmul %1, %1 accumulate f32 {amp.place = [#amp.place<scratch, 64>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      %3 = amp.matmul %1, %2 accumulate f32 {amp.place = [#amp.place<slice, 1>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      amp.yield %3 : tensor<4x4xf32>
    }
    return %0 : tensor<3x4x4xf32>
  }
}

// -----

// placement_c10
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @f(%x: tensor<3x4x4xf32> {amp.place = #amp.place<input, 0>}) -> tensor<3x4x4xf32> attributes {amp.arena_bytes = 0 : i64} {
    %0 = amp.foreach 3(%x) divisors [1] {amp.place = [#amp.place<output, 0>], amp.scratch_bytes = 1024 : i64} : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32> {
    ^bb0(%x0: tensor<4x4xf32>):
      // expected-error @below {{must stand in scratch memory or in the slice of what it yields, got #amp.place<arena, 0>}}
      %1 = amp.matmul %x0, %x0 accumulate f32 {amp.place = [#amp.place<arena, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      %2 = amp.matmul %1, %1 accumulate f32 {amp.place = [#amp.place<scratch, 64>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      %3 = amp.matmul %1, %2 accumulate f32 {amp.place = [#amp.place<slice, 1>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      amp.yield %3 : tensor<4x4xf32>
    }
    return %0 : tensor<3x4x4xf32>
  }
}

// -----

// placement_c10
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @f(%x: tensor<3x4x4xf32> {amp.place = #amp.place<input, 0>}) -> tensor<3x4x4xf32> attributes {amp.arena_bytes = 0 : i64} {
    %0 = amp.foreach 3(%x) divisors [1] {amp.place = [#amp.place<output, 0>], amp.scratch_bytes = 1024 : i64} : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32> {
    ^bb0(%x0: tensor<4x4xf32>):
      // expected-error @below {{must stand in scratch memory or in the slice of what it yields, got #amp.place<slice, 0>}}
      %1 = amp.matmul %x0, %x0 accumulate f32 {amp.place = [#amp.place<slice, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      %2 = amp.matmul %1, %1 accumulate f32 {amp.place = [#amp.place<scratch, 64>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      %3 = amp.matmul %1, %2 accumulate f32 {amp.place = [#amp.place<slice, 1>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      amp.yield %3 : tensor<4x4xf32>
    }
    return %0 : tensor<3x4x4xf32>
  }
}

// -----

// placement_c10
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @f(%x: tensor<3x4x4xf32> {amp.place = #amp.place<input, 0>}) -> tensor<3x4x4xf32> attributes {amp.arena_bytes = 0 : i64} {
    // expected-error @below {{yields result 0, which must stand in slice 1}}
    %0 = amp.foreach 3(%x) divisors [1] {amp.place = [#amp.place<output, 0>], amp.scratch_bytes = 1024 : i64} : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32> {
    ^bb0(%x0: tensor<4x4xf32>):
      %1 = amp.matmul %x0, %x0 accumulate f32 {amp.place = [#amp.place<scratch, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      %2 = amp.matmul %1, %1 accumulate f32 {amp.place = [#amp.place<scratch, 64>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      %3 = amp.matmul %1, %2 accumulate f32 {amp.place = [#amp.place<scratch, 128>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      amp.yield %3 : tensor<4x4xf32>
    }
    return %0 : tensor<3x4x4xf32>
  }
}

// -----

// placement_c10
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @f(%x: tensor<3x4x4xf32> {amp.place = #amp.place<input, 0>}) -> tensor<3x4x4xf32> attributes {amp.arena_bytes = 0 : i64} {
    %0 = amp.foreach 3(%x) divisors [1] {amp.place = [#amp.place<output, 0>], amp.scratch_bytes = 32 : i64} : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32> {
    ^bb0(%x0: tensor<4x4xf32>):
      // expected-error @below {{takes bytes 0 to 64 of 32 of scratch memory}}
      %1 = amp.matmul %x0, %x0 accumulate f32 {amp.place = [#amp.place<scratch, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      %2 = amp.matmul %1, %1 accumulate f32 {amp.place = [#amp.place<scratch, 64>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      %3 = amp.matmul %1, %2 accumulate f32 {amp.place = [#amp.place<slice, 1>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      amp.yield %3 : tensor<4x4xf32>
    }
    return %0 : tensor<3x4x4xf32>
  }
}

// -----

// placement_c11
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @f(%x: tensor<3x4x4xf32> {amp.place = #amp.place<input, 0>}) -> tensor<3x4x4xf32> attributes {amp.arena_bytes = 0 : i64} {
    %0 = amp.foreach 3(%x) divisors [1] {amp.place = [#amp.place<output, 0>], amp.scratch_bytes = 1024 : i64} : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32> {
    ^bb0(%x0: tensor<4x4xf32>):
      // expected-note @below {{that value is made here}}
      %1 = amp.matmul %x0, %x0 accumulate f32 {amp.place = [#amp.place<scratch, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      // expected-error @below {{overlaps a value that is still needed: #amp.place<scratch, 0>}}
      %2 = amp.matmul %1, %1 accumulate f32 {amp.place = [#amp.place<scratch, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      %3 = amp.matmul %1, %2 accumulate f32 {amp.place = [#amp.place<slice, 1>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      amp.yield %3 : tensor<4x4xf32>
    }
    return %0 : tensor<3x4x4xf32>
  }
}

// -----

// placement_c2: an entry has no scratch memory
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @f(%x: tensor<4x4xf32> {amp.place = #amp.place<input, 0>}) attributes {amp.arena_bytes = 64 : i64} {
    // expected-error @below {{cannot stand in #amp.place<scratch, 0>, which only the body of amp.foreach has}}
    %0 = amp.matmul %x, %x accumulate f32 {amp.place = [#amp.place<scratch, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    return
  }
}

// -----

// placement_c2: nor slices
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @f(%x: tensor<4x4xf32> {amp.place = #amp.place<input, 0>}) attributes {amp.arena_bytes = 64 : i64} {
    // expected-error @below {{cannot stand in #amp.place<slice, 0>, which only the body of amp.foreach has}}
    %0 = amp.matmul %x, %x accumulate f32 {amp.place = [#amp.place<slice, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    return
  }
}

// -----

// placement_c10
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @f(%x: tensor<3x4x4xf32> {amp.place = #amp.place<input, 0>}) -> tensor<3x4x4xf32> attributes {amp.arena_bytes = 0 : i64} {
    %0 = amp.foreach 3(%x) divisors [1] {amp.place = [#amp.place<output, 0>], amp.scratch_bytes = 1024 : i64} : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32> {
    ^bb0(%x0: tensor<4x4xf32>):
      // expected-error @below {{must stand where its bytes are, got #amp.place<scratch, 0>}}
      %1 = amp.reshape %x0 {amp.place = [#amp.place<scratch, 0>]} : tensor<4x4xf32> -> tensor<2x8xf32>
      %2 = amp.matmul %x0, %x0 accumulate f32 {amp.place = [#amp.place<slice, 1>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      amp.yield %2 : tensor<4x4xf32>
    }
    return %0 : tensor<3x4x4xf32>
  }
}

// -----

// placement_c10
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @f(%x: tensor<3x2xf32> {amp.place = #amp.place<input, 0>}) attributes {amp.arena_bytes = 0 : i64} {
    amp.foreach 3(%x) divisors [1] {amp.scratch_bytes = 1024 : i64} : (tensor<3x2xf32>) -> () {
    ^bb0(%x0: tensor<2xf32>):
      // expected-error @below {{must stand where its bytes are, got #amp.place<scratch, 0>}}
      %1 = amp.constant {amp.place = [#amp.place<scratch, 0>]} dense<[1.0, 2.0]> : tensor<2xf32>
      amp.yield
    }
    return
  }
}
