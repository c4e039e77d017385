// The same model for batches of another number of samples; see Resize.h.
#include "tools/libampc/Resize.h"

#include "ir/frontend/model/SampleDims.h"

#include <map>

using namespace mlir;

namespace ampc {

namespace {

/// An input and its axis 0.
struct SampleAxis {
  std::string input;
  std::string dim; ///< empty: not a dim
  int64_t extent;
};

} // namespace

/// The sample axes of the inputs of the model that `source` is the text of.
static rt::Expected<std::vector<SampleAxis>>
sampleAxes(const Model::Source &source) {
  AMPC_ASSIGN(Model model,
              Model::parse(source.text, source.path, *source.options));
  std::vector<SampleAxis> axes;
  func::FuncOp forward =
      amp::findEntry(*model.impl().module, amp::Entry::forward);
  if (!forward)
    return axes;
  llvm::StringMap<std::string> dims = model::sampleDims(source.text);
  for (BlockArgument argument : forward.getArguments()) {
    RankedTensorType type = amp::tensorType(argument);
    auto name = forward.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                     amp::kNameAttr);
    if (name && type.getRank() > 0)
      axes.push_back({name.str(), dims.lookup(name), type.getDimSize(0)});
  }
  return axes;
}

rt::Expected<Model> Resizer::make(const rt::Batch &batch) const {
  const std::string &path = source.path;
  if (!source.options)
    return rt::fail(rt::Code::Usage, path, "IR has no dims left to set");
  AMPC_ASSIGN(std::vector<SampleAxis> axes, sampleAxes(source));
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
  ModelOptions changed = *source.options;
  for (const auto &[dim, extent] : extents)
    changed.sets.emplace_back(dim, std::to_string(extent));
  return Model::parse(source.text, path, changed);
}

} // namespace ampc
