// The reference evaluator behind the interface that trains; see
// ReferenceStepper.h.
#include "tools/libampc/ReferenceStepper.h"

#include "ir/dialect/Aliases.h"
#include "ir/reference/Reference.h"
#include "runtime/train/Checkpoint.h"
#include "runtime/train/Evaluation.h"
#include "runtime/train/InputChecks.h"
#include "runtime/train/StepRules.h"
#include "tools/libampc/Capture.h"

#include <cstring>

using namespace mlir;

namespace ampc {

namespace {

rt::DType dtypeOf(Type element) {
  if (element.isF64())
    return rt::DType::F64;
  if (element.isF32())
    return rt::DType::F32;
  if (element.isF16())
    return rt::DType::F16;
  if (element.isBF16())
    return rt::DType::BF16;
  if (isa<Float8E4M3FNType>(element))
    return rt::DType::F8E4M3;
  if (isa<Float8E5M2Type>(element))
    return rt::DType::F8E5M2;
  switch (element.getIntOrFloatBitWidth()) {
  case 1:
    return rt::DType::Bool;
  case 8:
    return rt::DType::I8;
  case 32:
    return rt::DType::I32;
  default:
    return rt::DType::I64;
  }
}

rt::Expected<rt::Tensor> toRuntime(const reference::Tensor &tensor) {
  AMPC_ASSIGN(rt::Tensor out, rt::Tensor::zeros(dtypeOf(tensor.elementType()),
                                                std::span(tensor.shape())));
  std::vector<char> bytes = tensor.toBytes();
  if (!bytes.empty())
    std::memcpy(out.bytes().data(), bytes.data(), bytes.size());
  return out;
}

amp::Entry entryOf(rt::EntryKind kind) {
  return *amp::symbolizeEntry(rt::name_of(kind));
}

} // namespace

rt::Expected<std::unique_ptr<ReferenceStepper>>
ReferenceStepper::create(const Model &model, OwningOpRef<ModuleOp> step,
                         rt::Plan plan, uint64_t seed) {
  Model::Impl &impl = model.impl();
  DiagnosticCapture capture(impl.context, impl.path, impl.text);
  bool tooLarge =
      step->walk([](Operation *op) {
            for (Type type : op->getResultTypes())
              if (auto tensor = dyn_cast<RankedTensorType>(type);
                  tensor && failed(reference::verifyHoldable(op, tensor)))
                return WalkResult::interrupt();
            return WalkResult::advance();
          })
          .wasInterrupted();
  if (tooLarge) {
    rt::Error error = capture.error("");
    error.code = rt::Code::DoesNotFit;
    return tl::unexpected(std::move(error));
  }
  FailureOr<reference::Variables> variables =
      reference::Variables::create(*step, seed);
  if (failed(variables))
    return tl::unexpected(capture.error("the variables cannot be initialised"));
  std::unique_ptr<ReferenceStepper> stepper(
      new ReferenceStepper(model, std::move(step), std::move(plan), seed));
  stepper->state = std::move(*variables);
  AMPC_ASSIGN(
      stepper->stepOutputs,
      rt::classify_outputs(stepper->plan.outputs(rt::EntryKind::TrainStep),
                           stepper->plan.model_name()));
  stepper->probeReader =
      rt::ProbeReader(stepper->plan.outputs(stepper->probed()));
  return stepper;
}

rt::Expected<ReferenceStepper::Values>
ReferenceStepper::evaluateEntry(rt::EntryKind entry, const rt::Batch &batch,
                                rt::MicroBatch micro) {
  func::FuncOp func = amp::findEntry(*module, entryOf(entry));
  if (!func)
    return rt::fail(rt::Code::Usage, plan.model_name(),
                    std::string("the model has no entry '") +
                        rt::name_of(entry) + "'");
  SmallVector<reference::Tensor> arguments;
  for (auto [port, argument] :
       llvm::zip(plan.inputs(entry), func.getArguments())) {
    AMPC_ASSIGN(rt::TensorView view,
                rt::micro_view(port, batch, micro, rt::name_of(entry)));
    AMPC_TRY(rt::check_input(port, view));
    ArrayRef<char> bytes(reinterpret_cast<const char *>(view.bytes.data()),
                         view.bytes.size());
    arguments.push_back(
        *reference::Tensor::ofBytes(amp::tensorType(argument), bytes));
  }
  Model::Impl &impl = model.impl();
  DiagnosticCapture capture(impl.context, impl.path, impl.text);
  FailureOr<Values> values = reference::run(func, arguments, state);
  if (failed(values))
    return tl::unexpected(capture.error("the reference evaluator failed"));
  if (std::optional<rt::Port> port = plan.fault(entry)) {
    rt::FaultRecord record;
    llvm::copy(values->pop_back_val().integers(), record.begin());
    AMPC_TRY(rt::check_fault(*port, record));
  }
  return std::move(*values);
}

rt::Expected<ReferenceStepper::Values>
ReferenceStepper::evaluateWindow(const rt::Batch &batch) {
  finding.reset();
  if (!plan.accumulates()) {
    AMPC_ASSIGN(lastProbed, evaluateEntry(rt::EntryKind::TrainStep, batch));
    lookAtProbes();
    return lastProbed;
  }
  AMPC_ASSIGN(uint64_t count,
              rt::count_micro_batches(plan.inputs(rt::EntryKind::TrainStep),
                                      batch, accumulate()));
  Values last;
  rt::Expected<void> done = rt::run_window(
      count, stop,
      [&](rt::EntryKind entry, rt::MicroBatch micro) -> rt::Expected<void> {
        AMPC_ASSIGN(last, evaluateEntry(entry, batch, micro));
        if (entry == rt::EntryKind::MicroStep) {
          lastProbed = last;
          lookAtProbes();
        }
        return {};
      });
  if (done)
    return last;
  abandonWindow();
  return tl::unexpected(done.error());
}

void ReferenceStepper::lookAtProbes() {
  if (!probeReader.empty() && !finding)
    finding = probeReader.first_not_finite([&](size_t port) {
      return rt::ProbeReader::Range{lastProbed[port].number(0),
                                    lastProbed[port].number(1)};
    });
}

void ReferenceStepper::abandonWindow() {
  setCounter(amp::kMicroVariable, 0);
  setCounter(amp::kMicrosVariable, 0);
}

double ReferenceStepper::scalar(StringRef variable, double missing) const {
  const reference::Tensor *tensor = state.find(variable);
  return tensor ? tensor->number(0) : missing;
}

rt::Expected<void> ReferenceStepper::step(const rt::Batch &batch) {
  double before = scalar(amp::kUpdateVariable, 0);
  float rate = static_cast<float>(scalar(amp::kLearningRateVariable, 0));
  if (fault)
    return tl::unexpected(*fault);
  auto evaluated = evaluateWindow(batch);
  if (!evaluated) {
    if (evaluated.error().code == rt::Code::BadInput)
      fault = rt::fault_of(evaluated.error(), iteration() + 1);
    return tl::unexpected(fault.value_or(evaluated.error()));
  }
  Values &values = *evaluated;
  rt::StepResult result;
  result.iteration = iteration();
  result.applied = scalar(amp::kUpdateVariable, before + 1) != before;
  result.lr = rate;
  if (state.find(rt::state::kScale))
    result.scale = static_cast<float>(scalar(rt::state::kScale, 0));
  stepOutputs.fill(result, [&](size_t port) {
    return static_cast<float>(values[port].number(0));
  });
  result.finding = std::move(finding);
  results.push_back(std::move(result));
  return {};
}

rt::Expected<std::optional<rt::StepResult>> ReferenceStepper::poll() {
  if (results.empty())
    return std::nullopt;
  rt::StepResult result = std::move(results.front());
  results.pop_front();
  return result;
}

rt::Expected<std::vector<rt::NamedTensor>>
ReferenceStepper::run(rt::EntryKind entry, const rt::Batch &batch) {
  if (rt::writes_variables(entry))
    return rt::fail(rt::Code::Usage, "run",
                    std::string(rt::name_of(entry)) +
                        " writes variables; step() runs it");
  AMPC_ASSIGN(Values values, evaluateEntry(entry, batch));
  std::vector<rt::NamedTensor> out;
  for (auto [port, value] : llvm::zip(plan.outputs(entry), values)) {
    AMPC_ASSIGN(rt::Tensor tensor, toRuntime(value));
    out.push_back({port.name, std::move(tensor)});
  }
  return out;
}

rt::Expected<void> ReferenceStepper::numbers(rt::EntryKind entry,
                                             const rt::Batch &batch,
                                             std::span<double> out) {
  AMPC_ASSIGN(Values values, evaluateEntry(entry, batch));
  for (auto [number, value] : llvm::zip(out, values))
    number = value.number(0);
  return {};
}

rt::Expected<void> ReferenceStepper::evalStep(const rt::Batch &batch,
                                              uint64_t index,
                                              std::span<double> out) {
  setCounter(amp::kEvalIndexVariable, static_cast<int64_t>(index));
  return numbers(rt::EntryKind::EvalStep, batch, out);
}

rt::Expected<void> ReferenceStepper::adopt(const ReferenceStepper &other) {
  for (auto variable : module.get().getOps<amp::VariableOp>()) {
    StringRef name = variable.getSymName();
    RankedTensorType type = variable.tensorType();
    const reference::Tensor *from = other.state.find(name);
    bool same = from && from->shape() == type.getShape() &&
                dtypeOf(from->elementType()) == dtypeOf(type.getElementType());
    FailureOr<reference::Tensor> tensor =
        same ? reference::Tensor::ofBytes(type, from->toBytes())
             : FailureOr<reference::Tensor>(failure());
    if (failed(tensor) || failed(state.set(name, std::move(*tensor))))
      return rt::fail(rt::Code::Usage, plan.model_name(),
                      "variable '" + name.str() +
                          "' is another one in batches of another size");
  }
  return {};
}

rt::Expected<rt::EvalRun::Step>
ReferenceStepper::remainderStep(const rt::Batch &batch) {
  auto fits = [&](const rt::Port &port) {
    const rt::TensorView *view = batch.find(port.name);
    return view && ArrayRef<int64_t>(view->shape.data(), view->shape.size()) ==
                       ArrayRef<int64_t>(port.shape);
  };
  if (!remainder.stepper ||
      !llvm::all_of(remainder.stepper->inputs(rt::EntryKind::EvalStep), fits)) {
    AMPC_ASSIGN(ResizedReference made, resize(batch));
    // The evaluator goes before the model that it reads.
    remainder.stepper = std::move(made.stepper);
    remainder.model = std::move(made.model);
  }
  AMPC_TRY(remainder.stepper->adopt(*this));
  return [this](const rt::Batch &last, uint64_t index, std::span<double> out) {
    return remainder.stepper->evalStep(last, index, out);
  };
}

rt::Expected<rt::EvalResult> ReferenceStepper::eval(rt::DataSource &data,
                                                    uint64_t batches) {
  rt::EvalRun entries{
      plan.outputs(rt::EntryKind::EvalStep),
      plan.inputs(rt::EntryKind::EvalFinish),
      plan.outputs(rt::EntryKind::EvalFinish),
      [&](const rt::Batch &batch, uint64_t index, std::span<double> out) {
        return evalStep(batch, index, out);
      },
      [&](const rt::Batch &batch, std::span<double> out) {
        return numbers(rt::EntryKind::EvalFinish, batch, out);
      }};
  if (resize)
    entries.remainder = [&](const rt::Batch &batch) {
      return remainderStep(batch);
    };
  return rt::evaluate(data, batches, entries);
}

void ReferenceStepper::setCounter(StringRef name, int64_t value) {
  if (!state.find(name))
    return;
  auto type =
      RankedTensorType::get({}, IntegerType::get(&model.impl().context, 64));
  (void)state.set(name, reference::Tensor::ofIntegers(type, {value}));
}

//===----------------------------------------------------------------------===//
// Checkpoints
//===----------------------------------------------------------------------===//

struct ReferenceStepper::Image final : rt::VariableStore {
  rt::Expected<void> look(const rt::VariableSlot &slot,
                          const Look &look) const override {
    return look(std::as_bytes(std::span(bytes[slot.number])));
  }
  rt::Expected<void> fill(const rt::VariableSlot &slot,
                          const Fill &fill) override {
    return fill(std::as_writable_bytes(std::span(bytes[slot.number])));
  }

