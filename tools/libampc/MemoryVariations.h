// The memory plans of one model with other settings.
#ifndef AMPC_TOOLS_LIBAMPC_MEMORYVARIATIONS_H
#define AMPC_TOOLS_LIBAMPC_MEMORYVARIATIONS_H

#include "tools/libampc/MemoryPlan.h"

namespace ampc {

/// One thing changed, or several.
struct Variation {
  std::vector<std::pair<std::string, std::string>> sets; ///< as `--set`
  std::string precision;                                 ///< empty: as it is
  std::vector<std::string> entries;                      ///< empty: as they are
};

/// Plans a model's variations. Each is read and lowered anew in a context of
/// its own, as many at a time as there are processors. The model must outlive
/// it.
class Variations {
public:
  Variations(const Model &model, const CompileOptions &options, int threads);

  /// Whether settings can be changed: IR has none left.
  bool canSet() const;
  /// Whether the precision can: IR past stage model has its own.
  bool canChangePrecision() const;

  rt::Expected<MemoryPlan> plan(const Variation &variation) const;
  std::vector<rt::Expected<MemoryPlan>>
  planAll(const std::vector<Variation> &variations) const;

private:
  const Model &model;
  CompileOptions options; ///< that report nothing
  int threads;
};

} // namespace ampc

#endif // AMPC_TOOLS_LIBAMPC_MEMORYVARIATIONS_H
