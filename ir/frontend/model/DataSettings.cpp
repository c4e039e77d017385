// The data block: the module attribute amp.data, one dictionary a line with the
// names and the SPEC that
// `--data NAMES=SPEC` would have.
#include "ir/frontend/model/Elaborator.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace ampc::model {
namespace {

constexpr llvm::StringLiteral kReservedSources[] = {
    "idx", "npz", "csv", "text", "tokens", "safetensors", "randint"};
constexpr llvm::StringLiteral kReservedOptions[] = {"scale", "mean", "std",
                                                    "window", "stride"};

} // namespace

void Elaborator::elaborateData() {
  llvm::SmallVector<Attribute> lines;
  llvm::StringMap<Loc> seen;
  for (const Setting &setting :
       ast.data ? ast.data->settings : llvm::ArrayRef<Setting>()) {
    llvm::SaveAndRestore<const void *> statement(current, &setting);
    bool isKey = setting.kind == Setting::Assign && setting.names.size() == 1 &&
                 (setting.names[0].text == "shuffle" ||
                  setting.names[0].text == "validation");
    if (isKey || (setting.kind == Setting::Nested &&
                  setting.names[0].text == "validation")) {
      unavailable(setting.loc, setting.names[0].text);
      continue;
    }
    if (setting.kind != Setting::Assign) {
      error(setting.loc,
            "expected the names of a data line, found " +
                llvm::StringRef(setting.kind == Setting::Pattern ? "a pattern"
                                                                 : "a block"));
      continue;
    }
    if (Attribute line = dataLine(setting, seen))
      lines.push_back(line);
  }
  emitter.module()->setAttr(amp::kDataAttr,
                            emitter.builder.getArrayAttr(lines));
}

Attribute Elaborator::dataLine(const Setting &setting,
                               llvm::StringMap<Loc> &seen) {
  Builder &builder = emitter.builder;
  llvm::SmallVector<Attribute> names;
  llvm::SmallVector<const TensorData *> tensors;
  for (const Ident &name : setting.names) {
    auto it = modelScope.names.find(name.text);
    bool known = it != modelScope.names.end();
    if (known && it->second.value.isPoison())
      return {};
    if (!known || (it->second.kind != NameKind::Input &&
                   it->second.kind != NameKind::Target)) {
      Nearest nearest(name.text);
      for (const auto &entry : modelScope.names)
        if (entry.second.kind == NameKind::Input ||
            entry.second.kind == NameKind::Target)
          nearest.consider(entry.first());
      error(name.loc, "unknown input '" + name.text + "'" + nearest.hint());
      return {};
    }
    auto [first, fresh] = seen.try_emplace(name.text, name.loc);
    if (!fresh) {
      error(name.loc, "data of '" + name.text + "' given twice")
          .note(first->second, "the first is here");
      return {};
    }
    names.push_back(builder.getStringAttr(name.text));
    tensors.push_back(&it->second.value.asTensor());
  }

  const auto *call = dyn_cast<CallExpr>(setting.value);
  llvm::StringRef source = call ? call->callee : llvm::StringRef();
  bool drawn = source == "normal" || source == "uniform";
  if (llvm::is_contained(kReservedSources, source)) {
    unavailable(setting.value->loc, source);
    return {};
  }
  if (!drawn && source != "npy") {
    Nearest nearest(source);
    for (llvm::StringRef known : {"normal", "uniform", "npy"})
      nearest.consider(known);
    for (llvm::StringRef known : kReservedSources)
      nearest.consider(known);
    error(setting.value->loc,
          call ? ("unknown data source '" + source + "'").str() + nearest.hint()
               : std::string("expected a data source, as in npy(\"x.npy\")"));
    return {};
  }
  llvm::SmallVector<Given, 2> given;
  for (const Arg &arg : call->args) {
    if (llvm::is_contained(kReservedOptions, arg.name.text)) {
      unavailable(arg.name.loc, arg.name.text);
      return {};
    }
    given.push_back(
        {arg.name.text, arg.name.loc, eval(arg.value), arg.value->loc});
  }
  llvm::StringRef formal = drawn ? "seed" : "file";
  BoundArg rest;
  if (!bindArgs(call, formal, given, rest) || rest.value.isPoison()) {
    if (!rest.given)
      error(call->loc,
            "argument '" + formal + "' of '" + source + "' is missing");
    return {};
  }
  std::string spec = source.str() + ":";
  if (drawn) {
    if (!rest.value.is(ValueKind::Int) || rest.value.asInt() < 0) {
      error(rest.loc, "'" + source +
                          "': 'seed' must be an int of at least 0, got " +
                          (rest.value.is(ValueKind::Int)
                               ? std::to_string(rest.value.asInt())
                               : rest.value.describe()));
      return {};
    }
    for (auto [name, tensor] : llvm::zip(setting.names, tensors))
      if (!isFloat(tensor->element)) {
        error(name.loc, "'" + source + "' fills float tensors, '" + name.text +
                            "' is " + typeText(*tensor));
        return {};
      }
    spec += std::to_string(rest.value.asInt());
  } else {
    if (!rest.value.is(ValueKind::String)) {
      error(rest.loc,
            "expected a compile-time string, got " + rest.value.describe());
      return {};
    }
    if (setting.names.size() != 1) {
      error(setting.names[1].loc, "'npy' holds one tensor, got " +
                                      llvm::Twine(setting.names.size()) +
                                      " names");
      return {};
    }
    // As written: whoever opens the file joins it with the folder of the model
    // or of the plan, which may have been moved with its data.
    spec += rest.value.asString();
  }
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("names", builder.getArrayAttr(names)),
       builder.getNamedAttr("spec", builder.getStringAttr(spec)),
       builder.getNamedAttr("loc",
                            LocationAttr(emitter.location(setting.loc)))});
}

} // namespace ampc::model
