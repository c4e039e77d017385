// Updates every trained parameter from its gradient and advances the counters
// (N22, N31): learning rate, clipping, optimizer ops.
#include "ir/dialect/ops/Formula.h"
#include "passes/training/GradientNorm.h"
#include "passes/training/GuardWrites.h"
#include "passes/training/LearningRate.h"
#include "passes/training/LossScale.h"
#include "passes/training/Passes.h"
#include "passes/training/TrainSettings.h"
#include "passes/training/VariableTable.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_BUILDOPTIMIZER
#include "passes/training/Passes.h.inc"

namespace {

/// A gradient result of the step and the parameter it belongs to.
struct Trained {
  VariableOp parameter;
  Value gradient;
};

/// Builds the end of one step: of train_step, or apply_step.
class StepBuilder {
public:
  StepBuilder(func::FuncOp step, const TrainSettings &settings,
              VariableTable &variables)
      : step(step), settings(settings), variables(variables),
        ret(cast<func::ReturnOp>(step.front().getTerminator())), builder(ret),
        top(&step.front(), step.front().begin()) {
    for (auto read : step.front().getOps<ReadOp>())
      reads.try_emplace(read.getVariable(), read);
  }

  LogicalResult build() {
    Location loc = step.getLoc();
    variables.ensureCounter(kSeedVariable);
    variables.ensureCounter(kMicroVariable);
    Value iteration = read(variables.ensureCounter(kIterationVariable));
    Value update = read(variables.ensureCounter(kUpdateVariable));
    double start = startingRate(step->getParentOfType<ModuleOp>(), settings);
    if (!fitsF32(start))
      return trainError(step->getParentOfType<ModuleOp>())
             << "amp.train: lr must be an f32 number, got " << start
             << " by base_batch";
    Value base = read(variables.ensureLearningRate(start));
    SmallVector<Trained> trained;
    if (failed(takeGradients(trained)))
      return failure();
    Value factor;
    if (!settings.schedule.isConstant())
      factor = scheduleFactor(builder, loc, settings.schedule, update);
    Value rate = scaledRate(builder, loc, base, factor, 1);
    if (factor)
      report("ampc.lr", rate);
    takeScale();
    if (!trained.empty())
      testAndScale(trained);
    for (Trained &item : trained) {
      const ParameterSettings &own = settings.of(item.parameter.getSymName());
      updateParameter(item, own, update,
                      scaledRate(builder, loc, base, factor, own.rateShare));
    }
    for (auto &[name, value] : writes)
      WriteOp::create(builder, value.getLoc(), name, value);
    advance(kUpdateVariable, update);
    // What is written from here on follows every step, applied or not.
    if (skipsNonFinite())
      writeOnlyIf(step, finite);
    if (scaler.good && finite) {
      reportFloor();
      advanceScaler();
    }
    advance(kIterationVariable, iteration);
    if (entryOf(step) == Entry::apply_step)
      endWindow();
    return success();
  }

private:
  /// The value of a variable as the step begins. One that the model reads is
  /// not read again: to merge two reads, CSE looks at every op between them.
  Value read(VariableOp variable) {
    ReadOp known = reads.lookup(variable.getSymName());
    if (!known)
      return ReadOp::create(top, variable.getLoc(), variable.tensorType(),
                            variable.getSymName());
    known->setLoc(variable.getLoc());
    if (&*top.getInsertionPoint() == known.getOperation())
      top.setInsertionPointAfter(known);
    else
      known->moveBefore(top.getInsertionBlock(), top.getInsertionPoint());
    return known;
  }

  /// Takes the gradients off the results.
  LogicalResult takeGradients(SmallVectorImpl<Trained> &trained) {
    llvm::BitVector gradients(step.getNumResults());
    SmallVector<Value> kept;
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
      if (!parameter)
        return step.emitError()
               << "gradient result " << i << " names no variable";
      trained.push_back({parameter, ret.getOperand(i)});
    }
    ret.getOperandsMutable().assign(kept);
    (void)step.eraseResults(gradients);
    return success();
  }

