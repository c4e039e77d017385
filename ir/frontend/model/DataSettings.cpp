// The data block: the module attribute amp.data, one dictionary a line with the
// names, the SPEC that `--data NAMES=SPEC` would have, and its options
// (DataSources.cpp); amp.data_shuffle and amp.data_validation.
#include "ir/frontend/model/Elaborator.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace ampc::model {

void Elaborator::elaborateData() {
  llvm::SmallVector<Attribute> lines;
  llvm::StringMap<Loc> seen, keys;
  auto addLine = [&](const Setting &setting, llvm::StringMap<Loc> &names,
                     bool validation) {
    llvm::SaveAndRestore<const void *> statement(current, &setting);
    if (setting.kind != Setting::Assign) {
      error(setting.loc,
            "expected the names of a data line, found " +
                llvm::StringRef(setting.kind == Setting::Pattern ? "a pattern"
                                                                 : "a block"));
      return;
    }
    if (Attribute line = dataLine(setting, names, validation))
      lines.push_back(line);
  };
  for (const Setting &setting :
       ast.data ? ast.data->settings : llvm::ArrayRef<Setting>()) {
    llvm::SaveAndRestore<const void *> statement(current, &setting);
    bool isKey = setting.kind == Setting::Assign && setting.names.size() == 1 &&
                 (setting.names[0].text == "shuffle" ||
                  setting.names[0].text == "validation");
    bool isValidation = setting.kind == Setting::Nested &&
                        setting.names[0].text == "validation";
    if (!isKey && !isValidation) {
      addLine(setting, seen, /*validation=*/false);
      continue;
    }
    const Ident &key = setting.names[0];
    auto [it, fresh] = keys.try_emplace(key.text, key.loc);
    if (!fresh) {
      error(key.loc, "'" + key.text + "' given twice")
          .note(it->second, "the first is here");
      continue;
    }
    if (isKey) {
      dataKey(key, setting.value);
      continue;
    }
    llvm::StringMap<Loc> held;
    for (const Setting &line : setting.body->settings)
      addLine(line, held, /*validation=*/true);
  }
  emitter.module()->setAttr(amp::kDataAttr,
                            emitter.builder.getArrayAttr(lines));
}

void Elaborator::dataKey(const Ident &key, const Expr *expr) {
  Builder &builder = emitter.builder;
  Value value = eval(expr);
  if (value.isPoison())
    return;
  if (key.text == "shuffle") {
    bool shuffle = true;
    if (conditionOf(value, expr->loc, shuffle))
      emitter.module()->setAttr(amp::kDataShuffleAttr,
                                builder.getBoolAttr(shuffle));
    return;
  }
  double share = 0;
  if (settingNumber("data", key.text, {value, expr->loc, true}, 1, share) &&
      share > 0)
    emitter.module()->setAttr(amp::kDataValidationAttr,
                              builder.getF64FloatAttr(share));
}

Attribute Elaborator::dataLine(const Setting &setting,
                               llvm::StringMap<Loc> &seen, bool validation) {
  Builder &builder = emitter.builder;
  llvm::SmallVector<llvm::StringRef> names;
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
    names.push_back(name.text);
    tensors.push_back(&it->second.value.asTensor());
  }
  std::string spec;
  NamedAttrList options;
  if (!dataSource(setting, tensors, spec, options))
    return {};
  NamedAttrList line;
  line.set("names", builder.getStrArrayAttr(names));
  line.set("spec", builder.getStringAttr(spec));
  line.set("loc", LocationAttr(emitter.location(setting.loc)));
  if (validation)
    line.set("validation", builder.getUnitAttr());
  if (!options.empty())
    line.set("options", options.getDictionary(builder.getContext()));
  return line.getDictionary(builder.getContext());
}

} // namespace ampc::model
