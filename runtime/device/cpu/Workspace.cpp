// The workspace of a plan's products; see Workspace.h.
#include "runtime/device/cpu/Workspace.h"

namespace ampc::rt {

Expected<ContractionWorkspace>
contraction_workspace(std::span<const ContractionSpec> contractions,
                      int threads) {
  if (threads == 0)
    threads = ThreadPool::processors();
  CpuFeatures features = CpuFeatures::probe();
  // One slot suffices: what a thread needs does not depend on how many there
  // are. The lease holds the library to one thread, as a session does.
  auto lease = ThreadPool::instance().lease();
  AMPC_ASSIGN(std::unique_ptr<MatmulCache> cache,
              MatmulCache::create(1, features));
  ContractionWorkspace workspace{0, threads, 0};
  for (size_t i = 0; i < contractions.size(); ++i) {
    AMPC_ASSIGN(
        Contraction described,
        Contraction::describe(contractions[i], *cache, features, threads));
    if (described.workspaceBytes() > workspace.bytes)
      workspace = {described.workspaceBytes(), threads, i};
  }
  return workspace;
}

} // namespace ampc::rt
