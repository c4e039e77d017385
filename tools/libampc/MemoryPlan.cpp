// What a model needs in memory; see MemoryPlan.h.
#include "tools/libampc/MemoryPlan.h"

#include "ir/dialect/Locations.h"
#include "passes/memory/BestFit.h"
#include "passes/memory/LiveRanges.h"
#include "passes/memory/MemoryNeeds.h"
#include "passes/memory/OpTimes.h"
#include "tools/libampc/ChunkNotes.h"
#include "tools/libampc/DeviceBuffers.h"
#include "tools/libampc/ExplainSteps.h"
#include "tools/libampc/GradientValues.h"
#include "tools/libampc/Lower.h"
#include "tools/libampc/PlannedWorkspace.h"
#include "tools/libampc/Target.h"

#include "llvm/ADT/StringSet.h"
#include <numeric>

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

std::string_view name_of(MemoryUse use) {
  constexpr std::string_view names[kMemoryUses] = {
      "parameters",  "masters",    "gradients", "optimizer", "copies16",
      "activations", "workspaces", "io",        "state",     "padding"};
  return names[static_cast<size_t>(use)];
}

uint64_t MemoryPlan::base_bytes() const {
  uint64_t computed =
      curve.empty() ? 0 : curve[peak].activations + curve[peak].gradients;
  return categories.total() - categories[MemoryUse::Padding] - computed;
}

namespace {

/// `file:line` of the first place that `loc` names.
std::string sourceText(Location loc) {
  auto place = loc->findInstanceOf<FileLineColLoc>();
  return place ? (place.getFilename().getValue() + ":" + Twine(place.getLine()))
                     .str()
               : std::string();
}

/// The part of a path that tells the layer: up to its first number, else the
/// first part of several, or all of it.
StringRef layerOf(StringRef path) {
  if (path.starts_with("ampc.state/"))
    return "ampc.state";
  size_t end = 0;
  for (StringRef rest = path; !rest.empty();) {
    auto [part, after] = rest.split('.');
    end = part.data() + part.size() - path.data();
    if (llvm::all_of(part, llvm::isDigit))
      return path.take_front(end);
    rest = after;
  }
  return path.split('.').first;
}

/// Where result `number` of a placed op stands.
PlaceAttr placeOf(Operation *op, unsigned number) {
  auto places = op->getAttrOfType<ArrayAttr>(kPlaceAttr);
  return places && number < places.size() ? dyn_cast<PlaceAttr>(places[number])
                                          : PlaceAttr();
}

/// Where the value of a result was made: in a group, by the op that it yields.
Location locationOf(OpResult result) {
  auto group = dyn_cast<GroupOp>(result.getOwner());
  if (!group)
    return result.getLoc();
  Value yielded = group.getBody().front().getTerminator()->getOperand(
      result.getResultNumber());
  Location inner = yielded.getLoc();
  return namePathOf(inner).empty() ? group.getLoc() : inner;
}

/// Reads a placed module.
class Reader {
public:
  Reader(ModuleOp module, MemoryPlan &out) : module(module), out(out) {}

  void addVariables() {
    llvm::StringSet<> copied;
    for (auto variable : module.getOps<VariableOp>())
      if (std::optional<StringRef> source = variable.getCopyOf())
        copied.insert(*source);
    for (auto variable : module.getOps<VariableOp>()) {
      StringRef name = variable.getSymName();
      RankedTensorType type = variable.tensorType();
      add({.name = name.str(),
           .type = typeText(type),
           .source = sourceText(variable.getLoc()),
           .layer = layerOf(ownerOf(name)).str(),
           .use = useOf(variable, copied.contains(name)),
           .bytes = uint64_t(storageBytes(type)),
           .at_peak = true});
    }
    obtained += variableBytes(module);
  }

