// Reads the module attribute `amp.train`; see TrainSettings.h.
#include "passes/training/TrainSettings.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

namespace {

int64_t integerOr(DictionaryAttr dictionary, StringRef key, int64_t fallback) {
  auto value = dictionary.getAs<IntegerAttr>(key);
  return value ? value.getInt() : fallback;
}

double numberOr(DictionaryAttr dictionary, StringRef key, double fallback) {
  auto value = dictionary.getAs<FloatAttr>(key);
  return value ? value.getValueAsDouble() : fallback;
}

/// The entries of `dictionary` but those named in `without`.
DictionaryAttr without(DictionaryAttr dictionary, ArrayRef<StringRef> names) {
  NamedAttrList kept;
  for (NamedAttribute attribute : dictionary)
    if (!llvm::is_contained(names, attribute.getName().getValue()))
      kept.push_back(attribute);
  return kept.getDictionary(dictionary.getContext());
}

FailureOr<ScheduleSettings> readSchedule(ModuleOp module,
                                         DictionaryAttr train) {
  ScheduleSettings schedule;
  schedule.steps = integerOr(train, "steps", 1000);
  Attribute given = train.get("schedule");
  auto word = dyn_cast_or_null<StringAttr>(given);
  auto details = dyn_cast_or_null<DictionaryAttr>(given);
  if (details)
    word = details.getAs<StringAttr>("kind");
  if (!given)
    return schedule;
  auto kind = llvm::StringSwitch<std::optional<ScheduleSettings::Kind>>(
                  word ? word.getValue() : StringRef())
                  .Case("constant", ScheduleSettings::Constant)
                  .Case("step", ScheduleSettings::Step)
                  .Case("linear", ScheduleSettings::Linear)
                  .Case("cosine", ScheduleSettings::Cosine)
                  .Default(std::nullopt);
  if (!kind)
    return trainError(module) << "amp.train: schedule must be constant, step, "
                                 "linear or cosine, got "
                              << given;
  schedule.kind = *kind;
  if (!details)
    return schedule;
  schedule.warmup = integerOr(details, "warmup", 0);
  schedule.every = integerOr(details, "every", 0);
  schedule.gamma = numberOr(details, "gamma", 0.1);
  schedule.final = numberOr(details, "final", 0);
  if (auto milestones = details.getAs<DenseI64ArrayAttr>("milestones"))
    llvm::append_range(schedule.milestones, milestones.asArrayRef());
  else if (auto list = details.getAs<ArrayAttr>("milestones"))
    for (auto milestone : list.getAsRange<IntegerAttr>())
      schedule.milestones.push_back(milestone.getInt());
  bool isStep = schedule.kind == ScheduleSettings::Step;
  if (schedule.warmup < 0 || schedule.every < 0)
    return trainError(module)
           << "amp.train: warmup and every must be at least 0, got " << details;
  if (isStep && (schedule.every > 0) == !schedule.milestones.empty())
    return trainError(module) << "amp.train: schedule step needs `every` above "
                                 "0 or `milestones`, got "
                              << details;
  if (isStep && !(schedule.gamma > 0))
    return trainError(module)
           << "amp.train: gamma must be above 0, got " << schedule.gamma;
  return schedule;
}

/// Applies the groups in order, key by key: later ones win.
LogicalResult readGroups(ModuleOp module, ArrayAttr groups,
                         TrainSettings &settings) {
  for (Attribute item : groups) {
    auto group = dyn_cast<DictionaryAttr>(item);
    auto names = group ? group.getAs<ArrayAttr>("names") : ArrayAttr();
    if (!names)
      return trainError(module)
             << "amp.train: a group needs `names`, got " << item;
    auto groupError = [&] {
      auto loc = group.getAs<LocationAttr>("loc");
      return (loc ? emitError(loc) : trainError(module)) << "amp.train: ";
    };
    DictionaryAttr own =
        without(group, {"patterns", "names", "frozen", "lr", "loc"});
    for (auto name : names.getAsRange<StringAttr>()) {
      ParameterSettings &parameter =
          settings.groups.try_emplace(name.getValue(), settings.base)
              .first->second;
      NamedAttrList merged(parameter.hyperparameters);
      for (NamedAttribute attribute : own)
        merged.set(attribute.getName(), attribute.getValue());
      parameter.hyperparameters = merged.getDictionary(module.getContext());
      auto rate = group.getAs<FloatAttr>("lr");
      if (!rate)
        continue;
      double value = rate.getValueAsDouble();
      if (!fitsF32(value))
        return groupError() << "lr must be an f32 number, got " << value;
      if (value != settings.learningRate && settings.learningRate == 0)
        return groupError() << "a group has lr " << value
                            << ", which needs an optimizer whose own lr is "
                               "not 0";
      parameter.rateShare =
          value == settings.learningRate ? 1 : value / settings.learningRate;
    }
  }
  return success();
}

DictionaryAttr trainOf(ModuleOp module) {
  return module->getAttrOfType<DictionaryAttr>(kTrainAttr);
}

} // namespace

