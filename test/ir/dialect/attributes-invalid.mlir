// RUN: %ampc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{knows no attribute 'amp.color'}}
module attributes {amp.color = "red"} {}

// -----

// expected-error @+1 {{attribute 'amp.stage' must be #amp.stage, got "model"}}
module attributes {amp.stage = "model"} {}

// -----

// expected-error @+1 {{attribute 'amp.model' must be a string, got 1 : i64}}
module attributes {amp.model = 1} {}

// -----

// expected-error @+1 {{attribute 'amp.train' must be a dictionary, got []}}
module attributes {amp.train = []} {}

// -----

// expected-error @+1 {{attribute 'amp.data' must be an array, got {}}}
module attributes {amp.data = {}} {}

// -----

// expected-error @+1 {{attribute 'amp.target' must be #amp.target, got "cpu"}}
module attributes {amp.target = "cpu"} {}

// -----

// expected-error @+1 {{attribute 'amp.entry' must be #amp.entry, got "infer"}}
func.func private @entry() attributes {amp.entry = "infer"}

// -----

// expected-error @+1 {{attribute 'amp.arena_bytes' must be an integer, got "1KiB"}}
func.func private @arena() attributes {amp.arena_bytes = "1KiB"}

// -----

func.func @places_kind(%a: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'amp.place' must be an array of #amp.place, got #amp.place<arena, 0>}}
  %0 = amp.neg %a {amp.place = #amp.place<arena, 0>} : tensor<4xf32>
  return
}

// -----

func.func @places_count(%a: tensor<4xf32>) {
  // expected-error @+1 {{has 1 results but 2 places}}
  %0 = amp.neg %a {amp.place = [#amp.place<arena, 0>, #amp.place<arena, 64>]} : tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{attribute 'amp.name' must be a string, got 1 : i64}}
func.func private @name(tensor<4xf32> {amp.name = 1})

// -----

// expected-error @+1 {{attribute 'amp.io' must be #amp.io, got "input"}}
func.func private @io(tensor<4xf32> {amp.io = "input"})

// -----

// expected-error @+1 {{'output' cannot stand on an argument}}
func.func private @io_argument(tensor<4xf32> {amp.io = #amp.io<output>})

// -----

// expected-error @+1 {{'target' cannot stand on a result}}
func.func private @io_result() -> (tensor<4xf32> {amp.io = #amp.io<target>})

// -----

// expected-error @+1 {{knows no attribute 'amp.color' on a result}}
func.func private @unknown_result() -> (tensor<4xf32> {amp.color = "red"})

// -----

// expected-error @+1 {{attribute 'amp.place' must be #amp.place, got [#amp.place<input, 0>]}}
func.func private @place_argument(tensor<4xf32> {amp.place = [#amp.place<input, 0>]})

// -----

// expected-error @+1 {{attribute 'amp.wrt' must be a variable's symbol or an input's name, got 1 : i64}}
func.func private @wrt_kind() -> (tensor<4xf32> {amp.wrt = 1})

// -----

// expected-error @+1 {{knows no attribute 'amp.wrt' on an argument}}
func.func private @wrt_argument(tensor<4xf32> {amp.wrt = @w})

// -----

// expected-error @+1 {{a place's index must be at least 0, got -5}}
func.func private @place_index(tensor<4xf32> {amp.place = #amp.place<input, -5>})

// -----

// expected-error @+1 {{a place names a variable exactly in space variable, got space variable}}
func.func private @place_variable(tensor<4xf32> {amp.place = #amp.place<variable, 0>})

// -----

// expected-error @+1 {{a place names a variable exactly in space variable, got space arena}}
func.func private @place_arena(tensor<4xf32> {amp.place = #amp.place<arena, 0, @w>})

// -----

// expected-error @+1 {{a target's vector_bytes and cache_bytes must be above 0, got 0 and 1024}}
module attributes {amp.target = #amp.target<kind = "cpu", level = "avx2", vector_bytes = 0, cache_bytes = 1024, bandwidth = 1.0 : f64, launch_ns = 0.0 : f64>} {}

// -----

// expected-error @+1 {{a target's bandwidth must be above 0, got 0.000000e+00}}
module attributes {amp.target = #amp.target<kind = "cpu", level = "avx2", vector_bytes = 32, cache_bytes = 1024, bandwidth = 0.0 : f64, launch_ns = 0.0 : f64>} {}

// -----

// expected-error @+1 {{a target's launch_ns must be at least 0, got -1.000000e+00}}
module attributes {amp.target = #amp.target<kind = "cpu", level = "avx2", vector_bytes = 32, cache_bytes = 1024, bandwidth = 1.0 : f64, launch_ns = -1.0 : f64>} {}

// -----

// expected-error @below {{an entry must be a function with a body of one block}}
func.func private @entry_without_body() attributes {amp.entry = #amp.entry<infer>}

// -----

// expected-error @below {{argument 0 of an entry needs amp.name and amp.io}}
func.func @entry_argument(%x: tensor<f32>) attributes {amp.entry = #amp.entry<infer>} {
  return
}

// -----

// expected-error @below {{result 0 of an entry needs amp.name and amp.io}}
func.func @entry_result(%x: tensor<f32> {amp.name = "x", amp.io = #amp.io<input>}) -> tensor<f32>
    attributes {amp.entry = #amp.entry<infer>} {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{attribute 'amp.data_shuffle' must be a bool, got 1 : i64}}
module attributes {amp.data_shuffle = 1} {}

// -----

// expected-error @+1 {{attribute 'amp.data_validation' must be a float, got 1 : i64}}
module attributes {amp.data_validation = 1} {}

// -----

// expected-error @+1 {{attribute 'amp.precision' must be an array, got "x"}}
module attributes {amp.precision = "x"} {}

// -----

func.func @checkpoint_kind(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{attribute 'amp.checkpoint' must be an integer, got unit}}
  %y = amp.relu %x {amp.checkpoint} : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @+1 {{attribute 'amp.model_hash' must be an integer, got "x"}}
module attributes {amp.model_hash = "x"} {}

// -----

// expected-error @+1 {{attribute 'amp.eval_only' must be a unit, got 1 : i64}}
func.func private @eval_only_kind() -> (tensor<f32> {amp.eval_only = 1})

// -----

// expected-error @+1 {{knows no attribute 'amp.eval_only' on an argument}}
func.func private @eval_only_argument(tensor<f32> {amp.eval_only})

// -----

// expected-error @+1 {{attribute 'amp.index_range' must be an array of #amp.index_range, got 1 : i64}}
func.func private @index_range_kind(tensor<f32> {amp.index_range = 1})

// -----

// expected-error @+1 {{attribute 'amp.index_range' must be an array of #amp.index_range, got [1]}}
func.func private @index_range_result() -> (tensor<f32> {amp.index_range = [1]})

// -----

// expected-error @+1 {{an index range has 1 extents but 0 strides}}
func.func private @index_range_rank(tensor<4xi32> {amp.index_range = [#amp.index_range<low = 0, high = 10, offset = 1, extents = [4], strides = [], noun = "label", op = "nll", loc = loc(unknown)>]})

// -----

// expected-error @+1 {{an index range's extents must be at least 1, its offset and strides at least 0}}
func.func private @index_range_extent(tensor<4xi32> {amp.index_range = [#amp.index_range<low = 0, high = 10, offset = -1, extents = [4], strides = [1], noun = "label", op = "nll", loc = loc(unknown)>]})

// -----

// expected-error @+1 {{a target's kind must be cpu or cuda, got 'npu'}}
module attributes {amp.target = #amp.target<kind = "npu", level = "", vector_bytes = 32, cache_bytes = 1024, bandwidth = 1.0 : f64, launch_ns = 0.0 : f64>} {}

// -----

// expected-error @+1 {{a target's fast formats must be floats below f32, got f32}}
module attributes {amp.target = #amp.target<kind = "cpu", level = "avx2", vector_bytes = 32, cache_bytes = 1024, bandwidth = 1.0 : f64, launch_ns = 0.0 : f64, fast = [f32]>} {}