  /// Each port has a buffer of its own, whichever entry runs.
  void addPorts() {
    obtained += batchBytes(module);
    for (auto func : module.getOps<func::FuncOp>()) {
      for (BlockArgument argument : func.getArguments())
        addPort(func, argument,
                func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                  kNameAttr));
      for (OpOperand &operand : func.front().getTerminator()->getOpOperands())
        addPort(func, operand.get(),
                func.getResultAttrOfType<StringAttr>(operand.getOperandNumber(),
                                                     kNameAttr));
    }
  }

  rt::Expected<void> addWorkspace(int threads) {
    AMPC_ASSIGN(PlannedWorkspace workspace, workspaceOf(module, threads));
    out.threads = workspace.threads;
    obtained += workspace.bytes;
    if (workspace.bytes)
      add({.name = "workspace",
           .type = "",
           .source = sourceText(workspace.largest->getLoc()),
           .layer = "workspace",
           .use = MemoryUse::Workspaces,
           .bytes = workspace.bytes,
           .at_peak = true});
    return {};
  }

  /// What a session on a CUDA device has beside, as far as it does not depend
  /// on the rest.
  void addDeviceBuffers() {
    DeviceBuffers buffers = deviceBuffersOf(module);
    addBuffer("constants", MemoryUse::State, buffers.constants);
    addBuffer("state that comes back with results", MemoryUse::Io,
              buffers.watched);
  }

  /// Where the inputs of a step arrive while the step before runs.
  void addArrivals() {
    uint64_t bytes =
        arrivalBytes(module, obtained, uint64_t(memoryBudgetOf(module)));
    addBuffer("inputs that arrive", MemoryUse::Io, bytes);
    out.lower_bound_bytes += bytes;
  }

  /// The values of every entry's arena, and the curve of those that are shown.
  void addArenas() {
    int64_t arena = -1, live = 0;
    func::FuncOp largest;
    for (auto func : module.getOps<func::FuncOp>()) {
      auto bytes = func->getAttrOfType<IntegerAttr>(kArenaBytesAttr).getInt();
      if (bytes > arena) {
        arena = bytes;
        largest = func;
      }
      live = std::max(live, mostLive(func));
    }
    if (!largest)
      return;
    out.entry = stringifyEntry(*entryOf(largest)).str();
    out.chunked = chunkNotes(largest);
    for (auto func : module.getOps<func::FuncOp>())
      if (func == largest || (isStep(func) && isStep(largest)))
        addCurve(func, func == largest);
    for (PlannedTensor &tensor : computed) {
      tensor.at_peak = tensor.first <= out.peak && out.peak <= tensor.last;
      add(std::move(tensor));
    }
    obtained += arena;
    addTimes(largest);
    out.lower_bound_bytes = obtained - arena + live;
  }

  /// The predicted time of the launches of an entry.
  void addTimes(func::FuncOp func) {
    auto target = module->getAttrOfType<TargetAttr>(kTargetAttr);
    for (Operation &op : func.front())
      out.predicted_ns += predictedTime(&op, target);
  }

  /// Whether there is a step to train with.
  bool trains() { return llvm::any_of(module.getOps<func::FuncOp>(), isStep); }

  /// Sums, once everything is added.
  void finish() {
    out.planned_peak_bytes = obtained;
    out.smallest_feasible_bytes = obtained;
    llvm::MapVector<StringRef, MemoryBytes> layers;
    for (const PlannedTensor &tensor : out.tensors)
      if (tensor.at_peak) {
        out.categories[tensor.use] += tensor.bytes;
        layers[tensor.layer][tensor.use] += tensor.bytes;
      }
    out.categories[MemoryUse::Padding] = obtained - out.categories.total();
    // The largest first; those of one size in the order of the model.
    std::vector<size_t> order(layers.size());
    std::iota(order.begin(), order.end(), 0);
    auto key = [&](size_t i) {
      return std::pair(-int64_t((layers.begin() + i)->second.total()), i);
    };
    llvm::sort(order, [&](size_t a, size_t b) { return key(a) < key(b); });
    for (size_t i : order)
      out.layers.push_back(
          {(layers.begin() + i)->first.str(), (layers.begin() + i)->second});
    llvm::sort(out.tensors, [](auto &a, auto &b) {
      return std::tuple(b.bytes, a.first, StringRef(a.name)) <
             std::tuple(a.bytes, b.first, StringRef(b.name));
    });
  }

private:
  void addBuffer(const char *name, MemoryUse use, uint64_t bytes) {
    obtained += bytes;
    add({.name = name,
         .type = "",
         .source = "",
         .layer = name,
         .use = use,
         .bytes = bytes,
         .at_peak = true});
  }

