// Splits the forward graph into the entries of a program. Each entry keeps what
// its results reach; random ops get the key of their entry (N17).
#include "passes/training/DataFormula.h"
#include "passes/training/DeadOps.h"
#include "passes/training/Passes.h"
#include "passes/training/VariableTable.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_BUILDENTRIES
#include "passes/training/Passes.h.inc"

namespace {

Io ioOf(func::FuncOp func, unsigned result) {
  return func.getResultAttrOfType<IoAttr>(result, kIoAttr).getValue();
}

/// Whether `entry` returns result `result` of the forward function.
bool wantsResult(func::FuncOp func, Entry entry, unsigned result) {
  Io io = ioOf(func, result);
  switch (entry) {
  case Entry::train_step:
    return (io == Io::loss || io == Io::metric) &&
           !func.getResultAttr(result, kEvalOnlyAttr);
  case Entry::eval_step:
    return io == Io::loss || io == Io::metric;
  case Entry::infer:
    return io == Io::output;
  default:
    return true;
  }
}

/// Removes the results of `func` that `entry` does not return.
void keepWantedResults(func::FuncOp func, Entry entry) {
  auto ret = cast<func::ReturnOp>(func.front().getTerminator());
  llvm::BitVector unwanted(func.getNumResults());
  SmallVector<Value> kept;
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    if (wantsResult(func, entry, i))
      kept.push_back(ret.getOperand(i));
    else
      unwanted.set(i);
  }
  ret.getOperandsMutable().assign(kept);
  (void)func.eraseResults(unwanted);
}

/// Puts the operand that counts in `training` mode, or outside of it, in the
/// place of each choice between the two.
void resolveTraining(func::FuncOp func, bool training) {
  func.walk([&](IfTrainingOp op) {
    op.getResult().replaceAllUsesWith(training ? op.getTraining()
                                               : op.getOtherwise());
    op.erase();
  });
}

/// The random stream that `entry` reads; `otherMode` is that of the entries
/// that a caller may choose it for.
RandomMode modeOf(Entry entry, RandomMode otherMode) {
  switch (entry) {
  case Entry::train_step:
    return RandomMode::train;
  case Entry::eval_step:
    return RandomMode::eval;
  default:
    return otherMode;
  }
}

/// Sets the mode of every random op of `func`, and gives those that draw in it
/// the key of its stream.
void keyRandomOps(func::FuncOp func, RandomMode mode,
                  VariableTable &variables) {
  SmallVector<RandomSite> drawing;
  func.walk([&](RandomSite op) {
    op.setMode(mode);
    if (op.drawsIn(mode))
      drawing.push_back(op);
  });
  if (drawing.empty())
    return;
  OpBuilder builder(&func.front(), func.front().begin());
  auto readState = [&](StringRef name) {
    VariableOp variable = variables.ensureCounter(name);
    return ReadOp::create(builder, func.getLoc(), variable.tensorType(), name)
        .getResult();
  };
  RankedTensorType scalar = RankedTensorType::get({}, builder.getI64Type());
  Value zero = splat(builder, func.getLoc(), scalar, 0);
  Value index = mode == RandomMode::train  ? readState(kIterationVariable)
                : mode == RandomMode::eval ? readState(kEvalIndexVariable)
                                           : zero;
  SmallVector<Value> key{readState(kSeedVariable), index, zero};
  for (RandomSite op : drawing)
    op.getKeyMutable().assign(key);
}

class BuildEntriesPass : public impl::BuildEntriesBase<BuildEntriesPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, Stage::typed, getArgument())))
      return signalPassFailure();
    func::FuncOp forward = findEntry(module, Entry::forward);
    if (!forward) {
      module.emitError() << getArgument() << " expects a forward function";
      return signalPassFailure();
    }
    bool hasLoss = false, hasMetric = false, hasOutput = false;
    for (unsigned i = 0; i < forward.getNumResults(); ++i) {
      hasLoss |= ioOf(forward, i) == Io::loss;
      hasMetric |= ioOf(forward, i) == Io::metric;
      hasOutput |= ioOf(forward, i) == Io::output;
    }
    std::optional<RandomMode> otherMode = symbolizeRandomMode(mode);
    if (otherMode != RandomMode::infer && otherMode != RandomMode::train) {
      module.emitError() << "mode: expected infer or train, got '" << mode
                         << "'";
      return signalPassFailure();
    }
    VariableTable variables(module);
    SmallVector<Entry> wanted;
    for (const std::string &name : entries) {
      std::optional<Entry> entry = symbolizeEntry(name);
      if (!entry || *entry == Entry::forward || *entry == Entry::eval_finish) {
        module.emitError() << "entries: expected train_step, eval_step, infer "
                              "or gradient, got '"
                           << name << "'";
        return signalPassFailure();
      }
      wanted.push_back(*entry);
    }
    bool explicitly = !wanted.empty();
    if (!explicitly)
      wanted = {Entry::train_step, Entry::eval_step, Entry::infer};
    for (Entry entry : wanted) {
      bool possible = entry == Entry::infer ? hasOutput
                      : entry == Entry::eval_step
                          ? hasLoss || hasMetric
                          : entry == Entry::gradient || hasLoss;
      if (possible) {
        buildEntry(forward, entry, *otherMode, variables);
        continue;
      }
      if (!explicitly)
        continue;
      forward.emitError() << "entry " << stringifyEntry(entry)
                          << " has nothing to compute: the model has no "
                          << (entry == Entry::infer       ? "output"
                              : entry == Entry::eval_step ? "loss and no metric"
                                                          : "loss");
      return signalPassFailure();
    }
    forward.erase();
  }

  void buildEntry(func::FuncOp forward, Entry entry, RandomMode otherMode,
                  VariableTable &variables) {
    func::FuncOp func = addEntry(forward, forward.clone(), entry);
    RandomMode mode = modeOf(entry, otherMode);
    keepWantedResults(func, entry);
    resolveTraining(func, mode == RandomMode::train);
    eraseDeadOps(func);
    keyRandomOps(func, mode, variables);
    if (entry == Entry::eval_step) {
      auto type = FunctionType::get(&getContext(), {}, {});
      func::FuncOp finish = addEntry(
          forward,
          func::FuncOp::create(forward.getLoc(),
                               stringifyEntry(Entry::eval_finish), type),
          Entry::eval_finish);
      splitEvaluation(func, finish);
      eraseDeadOps(func);
    }
    // Differentiation of the gradient entry may be asked for any input, reached
    // or not.
    if (entry != Entry::gradient)
      eraseUnusedArguments(func);
  }

  /// Puts `func` before the forward function, as entry `entry`.
  func::FuncOp addEntry(func::FuncOp forward, func::FuncOp func, Entry entry) {
    func.setName(stringifyEntry(entry));
    func->setAttr(kEntryAttr, EntryAttr::get(&getContext(), entry));
    forward->getBlock()->getOperations().insert(forward->getIterator(), func);
    return func;
  }
};

} // namespace
} // namespace ampc
