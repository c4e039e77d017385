// `npy("x.npy", scale = 1 / 255)`: the sources of data lines and their options.
#include "ir/frontend/model/Elaborator.h"

using namespace mlir;

namespace ampc::model {
namespace {

/// A source: its signature without the options that all have, and what of its
/// inputs it can fill.
struct SourceLine {
  llvm::StringLiteral name;
  const char *arguments;
  enum Kind : uint8_t {
    Array,    // a file of one array: one name
    File,     // a file of several, or of columns
    Sequence, // a file of one long sequence: takes window and stride
    Drawn,    // a seed: floats
    DrawnInts // a seed and an interval: numbers
  } kind;
};
constexpr SourceLine kSources[] = {
    {"idx", "file", SourceLine::Array},
    {"npy", "file", SourceLine::Array},
    {"npz", "file", SourceLine::File},
    {"csv", "file", SourceLine::File},
    {"safetensors", "file", SourceLine::File},
    {"text", "file", SourceLine::Sequence},
    {"tokens", "file", SourceLine::Sequence},
    {"normal", "seed", SourceLine::Drawn},
    {"uniform", "seed", SourceLine::Drawn},
    {"randint", "seed", SourceLine::DrawnInts},
};

/// The numbers that one word of the generator can tell apart.
constexpr uint64_t kMaxDrawnRange = uint64_t(1) << 32;

} // namespace

bool Elaborator::dataOption(llvm::StringRef source, llvm::StringRef key,
                            const BoundArg &arg, NamedAttrList &options) {
  Builder &builder = emitter.builder;
  if (key == "window" || key == "stride") {
    int64_t count = 0;
    if (!settingInt(source, key, arg, 1, count))
      return false;
    options.set(key, builder.getI64IntegerAttr(count));
    return true;
  }
  llvm::SmallVector<double> numbers;
  bool isList = arg.value.is(ValueKind::List) && key != "scale";
  for (const Value &item :
       isList ? arg.value.asList() : llvm::ArrayRef(arg.value)) {
    if (!item.isNumber()) {
      error(arg.loc, "expected a compile-time number, got " + item.describe());
      return false;
    }
    if (key == "std" && item.asFloat() <= 0) {
      error(arg.loc, "'" + source + "': 'std' must be above 0, got " +
                         formatFloat(item.asFloat()));
      return false;
    }
    numbers.push_back(item.asFloat());
  }
  if (key == "scale")
    options.set(key, builder.getF64FloatAttr(numbers[0]));
  else
    options.set(key, builder.getDenseF64ArrayAttr(numbers));
  return true;
}

bool Elaborator::dataSource(const Setting &setting,
                            llvm::ArrayRef<const TensorData *> tensors,
                            std::string &spec, NamedAttrList &options) {
  const auto *call = dyn_cast<CallExpr>(setting.value);
  llvm::StringRef source = call ? call->callee : llvm::StringRef();
  const auto *line = llvm::find_if(
      kSources, [&](const SourceLine &l) { return source == l.name; });
  if (line == std::end(kSources)) {
    Nearest nearest(source);
    for (const SourceLine &known : kSources)
      nearest.consider(known.name);
    error(setting.value->loc,
          call ? ("unknown data source '" + source + "'").str() + nearest.hint()
               : std::string("expected a data source, as in npy(\"x.npy\")"));
    return false;
  }
  llvm::SmallVector<llvm::StringRef, 8> formals{line->arguments};
  bool drawn = line->kind >= SourceLine::Drawn;
  if (line->kind == SourceLine::DrawnInts)
    formals.append({"low", "high"});
  size_t required = formals.size();
  formals.append({"scale", "mean", "std"});
  if (line->kind == SourceLine::Sequence)
    formals.append({"window", "stride"});
  llvm::SmallVector<Given, 4> given;
  for (const Arg &arg : call->args)
    given.push_back(
        {arg.name.text, arg.name.loc, eval(arg.value), arg.value->loc});
  llvm::SmallVector<BoundArg, 8> bound(formals.size());
  if (!bindArgs(call, formals, given, bound))
    return false;
  for (auto [arg, formal] : llvm::zip(bound, formals))
    if (arg.given && arg.value.isPoison())
      return false;
  // `low` has PyTorch's default.
  if (line->kind == SourceLine::DrawnInts && !bound[1].given)
    bound[1] = {Value::of(int64_t(0)), call->loc, true};
  for (size_t i = 0; i < required; ++i)
    if (!bound[i].given) {
      error(call->loc,
            "argument '" + formals[i] + "' of '" + source + "' is missing");
      return false;
    }

  spec = source.str() + ":";
  if (drawn) {
    int64_t seed = 0, low = 0, high = 0;
    if (!settingInt(source, "seed", bound[0], 0, seed))
      return false;
    spec += std::to_string(seed);
    if (line->kind == SourceLine::DrawnInts) {
      if (!settingInt(source, "low", bound[1], INT64_MIN, low) ||
          !settingInt(source, "high", bound[2], INT64_MIN, high))
        return false;
      if (high <= low) {
        error(bound[2].loc, "'randint': 'high' must be above 'low' (" +
                                llvm::Twine(low) + "), got " +
                                llvm::Twine(high));
        return false;
      }
      if (uint64_t(high) - uint64_t(low) > kMaxDrawnRange) {
        error(bound[2].loc, "'randint': 'high' must be above 'low' (" +
                                llvm::Twine(low) + ") by at most 2^32, got " +
                                llvm::Twine(high));
        return false;
      }
      spec += "#" + std::to_string(low) + "," + std::to_string(high);
    }
    for (auto [name, tensor] : llvm::zip(setting.names, tensors)) {
      if (line->kind == SourceLine::Drawn && !isFloat(tensor->element)) {
        error(name.loc, "'" + source + "' fills float tensors, '" + name.text +
                            "' is " + typeText(*tensor));
        return false;
      }
    }
  } else {
    if (!bound[0].value.is(ValueKind::String)) {
      error(bound[0].loc,
            "expected a compile-time string, got " + bound[0].value.describe());
      return false;
    }
    size_t most = line->kind == SourceLine::Array      ? 1
                  : line->kind == SourceLine::Sequence ? 2
                                                       : setting.names.size();
    if (setting.names.size() > most) {
      error(setting.names[most].loc,
            "'" + source + "' holds " +
                (most == 1 ? "one tensor" : "one sequence") + ", got " +
                llvm::Twine(setting.names.size()) + " names");
      return false;
    }
    // As written: whoever opens the file joins it with the folder of the model
    // or of the plan, which may have been moved with its data.
    spec += bound[0].value.asString();
  }
  for (size_t i = required; i < formals.size(); ++i)
    if (bound[i].given && !bound[i].value.isNone() &&
        !dataOption(source, formals[i], bound[i], options))
      return false;
  return true;
}

} // namespace ampc::model