  void add(PlannedTensor tensor) {
    if (tensor.bytes > 0)
      out.tensors.push_back(std::move(tensor));
  }

  static MemoryUse useOf(VariableOp variable, bool hasCopy) {
    switch (variable.getRole()) {
    case VariableRole::parameter:
    case VariableRole::master:
      return hasCopy ? MemoryUse::Masters : MemoryUse::Parameters;
    case VariableRole::copy16:
      return MemoryUse::Copies16;
    case VariableRole::moment:
      return MemoryUse::Optimizer;
    case VariableRole::accumulator:
      return MemoryUse::Gradients;
    case VariableRole::statistic:
    case VariableRole::scaler:
    case VariableRole::counter:
    case VariableRole::rate:
      return MemoryUse::State;
    }
    llvm_unreachable("all roles are handled");
  }

  void addPort(func::FuncOp func, Value value, StringAttr name) {
    RankedTensorType type = tensorType(value);
    add({.name = ((name ? name.getValue() : "") + " of " +
                  stringifyEntry(*entryOf(func)))
                     .str(),
         .type = typeText(type),
         .source = sourceText(value.getLoc()),
         .layer = "inputs and outputs",
         .use = MemoryUse::Io,
         .bytes = uint64_t(storageBytes(type)),
         .at_peak = true});
  }

  static bool isStep(func::FuncOp func) {
    Entry entry = *entryOf(func);
    return entry == Entry::train_step || entry == Entry::window ||
           entry == Entry::micro_step || entry == Entry::apply_step;
  }

  template <typename See>
  static void eachInArena(func::FuncOp func, See see) {
    for (Operation &op : func.front())
      if (producesBytes(&op))
        for (OpResult result : op.getResults())
          if (PlaceAttr place = placeOf(&op, result.getResultNumber());
              place && place.getSpace() == Space::arena &&
              storageRoot(result) == result)
            see(result);
  }

  /// Most bytes of the arena, alignment included, that one op needs.
  static int64_t mostLive(func::FuncOp func) {
    LiveRanges ranges(func.front());
    std::vector<int64_t> change(func.front().getOperations().size() + 1);
    eachInArena(func, [&](OpResult result) {
      int64_t bytes = alignBytes(storageBytes(tensorType(result)));
      change[ranges.start(result)] += bytes;
      change[ranges.end(result) + 1] -= bytes;
    });
    int64_t now = 0, most = 0;
    for (int64_t bytes : change)
      most = std::max(most, now += bytes);
    return most;
  }

