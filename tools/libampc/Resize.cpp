// The same model for batches of another number of samples; see Resize.h.
#include "tools/libampc/Resize.h"

#include "ir/frontend/model/SampleDims.h"

#include <map>

using namespace mlir;

namespace ampc {

Resizer::Resizer(const Model &model)
    : path(model.path()), text(model.impl().text),
      options(model.impl().options) {
  func::FuncOp forward =
      amp::findEntry(*model.impl().module, amp::Entry::forward);
  if (!options || !forward)
    return;
  llvm::StringMap<std::string> dims = model::sampleDims(text);
  for (BlockArgument argument : forward.getArguments()) {
    RankedTensorType type = amp::tensorType(argument);
    auto name = forward.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                     amp::kNameAttr);
    if (name && type.getRank() > 0)
      axes.push_back({name.str(), dims.lookup(name), type.getDimSize(0)});
  }
}

rt::Expected<Model> Resizer::make(const rt::Batch &batch) const {
  if (!options)
    return rt::fail(rt::Code::Usage, path, "IR has no dims left to set");
  std::map<std::string, int64_t> extents;
  for (const SampleAxis &axis : axes) {
    const rt::TensorView *view = batch.find(axis.input);
    if (!view || view->shape.empty() || view->shape[0] == axis.extent)
      continue;
    if (axis.dim.empty())
      return rt::fail(rt::Code::Usage, path,
                      "axis 0 of '" + axis.input + "' is not a dim");
    int64_t extent = view->shape[0];
    auto [set, fresh] = extents.try_emplace(axis.dim, extent);
    if (!fresh && set->second != extent)
      return rt::fail(rt::Code::Usage, path,
                      "dim '" + axis.dim + "' would be " +
                          std::to_string(set->second) + " and " +
                          std::to_string(extent));
  }
  ModelOptions changed = *options;
  for (const auto &[dim, extent] : extents)
    changed.sets.emplace_back(dim, std::to_string(extent));
  return Model::parse(text, path, changed);
}

} // namespace ampc
