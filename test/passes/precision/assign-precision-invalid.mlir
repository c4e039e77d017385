// RUN: %ampc-opt %s -amp-assign-precision=precision=bf16 -split-input-file -verify-diagnostics

// expected-error @below {{precision 'bf16' is not available yet; use f32}}
module attributes {amp.stage = #amp.stage<model>} {
}

// -----

// expected-error @below {{amp-assign-precision expects stage model}}
module attributes {amp.stage = #amp.stage<typed>} {
}