  void addCurve(func::FuncOp func, bool hasPeak) {
    size_t first = out.curve.size();
    out.spans.push_back({stringifyEntry(*entryOf(func)).str(), first});
    LiveRanges ranges(func.front());
    for (Operation &op : func.front().without_terminator())
      out.curve.push_back({0, 0, sourceText(op.getLoc())});
    size_t count = out.curve.size() - first;
    if (count == 0)
      return;
    llvm::DenseMap<Value, StringRef> gradients = gradientsOf(module, func);
    std::vector<int64_t> activations(count + 1), slopes(count + 1);
    eachInArena(func, [&](OpResult result) {
      auto gradient = gradients.find(result);
      bool isGradient = gradient != gradients.end();
      Location loc = locationOf(result);
      std::string path = isGradient ? gradient->second.str() : namePathOf(loc);
      PlannedTensor tensor;
      tensor.name = isGradient ? "gradient of " + path : path;
      tensor.layer = layerOf(path).str();
      if (path.empty())
        tensor.name = tensor.layer = "step";
      RankedTensorType type = tensorType(result);
      tensor.type = typeText(type);
      tensor.source = sourceText(loc);
      tensor.use = isGradient ? MemoryUse::Gradients : MemoryUse::Activations;
      tensor.bytes = storageBytes(type);
      // What a value is kept for at the end is the terminator's copy.
      size_t start = ranges.start(result),
             end = std::min<size_t>(ranges.end(result), count - 1);
      tensor.first = first + start;
      tensor.last = first + end;
      std::vector<int64_t> &change = isGradient ? slopes : activations;
      change[start] += tensor.bytes;
      change[end + 1] -= tensor.bytes;
      computed.push_back(std::move(tensor));
    });
    int64_t nowActivations = 0, nowGradients = 0;
    uint64_t most = 0;
    if (hasPeak)
      out.peak = first;
    for (size_t i = 0; i < count; ++i) {
      MemoryPoint &point = out.curve[first + i];
      point.activations = nowActivations += activations[i];
      point.gradients = nowGradients += slopes[i];
      if (hasPeak && point.activations + point.gradients > most) {
        most = point.activations + point.gradients;
        out.peak = first + i;
      }
    }
  }

  ModuleOp module;
  MemoryPlan &out;
  std::vector<PlannedTensor> computed;
  uint64_t obtained = 0;
};

/// `adamw` of the train block, `sgd with momentum`.
std::string optimizerOf(ModuleOp module) {
  auto train = module->getAttrOfType<DictionaryAttr>(kTrainAttr);
  auto call =
      train ? train.getAs<DictionaryAttr>("optimizer") : DictionaryAttr();
  auto op = call ? call.getAs<StringAttr>("op") : StringAttr();
  if (!op)
    return "";
  auto momentum = call.getAs<FloatAttr>("momentum");
  bool hasMomentum = momentum && momentum.getValueAsDouble() != 0;
  return op.getValue().split('.').second.str() +
         (hasMomentum ? " with momentum" : "");
}

/// What is planned where the caller does not say: what training opens; for a
/// model that cannot train, all that it has.
std::vector<std::string> defaultEntries(ModuleOp module) {
  func::FuncOp forward = findEntry(module, Entry::forward);
  if (!forward)
    return {}; // a later stage has its entries
  bool hasLoss = false, hasOutput = false;
  for (unsigned i = 0; i < forward.getNumResults(); ++i) {
    auto io = forward.getResultAttrOfType<IoAttr>(i, kIoAttr);
    hasLoss |= io && io.getValue() == Io::loss;
    hasOutput |= io && io.getValue() == Io::output;
  }
  if (!hasLoss)
    return {};
  if (!optimizerOf(module).empty())
    return {"train_step", "eval_step"};
  return hasOutput ? std::vector<std::string>{"eval_step", "infer"}
                   : std::vector<std::string>{"eval_step"};
}

} // namespace

rt::Expected<MemoryPlan>
plan_memory(const Model &model, const CompileOptions &settings, int threads) {
  AMPC_TRY(model.read());
  CompileOptions options = settings;
  if (options.entries.empty())
    options.entries = defaultEntries(*model.impl().module);
  options.over_budget = true;
  options.threads = threads;
  AMPC_TRY(emitOptions(options));
  MemoryPlan out;
  out.model = model.name();
  out.path = model.path();
  AMPC_ASSIGN(OwningOpRef<ModuleOp> module,
              lowerTo(Stage::placed, model, options));
  out.precision = precisionOf(*module, options);
  Reader reader(*module, out);
  if (reader.trains())
    out.optimizer = optimizerOf(*module);
  reader.addVariables();
  reader.addPorts();
  AMPC_TRY(reader.addWorkspace(threads));
  reader.addDeviceBuffers();
  reader.addArenas();
  reader.addArrivals();
  reader.finish();
  return out;
}

} // namespace ampc
