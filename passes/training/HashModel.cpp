// Names what the forward graph computes by a number, for checkpoints.
#include "passes/training/Passes.h"

#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_HASHMODEL
#include "passes/training/Passes.h.inc"

namespace {

/// Prints an attribute without the extents of its type: those of constants
/// and results follow the batch, which a run may change.
void print(raw_ostream &os, Attribute attribute) {
  auto elements = dyn_cast<DenseElementsAttr>(attribute);
  if (!elements)
    os << attribute;
  else if (elements.isSplat())
    os << elements.getSplatValue<Attribute>();
  else
    os << elements;
}

class HashModelPass : public impl::HashModelBase<HashModelPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    func::FuncOp forward = findEntry(module, Entry::forward);
    if (!forward || module->hasAttr(kModelHashAttr))
      return markAllAnalysesPreserved();
    std::string text;
    llvm::raw_string_ostream os(text);
    for (auto variable : module.getOps<VariableOp>())
      os << variable.getSymName() << " " << variable.getType() << " "
         << stringifyVariableRole(variable.getRole()) << "\n";
    llvm::DenseMap<Value, unsigned> numbers;
    auto number = [&](Value value) {
      return numbers.try_emplace(value, numbers.size()).first->second;
    };
    for (BlockArgument argument : forward.getArguments())
      os << number(argument) << " "
         << forward.getArgAttr(argument.getArgNumber(), kNameAttr) << "\n";
    for (Operation &op : forward.front()) {
      os << op.getName();
      for (Value operand : op.getOperands())
        os << " " << number(operand);
      for (Value result : op.getResults())
        os << " = " << number(result) << " "
           << tensorType(result).getElementType();
      for (NamedAttribute attribute : op.getAttrDictionary()) {
        os << " " << attribute.getName().getValue() << " ";
        print(os, attribute.getValue());
      }
      os << "\n";
    }
    uint64_t hash = llvm::xxh3_64bits(StringRef(text));
    module->setAttr(
        kModelHashAttr,
        Builder(&getContext()).getI64IntegerAttr(static_cast<int64_t>(hash)));
  }
};

} // namespace
} // namespace ampc
