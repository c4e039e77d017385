// Sentences of amp.chunks; see ChunkNotes.h.
#include "tools/libampc/ChunkNotes.h"

#include "tools/libampc/MemoryVerdict.h"

#include <fmt/format.h>

using namespace mlir;

namespace ampc {

std::vector<std::string> chunkNotes(func::FuncOp func) {
  std::vector<std::string> notes;
  auto chunks = func->getAttrOfType<ArrayAttr>(amp::kChunksAttr);
  if (!chunks)
    return notes;
  for (auto chunk : chunks.getAsRange<DictionaryAttr>()) {
    auto number = [&](StringRef name) {
      return chunk.getAs<IntegerAttr>(name).getInt();
    };
    StringRef path = chunk.getAs<StringAttr>("path").getValue();
    int64_t rows = number("rows"), most = number("chunk");
    notes.push_back(fmt::format(
        "{} and what its rows give: {} rows of {} are never stored at once but "
        "computed {} rows at a time, {} chunks (N28)",
        path.empty() ? "a product" : path.str(), rows,
        size_text(uint64_t(number("bytes"))), most,
        llvm::divideCeil(rows, most)));
  }
  return notes;
}

} // namespace ampc
