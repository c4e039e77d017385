// The same model for batches of another number of samples.
#ifndef AMPC_TOOLS_LIBAMPC_RESIZE_H
#define AMPC_TOOLS_LIBAMPC_RESIZE_H

#include "runtime/data/Batch.h"
#include "tools/libampc/ModelImpl.h"

namespace ampc {

/// Makes a model anew with other extents of its sample axes. It holds all that
/// takes, so it may outlive the model that it was made from.
class Resizer {
public:
  /// Of a model read from .amp text; IR has no dims left to set, and is refused
  /// by `make`.
  explicit Resizer(const Model &model) : source(model.source()) {}

  /// The model whose inputs are as long as those of `batch`: every dim that is
  /// axis 0 of an input of another length is set to that length. An axis that
  /// is no dim, or a text that does not hold for the new extent: Code BadInput
  /// or Usage.
  rt::Expected<Model> make(const rt::Batch &batch) const;

private:
  Model::Source source;
};

} // namespace ampc

#endif // AMPC_TOOLS_LIBAMPC_RESIZE_H