InFlightDiagnostic trainError(ModuleOp module) {
  DictionaryAttr train = trainOf(module);
  auto loc = train ? train.getAs<LocationAttr>("loc") : LocationAttr();
  return emitError(loc ? Location(loc) : module.getLoc());
}

FailureOr<TrainSettings> readTrainSettings(ModuleOp module) {
  DictionaryAttr train = trainOf(module);
  auto optimizer =
      train ? train.getAs<DictionaryAttr>("optimizer") : DictionaryAttr();
  if (!optimizer)
    return trainError(module)
           << "the model has a loss but the train block names no optimizer";
  auto name = optimizer.getAs<StringAttr>("op");
  auto rate = optimizer.getAs<FloatAttr>("lr");
  if (!name || !rate)
    return trainError(module) << "amp.train: optimizer needs `op` (a string) "
                                 "and `lr` (a float), got "
                              << optimizer;
  std::optional<RegisteredOperationName> op =
      RegisteredOperationName::lookup(name.getValue(), module.getContext());
  if (!op || !op->hasInterface<OptimizerUpdate>())
    return trainError(module)
           << "amp.train: '" << name.getValue() << "' is not an optimizer op";
  TrainSettings settings(*op, rate.getValueAsDouble());
  if (!fitsF32(settings.learningRate))
    return trainError(module)
           << "amp.train: lr must be an f32 number, got " << rate;
  FailureOr<ScheduleSettings> schedule = readSchedule(module, train);
  if (failed(schedule))
    return failure();
  settings.schedule = std::move(*schedule);
  settings.base.hyperparameters = without(optimizer, {"op", "lr"});
  if (auto clip = train.getAs<FloatAttr>("clip_norm")) {
    settings.clipNorm = clip.getValueAsDouble();
    if (!(*settings.clipNorm > 0))
      return trainError(module)
             << "amp.train: clip_norm must be above 0, got " << clip;
  }
  settings.lossScale = readLossScale(module);
  if (auto word = train.getAs<StringAttr>("nonfinite"))
    settings.nonFinite = word == "error"    ? NonFinite::error
                         : word == "ignore" ? NonFinite::ignore
                                            : NonFinite::skip;
  settings.accumulate = integerOr(train, "accumulate", 1);
  if (auto base = train.getAs<IntegerAttr>("base_batch")) {
    settings.baseBatch = base.getInt();
    if (*settings.baseBatch < 1)
      return trainError(module)
             << "amp.train: base_batch must be at least 1, got " << base;
  }
  if (auto groups = train.getAs<ArrayAttr>("groups"))
    if (failed(readGroups(module, groups, settings)))
      return failure();
  return settings;
}

std::optional<LossScaleSettings> readLossScale(ModuleOp module) {
  DictionaryAttr train = trainOf(module);
  Attribute given = train ? train.get("loss_scale") : Attribute();
  LossScaleSettings scale;
  if (auto number = dyn_cast_or_null<FloatAttr>(given)) {
    scale.init = number.getValueAsDouble();
    return scale;
  }
  auto details = dyn_cast_or_null<DictionaryAttr>(given);
  if (!details)
    return std::nullopt;
  scale.dynamic = true;
  scale.init = numberOr(details, "init", scale.init);
  scale.growth = numberOr(details, "growth", scale.growth);
  scale.backoff = numberOr(details, "backoff", scale.backoff);
  scale.interval = integerOr(details, "interval", scale.interval);
  scale.floor = numberOr(details, "floor", scale.floor);
  scale.hysteresis = integerOr(details, "hysteresis", scale.hysteresis);
  return scale;
}

llvm::StringSet<> frozenParameters(ModuleOp module) {
  llvm::StringSet<> frozen;
  DictionaryAttr train = trainOf(module);
  auto groups = train ? train.getAs<ArrayAttr>("groups") : ArrayAttr();
  if (!groups)
    return frozen;
  for (auto group : groups.getAsRange<DictionaryAttr>()) {
    Attribute flag = group.get("frozen");
    auto names = group.getAs<ArrayAttr>("names");
    if (!flag || !names)
      continue;
    auto value = dyn_cast<BoolAttr>(flag);
    bool freezes = value ? value.getValue() : isa<UnitAttr>(flag);
    for (auto name : names.getAsRange<StringAttr>()) {
      if (freezes)
        frozen.insert(name.getValue());
      else
        frozen.erase(name.getValue());
    }
  }
  return frozen;
}

} // namespace ampc
