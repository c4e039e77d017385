// RUN: %ampc-opt %s -amp-form-groups -verify-diagnostics

// expected-error @below {{amp-form-groups expects stage step}}
module attributes {amp.stage = #amp.stage<model>} {
}
