// The whole public interface of the runtime: include this.
#pragma once

#include "runtime/api/Devices.h"
#include "runtime/api/Plan.h"
#include "runtime/api/Session.h"
#include "runtime/core/Initialise.h"
#include "runtime/core/Status.h"
#include "runtime/core/Tensor.h"
#include "runtime/data/Batch.h"
#include "runtime/data/Npy.h"
#include "runtime/data/Safetensors.h"
#include "runtime/data/Streams.h"
#include "runtime/train/Checkpoint.h"
#include "runtime/train/Diagnosis.h"
#include "runtime/train/Evaluation.h"
#include "runtime/train/Stepper.h"
#include "runtime/train/Trainer.h"

namespace ampc::rt {

/// Version of this library, `0.1.0`.
AMPC_API const char *runtime_version();

} // namespace ampc::rt
