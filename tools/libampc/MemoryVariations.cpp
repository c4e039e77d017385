// The memory plans of a model with other settings; see MemoryVariations.h.
#include "tools/libampc/MemoryVariations.h"

#include "tools/libampc/ModelImpl.h"

#include "llvm/Support/ThreadPool.h"

namespace ampc {

Variations::Variations(const Model &model, const CompileOptions &settings,
                       int threads)
    : model(model), options(settings), threads(threads) {
  // The plan of the model itself has told all there is to tell.
  options.dump_after.clear();
  options.dump = {};
  options.remark_category.clear();
  options.remark = {};
  options.warn = {};
  options.time = {};
}

bool Variations::canSet() const { return model.source().options.has_value(); }

bool Variations::canChangePrecision() const { return model.stage() == "model"; }

rt::Expected<MemoryPlan> Variations::plan(const Variation &variation) const {
  CompileOptions changed = options;
  if (!variation.precision.empty())
    changed.precision = variation.precision;
  if (!variation.entries.empty())
    changed.entries = variation.entries;
  const Model::Source &source = model.source();
  if (!source.options) {
    // IR: read again, so that every plan has a context of its own.
    if (!variation.sets.empty())
      return rt::fail(rt::Code::Usage, model.path(),
                      "IR has no dims or consts left to set (--set " +
                          variation.sets.front().first + ")");
    AMPC_ASSIGN(Model again, Model::load(model.path()));
    return plan_memory(again, changed, threads);
  }
  ModelOptions settings = *source.options;
  settings.sets.insert(settings.sets.end(), variation.sets.begin(),
                       variation.sets.end());
  AMPC_ASSIGN(Model again, Model::parse(source.text, model.path(), settings));
  return plan_memory(again, changed, threads);
}

std::vector<rt::Expected<MemoryPlan>>
Variations::planAll(const std::vector<Variation> &variations) const {
  std::vector<rt::Expected<MemoryPlan>> plans(variations.size());
  llvm::DefaultThreadPool pool;
  for (size_t i = 0; i < variations.size(); ++i)
    pool.async([&, i] { plans[i] = plan(variations[i]); });
  pool.wait();
  return plans;
}

} // namespace ampc
