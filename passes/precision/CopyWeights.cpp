// Gives each parameter that is read in 16 bits a working copy in them (N22):
// the step writes master and copy together, and no op casts a whole parameter.
#include "passes/precision/Passes.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_COPYWEIGHTS
#include "passes/precision/Passes.h.inc"

namespace {

class CopyWeightsPass : public impl::CopyWeightsBase<CopyWeightsPass> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    auto entries = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp entry : entries)
      if (!entry.isExternal())
        readCopies(entry, symbols);
    for (func::FuncOp entry : entries)
      if (!entry.isExternal())
        writeCopies(entry);
  }

private:
  /// Reads the copy in the place of each policy cast of a parameter.
  void readCopies(func::FuncOp entry, SymbolTable &symbols) {
    for (auto read : llvm::to_vector(entry.front().getOps<ReadOp>())) {
      auto parameter = symbols.lookup<VariableOp>(read.getVariable());
      if (parameter.getRole() != VariableRole::parameter ||
          !parameter.tensorType().getElementType().isF32())
        continue;
      for (Operation *user : llvm::to_vector(read->getUsers())) {
        auto cast = dyn_cast<CastOp>(user);
        Type type =
            cast ? tensorType(cast.getResult()).getElementType() : Type();
        if (!cast || cast.getOrigin() != CastOrigin::policy ||
            !(type.isBF16() || type.isF16()))
          continue;
        VariableOp copy = copyOf(parameter, cast.getType(), symbols);
        OpBuilder builder(read);
        auto value = ReadOp::create(builder, read.getLoc(), cast.getType(),
                                    copy.getSymName());
        if (Attribute reason = cast->getAttr(kReasonAttr)) {
          value->setAttr(kReasonAttr, reason);
          reasons.try_emplace(copy, reason);
        }
        cast.replaceAllUsesWith(value.getResult());
        cast.erase();
      }
      if (read->use_empty())
        read.erase();
    }
  }

  /// The copy of `parameter` in `type`, declared beside it when missing.
  VariableOp copyOf(VariableOp parameter, RankedTensorType type,
                    SymbolTable &symbols) {
    SmallVector<VariableOp, 1> &known = copies[parameter.getSymName()];
    for (VariableOp copy : known)
      if (copy.tensorType() == type)
        return copy;
    std::string name = ("ampc.copy16/" + parameter.getSymName()).str();
    if (!known.empty()) // one in each format
      llvm::raw_string_ostream(name) << "." << type.getElementType();
    OpBuilder builder(parameter);
    builder.setInsertionPointAfter(parameter);
    auto copy = VariableOp::create(
        builder, parameter.getLoc(), name, type, VariableRole::copy16,
        InitKind::zeros, DenseF64ArrayAttr(), IntegerAttr(), ElementsAttr(),
        FlatSymbolRefAttr::get(parameter.getSymNameAttr()));
    symbols.insert(copy, Block::iterator(copy));
    known.push_back(copy);
    return copy;
  }

  /// Writes the copies where the step writes their parameters.
  void writeCopies(func::FuncOp entry) {
    for (auto write : llvm::to_vector(entry.front().getOps<WriteOp>())) {
      auto found = copies.find(write.getVariable());
      if (found == copies.end())
        continue;
      OpBuilder builder(write);
      for (VariableOp copy : found->second) {
        builder.setInsertionPoint(write);
        Value value = castTo(builder, write.getLoc(), write.getInput(),
                             copy.tensorType().getElementType());
        if (Attribute reason = reasons.lookup(copy))
          value.getDefiningOp()->setAttr(kReasonAttr, reason);
        builder.setInsertionPointAfter(write);
        WriteOp::create(builder, write.getLoc(), copy.getSymName(), value);
      }
    }
  }

  llvm::StringMap<SmallVector<VariableOp, 1>> copies;
  /// Why a copy has its type: what first reads it says so.
  llvm::DenseMap<Operation *, Attribute> reasons;
};

} // namespace
} // namespace ampc