  /// Adds a scalar to the results, as a metric that the runtime knows by name.
  void report(StringRef name, Value value) {
    MLIRContext *context = step.getContext();
    auto attributes = builder.getDictionaryAttr(
        {builder.getNamedAttr(kNameAttr, builder.getStringAttr(name)),
         builder.getNamedAttr(kIoAttr, IoAttr::get(context, Io::metric))});
    (void)step.insertResult(step.getNumResults(), value.getType(), attributes);
    ret.getOperandsMutable().append(value);
  }

  RankedTensorType scalarOf(Type element) {
    return RankedTensorType::get({}, element);
  }

  /// Reads the scaler's state as the step begins.
  void takeScale() {
    if (!settings.lossScale)
      return;
    scaler.scale = lossScaleOf(step, *settings.lossScale, variables);
    if (!settings.lossScale->dynamic)
      return;
    scaler.good = read(variables.lookup(kGoodStepsVariable));
    if (settings.lossScale->hysteresis > 1)
      scaler.overflows = read(variables.lookup(kOverflowsVariable));
  }

  /// Tests the gradients, takes the loss's scale off them and scales them down
  /// to the largest global norm, in this order (N25). One sweep over the
  /// gradients serves the tests before and after unscaling: both hold where the
  /// largest magnitude, or the norm in f64, is finite and what is left of it
  /// without the scale fits f32. What changes the elements stands in the
  /// optimizer's kernel.
  void testAndScale(MutableArrayRef<Trained> trained) {
    Location loc = step.getLoc();
    RankedTensorType f32 = scalarOf(builder.getF32Type()),
                     f64 = scalarOf(builder.getF64Type());
    SmallVector<Value> gradients;
    for (const Trained &item : trained)
      gradients.push_back(item.gradient);
    Value inverse, inverse64;
    if (scaler.scale) {
      Value one = splat(builder, loc, f64, 1.0);
      Value wide =
          CastOp::create(builder, loc, f64, scaler.scale, CastOrigin::policy);
      inverse64 = DivOp::create(builder, loc, one, wide);
      inverse =
          CastOp::create(builder, loc, f32, inverse64, CastOrigin::policy);
    }
    SmallVector<Value> factors;
    if (inverse)
      factors.push_back(inverse);
    if (settings.clipNorm) {
      Value norm = gradientNorm(builder, loc, gradients);
      if (inverse64)
        norm = MulOp::create(builder, loc, norm, inverse64);
      Value narrow =
          CastOp::create(builder, loc, f32, norm, CastOrigin::policy);
      report("ampc.grad_norm", narrow);
      // Squares of f32 numbers do not overflow f64: the norm is finite where
      // they are. Only a scale below 1 takes a number out of f32.
      finite = isFinite(builder, loc, norm, /*fitsF32=*/bool(inverse64));
      factors.push_back(
          clipCoefficient(builder, loc, norm, *settings.clipNorm));
    } else if (settings.nonFinite != NonFinite::ignore || scaler.good) {
      Value largest = largestMagnitude(builder, loc, gradients);
      if (inverse)
        largest = MulOp::create(builder, loc, largest, inverse);
      finite = isFinite(builder, loc, largest);
    }
    for (Trained &item : trained) {
      for (Value factor : factors)
        item.gradient = scaled(item.gradient, factor);
      if (skipsNonFinite())
        item.gradient = zeroUnlessFinite(item.gradient);
    }
  }

  bool skipsNonFinite() const {
    return finite && settings.nonFinite != NonFinite::ignore;
  }

  /// `gradient` where the step is applied. Where it is not the writes keep old
  /// values whatever it is; asking here lets the optimizer wait for the answer,
  /// so that it and the choice are one kernel, in place.
  Value zeroUnlessFinite(Value gradient) {
    Formula f(builder, step.getLoc());
    Value mask = f.broadcastScalar(finite, tensorType(gradient).getShape());
    return f.select(mask, gradient, f.constant(gradient, 0));
  }

