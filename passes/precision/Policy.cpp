// The table of policies and the overrides; see Policy.h.
#include "passes/precision/Policy.h"

#include "ir/dialect/Locations.h"
#include "ir/dialect/NamePatterns.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

namespace {

/// One format on one kind of target.
struct Row {
  StringRef format, kind;
  /// Whether contractions (class lower), and what follows them, are narrowed.
  /// The other classes are the same everywhere: f32_inside computes in f32,
  /// never keeps its type.
  bool narrows;
  bool scalesLoss;
  /// What is said where the target has no hardware for the format.
  StringRef emulation;
};

constexpr Row kRows[] = {
    {"f32", "cpu", false, false, ""},
    {"f32", "cuda", false, false, ""},
    {"tf32", "cpu", false, false,
     "the target has no tf32: contractions run in f32, as tf32 permits"},
    {"tf32", "cuda", false, false,
     "the target has no tf32: contractions run in f32, as tf32 permits"},
    {"bf16", "cpu", true, false,
     "bf16 is emulated: the CPU has no AMX, contractions widen their "
     "operands to f32 and take up to 1.2 times as long as in f32"},
    {"bf16", "cuda", true, false,
     "bf16 is emulated: contractions widen their operands to f32 and take up "
     "to 1.2 times as long as in f32"},
    // f16 has 5 exponent bits: gradients below 2^-24 vanish without a scale.
    {"f16", "cpu", true, true,
     "f16 is emulated: the CPU has no f16 products that sum in f32, "
     "contractions widen their operands to f32 and take up to 1.2 times as "
     "long as in f32"},
    {"f16", "cuda", true, true,
     "f16 is emulated: contractions widen their operands to f32 and take up "
     "to 1.2 times as long as in f32"},
};

FloatType typeOf(StringRef format, MLIRContext *context) {
  if (format == "bf16")
    return BFloat16Type::get(context);
  if (format == "f16")
    return Float16Type::get(context);
  if (format == "tf32")
    return FloatTF32Type::get(context);
  return Float32Type::get(context);
}

} // namespace

std::optional<Policy> policyFor(StringRef name, TargetAttr target,
                                MLIRContext *context) {
  StringRef kind = target ? target.getKind() : "cpu";
  if (name == "auto") {
    // bf16 has f32's range and needs no scale; narrow formats pay where
    // contractions have hardware for them.
    bool pays = target && target.isFast(BFloat16Type::get(context));
    name = pays ? "bf16" : "f32";
  }
  for (const Row &row : kRows) {
    if (row.format != name || row.kind != kind)
      continue;
    Policy policy;
    policy.format = row.format;
    FloatType type = typeOf(row.format, context);
    if (row.narrows)
      policy.narrow = type;
    policy.scalesLoss = row.scalesLoss;
    if (!(target && target.isFast(type)))
      policy.note = row.emulation;
    return policy;
  }
  return std::nullopt;
}

PrecisionOverrides::PrecisionOverrides(ModuleOp module) {
  auto list = module->getAttrOfType<ArrayAttr>(kPrecisionAttr);
  for (Attribute attribute : list ? list.getValue() : ArrayRef<Attribute>()) {
    auto entry = cast<DictionaryAttr>(attribute);
    Entry parsed;
    for (auto pattern :
         entry.getAs<ArrayAttr>("patterns").getAsRange<StringAttr>())
      parsed.patterns.push_back({pattern.getValue()});
    parsed.type = cast<FloatType>(entry.getAs<TypeAttr>("type").getValue());
    entries.push_back(std::move(parsed));
  }
}

FloatType PrecisionOverrides::of(Operation *op) {
  if (entries.empty())
    return {};
  std::string path = namePathOf(op->getLoc());
  StringRef mnemonic = op->getName().stripDialect();
  auto [found, isNew] =
      known.try_emplace(path + " " + mnemonic.str(), FloatType());
  if (isNew)
    found->second = find(path, mnemonic);
  return found->second;
}

FloatType PrecisionOverrides::find(StringRef path, StringRef mnemonic) {
  FloatType found;
  for (Entry &entry : entries)
    for (Pattern &pattern : entry.patterns) {
      StringRef kind = pattern.text;
      bool matches = kind.consume_front("op:")
                         ? matchesPattern(kind, mnemonic)
                         : !path.empty() && matchesPattern(pattern.text, path);
      pattern.isUsed |= matches;
      if (matches)
        found = entry.type;
    }
  return found;
}

SmallVector<StringRef> PrecisionOverrides::unused() const {
  SmallVector<StringRef> texts;
  for (const Entry &entry : entries)
    for (const Pattern &pattern : entry.patterns)
      if (!pattern.isUsed)
        texts.push_back(pattern.text);
  return texts;
}

} // namespace ampc
