// RUN: %ampc-opt %s -amp-differentiate -verify-diagnostics

// expected-error @below {{amp-differentiate expects stage typed, got}}
module attributes {amp.stage = #amp.stage<step>} {
}