  Value scaled(Value gradient, Value factor) {
    Formula f(builder, step.getLoc());
    return f.mul(gradient,
                 f.broadcastScalar(factor, tensorType(gradient).getShape()));
  }

  /// Reports whether this is an overflow that no lower scale can follow (N26).
  void reportFloor() {
    Formula f(builder, step.getLoc());
    Value isFloor = f.compare(ComparePredicate::le, scaler.scale,
                              settings.lossScale->floor);
    Value isLast = f.logicalAnd(isFloor, f.logicalNot(finite));
    report("ampc.at_floor", f.indicator(isLast, builder.getF32Type()));
  }

  /// Writes the scaler's next state.
  void advanceScaler() {
    ScalerState next =
        nextScaler(builder, step.getLoc(), *settings.lossScale, scaler, finite);
    auto write = [&](StringRef name, Value value) {
      WriteOp::create(builder, step.getLoc(), name, value);
    };
    write(kScaleVariable, next.scale);
    write(kGoodStepsVariable, next.good);
    if (next.overflows)
      write(kOverflowsVariable, next.overflows);
  }

  /// Builds the optimizer op of one parameter and notes what is to be written.
  void updateParameter(const Trained &item, const ParameterSettings &own,
                       Value update, Value rate) {
    VariableOp parameter = item.parameter;
    std::string name = parameter.getSymName().str();
    RankedTensorType type = parameter.tensorType();
    SmallVector<std::string> written{name};
    OperationState state(parameter.getLoc(), settings.op);
    state.addOperands({read(parameter), item.gradient});
    for (StringRef slot :
         settings.op.getInterface<OptimizerUpdate>()->stateNames(
             own.hyperparameters)) {
      std::string slotName = ("ampc." + slot + "/" + name).str();
      VariableOp moment = variables.lookup(slotName);
      if (!moment)
        moment = variables.append(parameter.getLoc(), slotName, type,
                                  VariableRole::moment, InitKind::zeros);
      state.addOperands(read(moment));
      written.push_back(slotName);
    }
    state.addOperands({update, rate});
    state.addAttributes(own.hyperparameters.getValue());
    state.addTypes(SmallVector<Type>(written.size(), type));
    Operation *op = builder.create(state);
    for (auto [target, value] : llvm::zip(written, op->getResults()))
      writes.emplace_back(target, value);
  }

  void advance(StringRef name, Value counter) {
    Value one = splat(builder, counter.getLoc(), tensorType(counter), 1);
    Value next = AddOp::create(builder, counter.getLoc(), counter, one);
    WriteOp::create(builder, counter.getLoc(), name, next);
  }

  /// Lets the next micro-batch begin a window.
  void endWindow() {
    Value zero =
        splat(builder, step.getLoc(), scalarOf(builder.getI64Type()), 0);
    WriteOp::create(builder, step.getLoc(), kMicroVariable, zero);
    WriteOp::create(builder, step.getLoc(), kMicrosVariable, zero);
  }

  func::FuncOp step;
  const TrainSettings &settings;
  VariableTable &variables;
  func::ReturnOp ret;
  OpBuilder builder, top;
  llvm::StringMap<ReadOp> reads; ///< the first of each variable in the model
  SmallVector<std::pair<std::string, Value>> writes;
  ScalerState scaler; ///< as the step begins; null values where there is none
  Value finite;       ///< whether every gradient is; null where none is tested
};

class BuildOptimizerPass : public impl::BuildOptimizerBase<BuildOptimizerPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, Stage::typed, getArgument())))
      return signalPassFailure();
    module->setAttr(kStageAttr, StageAttr::get(&getContext(), Stage::step));
    func::FuncOp step = findEntry(module, Entry::train_step);
    if (!step)
      step = findEntry(module, Entry::apply_step);
    if (!step)
      return; // a model without a loss serves the other entries
    FailureOr<TrainSettings> settings = readTrainSettings(module);
    if (failed(settings))
      return signalPassFailure();
    VariableTable variables(module);
    if (failed(StepBuilder(step, *settings, variables).build()))
      signalPassFailure();
  }
};

} // namespace
} // namespace ampc
