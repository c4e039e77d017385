// Updates every parameter from its gradient and advances the counters (N22,
// N31).
#include "passes/training/Passes.h"
#include "passes/training/VariableTable.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_BUILDOPTIMIZER
#include "passes/training/Passes.h.inc"

namespace {

/// What `amp.train` says of the optimizer.
struct OptimizerSettings {
  RegisteredOperationName op;
  DictionaryAttr hyperparameters; // without `op` and `lr`
  double learningRate = 0;
};

FailureOr<OptimizerSettings> readSettings(ModuleOp module) {
  auto train = module->getAttrOfType<DictionaryAttr>(kTrainAttr);
  auto optimizer =
      train ? train.getAs<DictionaryAttr>("optimizer") : DictionaryAttr();
  if (!optimizer)
    return module.emitError()
           << "the model has a loss but the train block names no optimizer";
  auto name = optimizer.getAs<StringAttr>("op");
  auto rate = optimizer.getAs<FloatAttr>("lr");
  if (!name || !rate)
    return module.emitError() << "amp.train: optimizer needs `op` (a string) "
                                 "and `lr` (a float), got "
                              << optimizer;
  std::optional<RegisteredOperationName> op =
      RegisteredOperationName::lookup(name.getValue(), module.getContext());
  if (!op || !op->hasInterface<OptimizerUpdate>())
    return module.emitError()
           << "amp.train: '" << name.getValue() << "' is not an optimizer op";
  NamedAttrList hyperparameters;
  for (NamedAttribute attribute : optimizer)
    if (attribute.getName() != "op" && attribute.getName() != "lr")
      hyperparameters.push_back(attribute);
  return OptimizerSettings{*op,
                           hyperparameters.getDictionary(module.getContext()),
                           rate.getValueAsDouble()};
}

class BuildOptimizerPass : public impl::BuildOptimizerBase<BuildOptimizerPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (stageOf(module) != Stage::typed) {
      module.emitError() << "amp-build-optimizer expects stage typed";
      return signalPassFailure();
    }
    module->setAttr(kStageAttr, StageAttr::get(&getContext(), Stage::step));
    func::FuncOp step = findEntry(module, Entry::train_step);
    if (!step)
      return; // a model without a loss serves the other entries
    FailureOr<OptimizerSettings> settings = readSettings(module);
    if (failed(settings))
      return signalPassFailure();
    auto ret = cast<func::ReturnOp>(step.front().getTerminator());
    OpBuilder builder(ret);
    OpBuilder top(&step.front(), step.front().begin());
    VariableTable variables(module);
    auto read = [&](VariableOp variable) -> Value {
      return ReadOp::create(top, variable.getLoc(), variable.tensorType(),
                            variable.getSymName());
    };
    variables.ensureCounter(kSeedVariable);
    VariableOp iterations = variables.ensureCounter(kIterationVariable);
    VariableOp updates = variables.ensureCounter(kUpdateVariable);
    Value update = read(updates), iteration = read(iterations);
    Value rate = read(variables.ensureLearningRate(settings->learningRate));

    llvm::BitVector gradients(step.getNumResults());
    SmallVector<Value> kept;
    SmallVector<std::pair<std::string, Value>> writes;
    for (unsigned i = 0; i < step.getNumResults(); ++i) {
      auto io = step.getResultAttrOfType<IoAttr>(i, kIoAttr);
      if (!io || io.getValue() != Io::gradient) {
        kept.push_back(ret.getOperand(i));
        continue;
      }
      gradients.set(i);
      auto wrt = step.getResultAttrOfType<FlatSymbolRefAttr>(i, kWrtAttr);
      VariableOp parameter =
          wrt ? variables.lookup(wrt.getValue()) : VariableOp();
      if (!parameter) {
        step.emitError() << "gradient result " << i << " names no variable";
        return signalPassFailure();
      }
      updateParameter(*settings, builder, variables, parameter,
                      ret.getOperand(i), update, rate, read, writes);
    }
    ret.getOperandsMutable().assign(kept);
    (void)step.eraseResults(gradients);
    for (auto &[name, value] : writes)
      WriteOp::create(builder, value.getLoc(), name, value);
    advance(builder, kIterationVariable, iteration);
    advance(builder, kUpdateVariable, update);
  }

  /// Builds the optimizer op of one parameter and notes what is to be written.
  template <typename ReadFn>
  void updateParameter(const OptimizerSettings &settings, OpBuilder &builder,
                       VariableTable &variables, VariableOp parameter,
                       Value gradient, Value update, Value rate, ReadFn read,
                       SmallVectorImpl<std::pair<std::string, Value>> &writes) {
    std::string name = parameter.getSymName().str();
    RankedTensorType type = parameter.tensorType();
    SmallVector<std::string> written{name};
    OperationState state(parameter.getLoc(), settings.op);
    state.addOperands({read(parameter), gradient});
    for (StringRef slot :
         settings.op.getInterface<OptimizerUpdate>()->stateNames(
             settings.hyperparameters)) {
      std::string slotName = ("ampc." + slot + "/" + name).str();
      VariableOp moment = variables.lookup(slotName);
      if (!moment)
        moment = variables.append(parameter.getLoc(), slotName, type,
                                  VariableRole::moment, InitKind::zeros);
      state.addOperands(read(moment));
      written.push_back(slotName);
    }
    state.addOperands({update, rate});
    state.addAttributes(settings.hyperparameters.getValue());
    state.addTypes(SmallVector<Type>(written.size(), type));
    Operation *op = builder.create(state);
    for (auto [target, value] : llvm::zip(written, op->getResults()))
      writes.emplace_back(target, value);
  }

  void advance(OpBuilder &builder, StringRef name, Value counter) {
    Value one = splat(builder, counter.getLoc(), tensorType(counter), 1);
    Value next = AddOp::create(builder, counter.getLoc(), counter, one);
    WriteOp::create(builder, counter.getLoc(), name, next);
  }
};

} // namespace
} // namespace ampc
