// RUN: %ampc-opt %s -amp-assign-precision=precision=f24 -split-input-file -verify-diagnostics

// expected-error @below {{unknown precision 'f24'; expected auto, f32, tf32, bf16 or f16}}
module attributes {amp.stage = #amp.stage<model>} {
}

// -----

// expected-error @below {{amp-assign-precision expects stage model, got typed}}
module attributes {amp.stage = #amp.stage<typed>} {
}
