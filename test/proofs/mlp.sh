#!/usr/bin/env bash
# examples/mlp.amp at full size: 20 losses and every variable by compiled code and by the reference
# evaluator, and the same bits at 1 to 4 threads, fused and unfused. About ten minutes on two cores.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
AMPC_PROOF_FULL=1 "${AMPC_BUILD_DIR:-build}/bin/ampc-train-tests"
