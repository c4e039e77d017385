// Variables and the settings that a runtime alone needs.
#include "codegen/emit/PlanBuilder.h"
#include "ir/dialect/Aliases.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

// The enumerations of dialect and plan run in step.
static_assert(static_cast<int>(VariableRole::rate) ==
              static_cast<int>(rt::fb::Role::Rate));
static_assert(static_cast<int>(VariableRole::moment) ==
              static_cast<int>(rt::fb::Role::Moment));
static_assert(static_cast<int>(InitKind::data) ==
              static_cast<int>(rt::fb::InitKind::Data));
static_assert(static_cast<int>(InitKind::padded_normal) ==
              static_cast<int>(rt::fb::InitKind::PaddedNormal));
static_assert(static_cast<int>(InitKind::uniform) ==
              static_cast<int>(rt::fb::InitKind::Uniform));

LogicalResult PlanBuilder::addVariables() {
  constexpr uint64_t kAlignment = rt::kSectionAlignment;
  uint64_t end = 0;
  std::string description = plan.model_name + "\n";
  llvm::StringMap<int32_t> order;
  for (auto variable : module.getOps<VariableOp>())
    order.try_emplace(variable.getSymName(), order.size());
  for (auto variable : module.getOps<VariableOp>()) {
    auto entry = std::make_unique<rt::fb::VariableT>();
    entry->name = variable.getSymName().str();
    entry->type = planTensorType(variable.tensorType());
    entry->role = static_cast<rt::fb::Role>(variable.getRole());
    entry->offset = llvm::alignTo(end, kAlignment);
    entry->bytes = storageBytes(variable.tensorType());
    entry->source = sourceOf(variable.getLoc());
    entry->aliases = aliasesOf(variable);
    end = entry->offset + entry->bytes;
    variableOffsets[entry->name] = entry->offset;

    entry->init = std::make_unique<rt::fb::InitT>();
    entry->init->kind = static_cast<rt::fb::InitKind>(variable.getInit());
    ArrayRef<double> numbers =
        variable.getInitArgs().value_or(ArrayRef<double>());
    double *slots[] = {&entry->init->a, &entry->init->b, &entry->init->c,
                       &entry->init->d};
    for (auto [number, slot] : llvm::zip(numbers, slots))
      *slot = number;
    entry->init->site = variable.getSite().value_or(0);
    if (std::optional<ElementsAttr> value = variable.getValue()) {
      uint64_t offset = llvm::alignTo(sections.constants.size(), kAlignment);
      if (failed(placeConstant(variable, *value, offset)))
        return failure();
      entry->init->data_offset = offset;
    }
    if (std::optional<StringRef> source = variable.getCopyOf())
      entry->copy_of = order.lookup(*source);
    else // What a checkpoint must agree on: names, types and roles.
      llvm::raw_string_ostream(description)
          << entry->name << " " << variable.getType() << " "
          << stringifyVariableRole(variable.getRole()) << "\n";
    plan.variables.push_back(std::move(entry));
  }
  plan.variable_bytes = end;
  // A module that was not built from its forward graph is known by these alone.
  auto hash = module->getAttrOfType<IntegerAttr>(kModelHashAttr);
  plan.model_hash = hash ? hash.getValue().getZExtValue()
                         : llvm::xxh3_64bits(StringRef(description));
  return success();
}

/// The numbers of an attribute that is one or a list of them.
static std::vector<double> numbersOf(Attribute attr) {
  std::vector<double> numbers;
  auto add = [&](Attribute item) {
    if (auto real = dyn_cast_or_null<FloatAttr>(item))
      numbers.push_back(real.getValueAsDouble());
    else if (auto whole = dyn_cast_or_null<IntegerAttr>(item))
      numbers.push_back(static_cast<double>(whole.getInt()));
  };
  if (auto dense = dyn_cast_or_null<DenseF64ArrayAttr>(attr))
    llvm::append_range(numbers, dense.asArrayRef());
  else if (auto list = dyn_cast_or_null<ArrayAttr>(attr))
    llvm::for_each(list, add);
  else
    add(attr);
  return numbers;
}

/// How the samples of a line are read.
static void addSampleOptions(DictionaryAttr options, rt::fb::DataLineT &line) {
  if (!options)
    return;
  if (std::vector<double> scale = numbersOf(options.get("scale"));
      !scale.empty())
    line.scale = scale.front();
  line.mean = numbersOf(options.get("mean"));
  line.std = numbersOf(options.get("std"));
  if (auto window = options.getAs<IntegerAttr>("window"))
    line.window = window.getInt();
  if (auto stride = options.getAs<IntegerAttr>("stride"))
    line.stride = stride.getInt();
}

void PlanBuilder::addSettings() {
  if (auto train = module->getAttrOfType<DictionaryAttr>(kTrainAttr)) {
    auto number = [&](StringRef key) -> uint64_t {
      auto value = train.getAs<IntegerAttr>(key);
      return value ? value.getInt() : 0;
    };
    plan.memory_budget = number("memory_budget");
    // As the assignment of precisions left it: permitted, and of use here.
    auto precision = train.getAs<StringAttr>("precision");
    plan.tf32 = precision && precision.getValue() == "tf32";
    plan.train = std::make_unique<rt::fb::TrainDefaultsT>();
    plan.train->steps = number("steps");
    plan.train->seed = number("seed");
    plan.train->log_every = number("log_every");
    plan.train->save_every = number("save_every");
    plan.train->validate_every = number("validate_every");
    if (uint64_t micros = number("accumulate"))
      plan.train->accumulate = micros;
    if (train.contains("max_skipped"))
      plan.train->max_skipped = number("max_skipped");
    auto word = [&](StringRef key) {
      auto value = train.getAs<StringAttr>(key);
      return value ? value.getValue() : StringRef();
    };
    plan.train->nonfinite =
        llvm::StringSwitch<rt::fb::Nonfinite>(word("nonfinite"))
            .Case("error", rt::fb::Nonfinite::Fail)
            .Case("ignore", rt::fb::Nonfinite::Ignore)
            .Default(rt::fb::Nonfinite::Skip);
    plan.train->wrap = word("last") == "wrap";
  }
  if (auto shuffle = module->getAttrOfType<BoolAttr>(kDataShuffleAttr))
    plan.shuffle = shuffle.getValue();
  if (auto share = module->getAttrOfType<FloatAttr>(kDataValidationAttr))
    plan.validation = share.getValueAsDouble();
  auto lines = module->getAttrOfType<ArrayAttr>(kDataAttr);
  if (!lines)
    return;
  for (auto line : lines.getAsRange<DictionaryAttr>()) {
    auto entry = std::make_unique<rt::fb::DataLineT>();
    if (auto names = line.getAs<ArrayAttr>("names"))
      for (auto name : names.getAsRange<StringAttr>())
        entry->names.push_back(name.str());
    if (auto spec = line.getAs<StringAttr>("spec"))
      entry->spec = spec.str();
    entry->validation = static_cast<bool>(line.getAs<UnitAttr>("validation"));
    addSampleOptions(line.getAs<DictionaryAttr>("options"), *entry);
    if (auto loc = line.getAs<LocationAttr>("loc"))
      entry->source = sourceOf(loc);
    plan.data.push_back(std::move(entry));
  }
}
