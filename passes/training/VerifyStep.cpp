// Refuses a module that is not a complete training step: the verifier of stage
// step.
#include "passes/training/Passes.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_VERIFYSTEP
#include "passes/training/Passes.h.inc"

namespace {

/// step_c3: an entry asks only for what it uses.
LogicalResult verifyArguments(func::FuncOp func) {
  for (BlockArgument argument : func.getArguments()) {
    if (argument.use_empty())
      return func.emitOpError()
             << "argument " << argument.getArgNumber() << " has no use";
  }
  return success();
}

/// step_c13: `result` of `func` is a fault, and nothing is written in spite of
/// it.
LogicalResult verifyFault(func::FuncOp func, unsigned result) {
  auto type =
      RankedTensorType::get({3}, IntegerType::get(func.getContext(), 64));
  if (result + 1 != func.getNumResults() ||
      func.getResultTypes()[result] != type ||
      !func.getResultAttr(result, kIndexRangeAttr))
    return func.emitOpError()
           << "result " << result << " is a fault; it must be the last one, "
           << type << " with " << kIndexRangeAttr;
  for (auto write : func.front().getOps<WriteOp>()) {
    auto choice = write.getInput().getDefiningOp<SelectOp>();
    auto old = choice ? choice.getOnFalse().getDefiningOp<ReadOp>() : ReadOp();
    if (!old || old.getVariable() != write.getVariable())
      return write.emitOpError() << "must write the old value of '"
                                 << write.getVariable() << "' after a fault";
  }
  return success();
}

/// step_c14: `result`, probe `number` of `func`, says what it shows.
LogicalResult verifyProbe(func::FuncOp func, unsigned result, int64_t number) {
  auto probe = func.getResultAttrOfType<ProbeAttr>(result, kProbeAttr);
  if (!probe)
    return func.emitOpError()
           << "result " << result << " is a probe without " << kProbeAttr;
  for (int64_t input : probe.getInputs().asArrayRef())
    if (input < 0 || input >= number)
      return func.emitOpError() << "probe " << number << " names input "
                                << input << "; expected a probe before it";
  return success();
}

/// step_c7, step_c9, step_c12, step_c13, step_c14: results are of their kind.
LogicalResult verifyResults(func::FuncOp func, Entry entry) {
  int64_t probes = 0;
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    auto io = func.getResultAttrOfType<IoAttr>(i, kIoAttr);
    if (io.getValue() == Io::probe) {
      if (failed(verifyProbe(func, i, probes++)))
        return failure();
      continue;
    }
    if (io.getValue() == Io::fault) {
      if (failed(verifyFault(func, i)))
        return failure();
      continue;
    }
    if (io.getValue() == Io::gradient && entry != Entry::gradient)
      return func.emitOpError()
             << "result " << i << " is a gradient that nothing consumed";
    bool partial = io.getValue() == Io::partial;
    if (partial != (entry == Entry::eval_step))
      return func.emitOpError()
             << "result " << i << " is of kind " << stringifyIo(io.getValue())
             << "; eval_step gives partial results, and it alone";
    if (io.getValue() != Io::loss && !partial)
      continue;
    auto type = cast<RankedTensorType>(func.getResultTypes()[i]);
    bool wide = type.getElementType().isF32() || type.getElementType().isF64();
    if (type.getRank() != 0 || (!wide && !partial))
      return func.emitOpError()
             << stringifyIo(io.getValue()) << " " << i << " must be "
             << (partial ? "a scalar" : "an f32 or f64 scalar") << ", got "
             << type;
  }
  return success();
}

/// Whether `entry` ends a window, of one micro-batch or of several.
bool endsWindow(Entry entry) {
  return entry == Entry::train_step || entry == Entry::apply_step;
}

/// step_c4: who may write what.
LogicalResult verifyWriter(WriteOp write, Entry entry,
                           const llvm::StringMap<VariableOp> &variables) {
  if (endsWindow(entry))
    return success();
  if (entry != Entry::window && entry != Entry::micro_step)
    return write.emitOpError()
           << "cannot stand in " << stringifyEntry(entry)
           << ": only the entries of a step write variables";
  VariableOp variable = variables.lookup(write.getVariable());
  if (write.getVariable() == kMicroVariable ||
      (variable && variable.getRole() == VariableRole::accumulator))
    return success();
  return write.emitOpError()
         << "writes '" << write.getVariable() << "' in "
         << stringifyEntry(entry) << ", which writes accumulators and '"
         << kMicroVariable << "' alone";
}

