// ampc as a library: read a model, compile it, train it. Installed as
// <ampc/ampc.h>.
//
//   auto model = ampc::Model::load("mlp.amp");
//   auto session = ampc::open_session(*model);
//   session->step(batch);
//
// Everything that can fail returns an Expected; nothing throws, nothing ends
// the process. Programs that only run compiled plans include
// "runtime/api/Runtime.h" alone and link the runtime library.
#pragma once

#include "tools/libampc/Compile.h"
#include "tools/libampc/Explain.h"
#include "tools/libampc/MemoryPlan.h"
#include "tools/libampc/MemorySweep.h"
#include "tools/libampc/MemoryVerdict.h"
#include "tools/libampc/Model.h"
#include "tools/libampc/PrecisionReport.h"

#include "runtime/api/Runtime.h"