  std::vector<std::vector<char>> bytes;
  std::vector<rt::VariableSlot> slots;
  std::vector<RankedTensorType> types;
};

ReferenceStepper::Image ReferenceStepper::image(bool weightsOnly) const {
  Image image;
  for (auto variable : module.get().getOps<amp::VariableOp>()) {
    StringRef name = variable.getSymName();
    auto role = static_cast<rt::VariableRole>(variable.getRole());
    if (!(weightsOnly ? rt::is_weight(role, name) : rt::is_saved(role, name)))
      continue;
    RankedTensorType type = variable.tensorType();
    image.bytes.push_back(state.find(name)->toBytes());
    image.types.push_back(type);
    image.slots.push_back({name.str(),
                           dtypeOf(type.getElementType()),
                           {type.getShape().begin(), type.getShape().end()},
                           amp::aliasesOf(variable),
                           image.slots.size()});
  }
  return image;
}

static_assert(int(amp::VariableRole::rate) == int(rt::VariableRole::Rate));
static_assert(int(amp::VariableRole::accumulator) ==
              int(rt::VariableRole::Accumulator));

uint64_t ReferenceStepper::seedInForce() const {
  const reference::Tensor *tensor = state.find(amp::kSeedVariable);
  return tensor ? static_cast<uint64_t>(tensor->integers()[0]) : seed;
}

rt::Expected<void> ReferenceStepper::restore(const Image &image) {
  for (auto [slot, bytes, type] :
       llvm::zip(image.slots, image.bytes, image.types)) {
    FailureOr<reference::Tensor> tensor =
        reference::Tensor::ofBytes(type, bytes);
    if (failed(tensor) || failed(state.set(slot.name, std::move(*tensor))))
      return rt::fail(rt::Code::BadInput, slot.name,
                      "the variable cannot be restored");
  }
  state.refreshCopies(module.get());
  return {};
}

rt::Expected<void> ReferenceStepper::save(const std::string &path,
                                          bool overwrite,
                                          const std::string &data) {
  Image saved = image(/*weightsOnly=*/false);
  return rt::write_checkpoint(path, saved.slots, saved,
                              {plan.model_hash(), seedInForce(), data},
                              overwrite);
}

rt::Expected<void> ReferenceStepper::load(const std::string &path) {
  Image loaded = image(/*weightsOnly=*/false);
  AMPC_ASSIGN(
      rt::CheckpointInfo info,
      rt::read_checkpoint(path, loaded.slots, loaded, plan.model_hash()));
  seed = info.seed;
  results.clear();
  fault.reset();
  setCounter(amp::kSeedVariable, static_cast<int64_t>(seed));
  abandonWindow();
  return restore(loaded);
}

rt::Expected<void> ReferenceStepper::load_weights(const std::string &path,
                                                  bool partial) {
  Image loaded = image(/*weightsOnly=*/true);
  AMPC_TRY(rt::read_weights(path, loaded.slots, loaded, partial));
  return restore(loaded);
}

std::vector<std::string> ReferenceStepper::variables() const {
  std::vector<std::string> names;
  for (auto variable : module.get().getOps<amp::VariableOp>())
    names.push_back(variable.getSymName().str());
  return names;
}

rt::Expected<rt::Tensor> ReferenceStepper::read(const std::string &name) const {
  const reference::Tensor *tensor = state.find(name);
  if (!tensor)
    return rt::fail(rt::Code::Usage, plan.model_name(),
                    "no variable '" + name + "'");
  return toRuntime(*tensor);
}

rt::Expected<void> ReferenceStepper::write(const std::string &name,
                                           const rt::TensorView &value) {
  for (auto variable : module.get().getOps<amp::VariableOp>()) {
    if (variable.getSymName() != name)
      continue;
    if (variable.getCopyOfAttr())
      return rt::fail(rt::Code::Usage, name,
                      "the variable is the 16-bit copy of '" +
                          variable.getCopyOfAttr().getValue().str() +
                          "' and follows it; write that");
    RankedTensorType type = variable.tensorType();
    bool same = value.dtype == dtypeOf(type.getElementType()) &&
                ArrayRef<int64_t>(value.shape.data(), value.shape.size()) ==
                    type.getShape();
    FailureOr<reference::Tensor> tensor =
        same ? reference::Tensor::ofBytes(
                   type, {reinterpret_cast<const char *>(value.bytes.data()),
                          value.bytes.size()})
             : FailureOr<reference::Tensor>(failure());
    if (failed(tensor) || failed(state.set(name, std::move(*tensor))))
      return rt::fail(
          rt::Code::Usage, name,
          "the variable is " +
              rt::typeText(dtypeOf(type.getElementType()), type.getShape()) +
              ", the value " + rt::typeText(value.dtype, value.shape));
    state.refreshCopies(module.get());
    return {};
  }
  return rt::fail(rt::Code::Usage, plan.model_name(),
                  "no variable '" + name + "'");
}

rt::Expected<std::vector<rt::NamedTensor>> ReferenceStepper::probes() const {
  std::vector<rt::NamedTensor> out;
  for (auto [port, value] : llvm::zip(plan.outputs(probed()), lastProbed)) {
    if (port.kind != rt::PortKind::Probe)
      continue;
    AMPC_ASSIGN(rt::Tensor tensor, toRuntime(value));
    out.push_back({port.name, std::move(tensor)});
  }
  return out;
}

int64_t ReferenceStepper::iteration() const {
  return static_cast<int64_t>(scalar(amp::kIterationVariable, 0));
}

} // namespace ampc
