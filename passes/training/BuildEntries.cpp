// Splits the forward graph into the entries of a program. Each entry keeps what
// its results reach; random ops get the key of their entry (N17).
#include "passes/training/DeadOps.h"
#include "passes/training/Passes.h"
#include "passes/training/VariableTable.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_BUILDENTRIES
#include "passes/training/Passes.h.inc"

namespace {

/// The results of the forward function that `entry` returns.
bool wantsResult(Entry entry, Io io) {
  switch (entry) {
  case Entry::train_step:
  case Entry::eval_step:
    return io == Io::loss || io == Io::metric;
  case Entry::infer:
    return io == Io::output;
  default:
    return true;
  }
}

Io ioOf(func::FuncOp func, unsigned result) {
  return func.getResultAttrOfType<IoAttr>(result, kIoAttr).getValue();
}

/// Removes the results of `func` that `entry` does not return.
void keepWantedResults(func::FuncOp func, Entry entry) {
  auto ret = cast<func::ReturnOp>(func.front().getTerminator());
  llvm::BitVector unwanted(func.getNumResults());
  SmallVector<Value> kept;
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    if (wantsResult(entry, ioOf(func, i)))
      kept.push_back(ret.getOperand(i));
    else
      unwanted.set(i);
  }
  ret.getOperandsMutable().assign(kept);
  (void)func.eraseResults(unwanted);
}

/// Drops the arguments that nothing uses: an entry asks only for the inputs it
/// reaches.
void eraseUnusedArguments(func::FuncOp func) {
  llvm::BitVector unused(func.getNumArguments());
  for (BlockArgument argument : func.getArguments())
    if (argument.use_empty())
      unused.set(argument.getArgNumber());
  (void)func.eraseArguments(unused);
}

/// The number of terms of a mean, none where labels decide it.
std::optional<int64_t> constantCount(Value count) {
  DenseElementsAttr value;
  if (!matchPattern(count, m_Constant(&value)))
    return std::nullopt;
  return static_cast<int64_t>(value.getSplatValue<APFloat>().convertToDouble());
}

/// Turns each mean among the results into its sum, with the number of terms as
/// divisor.
void splitMeans(func::FuncOp func) {
  auto ret = cast<func::ReturnOp>(func.front().getTerminator());
  OpBuilder builder(ret);
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    int64_t divisor = 1;
    auto mean = ret.getOperand(i).getDefiningOp<MeanReduction>();
    std::optional<int64_t> terms = mean && mean.isMean()
                                       ? constantCount(mean.buildCount(builder))
                                       : std::nullopt;
    if (terms && *terms > 0) {
      ret.setOperand(i, mean.buildSum(builder));
      divisor = *terms;
    }
    func.setResultAttr(i, kDivisorAttr, builder.getI64IntegerAttr(divisor));
  }
}

/// Gives every random op of `func` the key of the entry's stream.
void keyRandomOps(func::FuncOp func, Entry entry, RandomMode otherMode,
                  VariableTable &variables) {
  SmallVector<RandomOp> randoms;
  func.walk([&](RandomOp op) { randoms.push_back(op); });
  if (randoms.empty())
    return;
  OpBuilder builder(&func.front(), func.front().begin());
  auto readState = [&](StringRef name) {
    VariableOp variable = variables.ensureCounter(name);
    return ReadOp::create(builder, func.getLoc(), variable.tensorType(), name)
        .getResult();
  };
  RankedTensorType scalar = RankedTensorType::get({}, builder.getI64Type());
  Value zero = splat(builder, func.getLoc(), scalar, 0);
  RandomMode mode = entry == Entry::train_step  ? RandomMode::train
                    : entry == Entry::eval_step ? RandomMode::eval
                                                : otherMode;
  Value index = mode == RandomMode::train  ? readState(kIterationVariable)
                : mode == RandomMode::eval ? readState(kEvalIndexVariable)
                                           : zero;
  SmallVector<Value> key{readState(kSeedVariable), index, zero};
  for (RandomOp op : randoms) {
    op.getKeyMutable().assign(key);
    op.setMode(mode);
  }
}

class BuildEntriesPass : public impl::BuildEntriesBase<BuildEntriesPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    func::FuncOp forward = findEntry(module, Entry::forward);
    if (!forward || stageOf(module) != Stage::typed) {
      module.emitError()
          << "amp-build-entries expects stage typed with a forward function";
      return signalPassFailure();
    }
    bool hasLoss = false, hasOutput = false;
    for (unsigned i = 0; i < forward.getNumResults(); ++i) {
      hasLoss |= ioOf(forward, i) == Io::loss;
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
      if (!entry || *entry == Entry::forward) {
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
      bool possible = entry == Entry::infer
                          ? hasOutput
                          : entry == Entry::gradient || hasLoss;
      if (possible) {
        buildEntry(forward, entry, *otherMode, variables);
        continue;
      }
      if (!explicitly)
        continue;
      forward.emitError() << "entry " << stringifyEntry(entry)
                          << " has nothing to compute: the model has no "
                          << (entry == Entry::infer ? "output" : "loss");
      return signalPassFailure();
    }
    forward.erase();
  }

  void buildEntry(func::FuncOp forward, Entry entry, RandomMode otherMode,
                  VariableTable &variables) {
    func::FuncOp func = forward.clone();
    func.setName(stringifyEntry(entry));
    func->setAttr(kEntryAttr, EntryAttr::get(&getContext(), entry));
    forward->getBlock()->getOperations().insert(forward->getIterator(), func);
    keepWantedResults(func, entry);
    if (entry == Entry::eval_step)
      splitMeans(func);
    eraseDeadOps(func);
    // Differentiation of the gradient entry may be asked for any input, reached
    // or not.
    if (entry != Entry::gradient)
      eraseUnusedArguments(func);
    keyRandomOps(func, entry, otherMode, variables);
  }
};

} // namespace
} // namespace ampc
