// Rewrites relative data files; see DataPaths.h.
#include "tools/libampc/DataPaths.h"

#include "ir/dialect/Dialect.h"
#include "mlir/IR/Builders.h"

#include <algorithm>
#include <filesystem>

using namespace mlir;

namespace ampc {

namespace {

namespace fs = std::filesystem;

/// The folder of `file`, absolute; empty where there is no current directory.
fs::path folderOf(const std::string &file) {
  std::error_code error;
  return fs::absolute(file, error).lexically_normal().parent_path();
}

/// What leads from `to` to `from`. A way up is that of the folders themselves:
/// `..` does not lead back through a link.
fs::path wayFrom(const fs::path &to, const fs::path &from) {
  fs::path way = from.lexically_relative(to);
  if (std::find(way.begin(), way.end(), "..") == way.end())
    return way;
  std::error_code error;
  fs::path real = fs::relative(from, to, error);
  return error ? from : real;
}

} // namespace

std::string wayBetween(const std::string &from, const std::string &to) {
  return wayFrom(folderOf(to), folderOf(from)).string();
}

void moveDataPaths(ModuleOp module, const std::string &from,
                   const std::string &to) {
  auto lines = module->getAttrOfType<ArrayAttr>(amp::kDataAttr);
  std::string way = wayBetween(from, to);
  if (!lines || way.empty() || way == ".")
    return;
  Builder builder(module.getContext());
  SmallVector<Attribute> moved;
  for (auto line : lines.getAsRange<DictionaryAttr>()) {
    NamedAttrList attributes(line);
    auto spec = line.getAs<StringAttr>("spec");
    auto [kind, rest] = (spec ? spec.getValue() : StringRef()).split(':');
    bool isMadeUp = kind == "normal" || kind == "uniform" || kind == "randint";
    if (!isMadeUp && !rest.empty() && !rest.starts_with("/"))
      attributes.set("spec",
                     builder.getStringAttr(kind + ":" + way + "/" + rest));
    moved.push_back(attributes.getDictionary(module.getContext()));
  }
  module->setAttr(amp::kDataAttr, builder.getArrayAttr(moved));
}

} // namespace ampc
