// What leaves libampc_runtime.so: everything else is hidden.
#pragma once

/// Marks a class or function of the public interface.
#define AMPC_API __attribute__((visibility("default")))
