// RUN: %ampc-opt %s -amp-place-buffers -verify-diagnostics

// expected-error @below {{amp-place-buffers expects stage fused}}
module attributes {amp.stage = #amp.stage<step>} {
}
