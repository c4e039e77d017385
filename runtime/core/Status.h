// The error type and the element types, under the name the runtime's own code
// uses. They stand in runtime/plan, the only folder that codegen may include.
#pragma once

#include "runtime/plan/Status.h"
#include "runtime/plan/Types.h"
