// What leaves libampc_runtime.so: everything else is hidden. Stands in
// runtime/plan because the public classes hold some of ours;
// runtime/api/Export.h re-exports it.
#pragma once

/// Marks a class or function of the public interface.
#define AMPC_API __attribute__((visibility("default")))