/// step_c4, step_c5: who writes, and when.
LogicalResult verifyWrites(func::FuncOp func, Entry entry,
                           const llvm::StringMap<VariableOp> &variables) {
  llvm::StringMap<WriteOp> writes;
  WriteOp first;
  for (Operation &op : func.front()) {
    if (auto read = dyn_cast<ReadOp>(op); read && first) {
      InFlightDiagnostic diagnostic = read.emitOpError()
                                      << "stands after a write";
      diagnostic.attachNote(first.getLoc()) << "the first write is here";
      return diagnostic;
    }
    auto write = dyn_cast<WriteOp>(op);
    if (!write)
      continue;
    if (failed(verifyWriter(write, entry, variables)))
      return failure();
    auto [position, isNew] = writes.try_emplace(write.getVariable(), write);
    if (!isNew) {
      InFlightDiagnostic diagnostic = write.emitOpError()
                                      << "writes '" << write.getVariable()
                                      << "' a second time";
      diagnostic.attachNote(position->second.getLoc())
          << "the first write is here";
      return diagnostic;
    }
    first = first ? first : write;
  }
  // step_c6
  for (StringRef counter : {kIterationVariable, kUpdateVariable})
    if (endsWindow(entry) && !writes.contains(counter))
      return func.emitOpError() << "does not advance '" << counter << "'";
  return success();
}

/// Whether `variable` gets `value`, as it is or where conditions hold.
bool isWritten(Value value, StringRef variable) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (auto write = dyn_cast<WriteOp>(user))
      return write.getVariable() == variable;
    auto choice = dyn_cast<SelectOp>(user);
    return choice && choice.getOnTrue() == value &&
           isWritten(choice.getResult(), variable);
  });
}

/// step_c8, step_c10, step_c11: each op alone.
LogicalResult verifyOp(Operation *op,
                       const llvm::StringMap<VariableOp> &variables) {
  if (isa<OptimizerUpdate>(op)) {
    auto read = op->getOperand(0).getDefiningOp<ReadOp>();
    VariableOp variable =
        read ? variables.lookup(read.getVariable()) : VariableOp();
    bool master = variable && (variable.getRole() == VariableRole::parameter ||
                               variable.getRole() == VariableRole::master);
    if (!master || !variable.tensorType().getElementType().isF32())
      return op->emitOpError()
             << "must update an f32 variable of role parameter or master";
    if (!isWritten(op->getResult(0), read.getVariable()))
      return op->emitOpError() << "updates '" << read.getVariable()
                               << "' but no amp.write stores it";
  }
  if (auto random = dyn_cast<RandomSite>(op);
      random && random.drawsIn(random.getMode()) &&
      random.getKeyMutable().empty())
    return op->emitOpError() << "has no key";
  if (isOpTriviallyDead(op))
    return op->emitOpError() << "has no effect and no use";
  return success();
}

class VerifyStepPass : public impl::VerifyStepBase<VerifyStepPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(verify(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  static LogicalResult verify(ModuleOp module) {
    // step_c1
    if (stageOf(module) != Stage::step)
      return module.emitOpError() << "is not in stage step";
    llvm::StringMap<VariableOp> variables;
    for (auto variable : module.getOps<VariableOp>())
      variables[variable.getSymName()] = variable;
    llvm::SmallDenseSet<uint32_t> seen;
    for (auto func : module.getOps<func::FuncOp>()) {
      // step_c2
      std::optional<Entry> entry = entryOf(func);
      if (!entry)
        return func.emitOpError() << "is no entry";
      if (*entry == Entry::forward)
        return func.emitOpError()
               << "is left from the model: stage step holds entries only";
      if (!seen.insert(static_cast<uint32_t>(*entry)).second)
        return func.emitOpError()
               << "is a second entry " << stringifyEntry(*entry);
      if (failed(verifyArguments(func)) ||
          failed(verifyResults(func, *entry)) ||
          failed(verifyWrites(func, *entry, variables)))
        return failure();
      for (Operation &op : func.front().without_terminator())
        if (failed(verifyOp(&op, variables)))
          return failure();
    }
    return verifyWindow(module);
  }

  /// step_c15: the entries of a window are there together.
  static LogicalResult verifyWindow(ModuleOp module) {
    SmallVector<func::FuncOp> found;
    for (Entry entry : {Entry::window, Entry::micro_step, Entry::apply_step})
      if (func::FuncOp func = findEntry(module, entry))
        found.push_back(func);
    if (found.empty())
      return success();
    if (found.size() < 3)
      return found.front().emitOpError()
             << "stands without the other entries of a window: expected "
                "window, micro_step and apply_step";
    if (func::FuncOp step = findEntry(module, Entry::train_step))
      return step.emitOpError()
             << "stands beside micro_step: a step is one or the other";
    return success();
  }
};

} // namespace
} // namespace ampc
