// The export macro, AMPC_API, under the name the public headers use.
#pragma once

#include "runtime/plan/Export.h"
