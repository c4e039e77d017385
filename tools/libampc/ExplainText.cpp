// An explanation as text and as JSON; see Explain.h.
#include "tools/libampc/Explain.h"

#include "runtime/train/Metrics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace ampc {

std::span<const PrecisionReason> precision_reasons() {
  static constexpr PrecisionReason reasons[] = {
      {"lower", "of class lower: in the format of the policy"},
      {"f32_inside", "computes in f32; a 16-bit consumer may take a 16-bit "
                     "result"},
      {"follow_cut", "the type with the least casts and bytes moved"},
      {"follow_tie", "no type has less casts and bytes moved: as its operands"},
      {"never_unknown", "no rule chooses: the op or its formula has the type"},
      {"never_integer", "no float among its results"},
      {"user_typed", "a cast of the model's text"},
      {"user_override", "precision { } or --set precision.PATH"},
      {"constant_range", "a constant that the 16-bit format cannot hold"},
      {"loss", "the loss is f32"},
      {"master", "parameters, optimizer state and counters are f32"},
      {"target_emulated", "the target emulates the format"}};
  return reasons;
}

namespace {

using Row = std::vector<std::string>;

/// Prints rows with columns as wide as their widest entry, the last as it is.
void printRows(llvm::raw_ostream &os, const std::vector<Row> &rows) {
  std::vector<size_t> widths;
  for (const Row &row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (auto [width, text] : llvm::zip(widths, row))
      width = std::max(width, text.size());
  }
  for (const Row &row : rows) {
    std::string line;
    llvm::raw_string_ostream out(line);
    for (auto [i, text] : llvm::enumerate(row))
      out << llvm::left_justify(text, i + 1 == row.size() ? 0 : widths[i] + 2);
    os << llvm::StringRef(line).rtrim() << "\n";
  }
}

void printSection(llvm::raw_ostream &os, llvm::StringRef heading,
                  const std::vector<Row> &rows) {
  if (rows.empty())
    return;
  os << "\n" << heading << "\n";
  printRows(os, rows);
}

/// `-` where there is nothing, so that columns can be counted.
std::string orDash(const std::string &text) {
  return text.empty() ? "-" : text;
}

/// A detail with at most three places: a constant may be in every kernel.
std::string shortened(llvm::StringRef detail) {
  constexpr size_t kPlaces = 3;
  llvm::SmallVector<llvm::StringRef> parts;
  detail.split(parts, "; ");
  if (parts.size() <= kPlaces)
    return detail.str();
  return llvm::join(llvm::ArrayRef(parts).take_front(kPlaces), "; ") +
         "; and " + std::to_string(parts.size() - kPlaces) + " more";
}

std::string idText(unsigned id) { return "%" + std::to_string(id); }

/// At most `most` numbers, and how many more there are.
std::string idsText(llvm::ArrayRef<unsigned> ids, size_t most = SIZE_MAX) {
  std::string text =
      llvm::join(llvm::map_range(ids.take_front(most), idText), " ");
  if (ids.size() > most)
    text += " and " + std::to_string(ids.size() - most) + " more";
  return text;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// One object, a member at a time.
class Object {
public:
  explicit Object(llvm::raw_ostream &os) : os(os) { os << "{"; }
  ~Object() { os << "}"; }

  Object &text(llvm::StringRef key, const std::string &value) {
    return raw(key, rt::json_string(value));
  }
  Object &number(llvm::StringRef key, uint64_t value) {
    return raw(key, std::to_string(value));
  }
  Object &real(llvm::StringRef key, double value) {
    return raw(key, llvm::formatv("{0:F3}", value).str());
  }
  Object &ids(llvm::StringRef key, const std::vector<unsigned> &values) {
    return raw(key, "[" +
                        llvm::join(llvm::map_range(values,
                                                   [](unsigned id) {
                                                     return std::to_string(id);
                                                   }),
                                   ",") +
                        "]");
  }

private:
  Object &raw(llvm::StringRef key, const std::string &value) {
    os << separator << "\"" << key << "\":" << value;
    separator = ",";
    return *this;
  }

  llvm::raw_ostream &os;
  const char *separator = "";
};

template <typename Range, typename Print>
void printList(llvm::raw_ostream &os, llvm::StringRef key, const Range &items,
               Print print) {
  os << ",\"" << key << "\":[";
  llvm::interleave(items, os, print, ",");
  os << "]";
}

} // namespace

std::string to_text(const Explanation &all) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "entry " << all.entry << ", precision " << all.precision << "\n";
  for (const std::string &note : all.notes)
    os << note << "\n";
  std::vector<Row> ops, casts, kernels, unfused;
  for (const ExplainedOp &op : all.ops)
    ops.push_back({orDash(op.source), idText(op.id) + " " + op.op,
                   orDash(op.name), orDash(op.type), op.precision_class,
                   op.reason, shortened(op.detail)});
  printSection(os, "ops: file:line  op  name  type  class  reason  detail",
               ops);
  std::vector<Row> risks;
  for (const ExplainedOp &op : all.ops)
    if (!op.bounds.empty())
      risks.push_back({orDash(op.source), idText(op.id) + " " + op.op,
                       orDash(op.name), op.bounds, op.risk});
  printSection(os,
               "f16 values that the ops bound: file:line  op  name  bounds  "
               "risk of overflow",
               risks);
  for (const ExplainedCast &cast : all.casts)
    casts.push_back({cast.value, cast.from + " -> " + cast.to, cast.origin,
                     cast.reason, orDash(idsText(cast.used_by, 3))});
  printSection(os, "casts: value  from -> to  origin  reason  used-by", casts);
  for (const ExplainedKernel &kernel : all.kernels)
    kernels.push_back({orDash(kernel.source), kernel.name, kernel.kind,
                       std::to_string(kernel.bytes_read),
                       std::to_string(kernel.bytes_written),
                       idsText(kernel.ops)});
  printSection(os,
               "kernels: file:lines  kernel  kind  bytes read  written  ops",
               kernels);
  for (const UnfusedPair &pair : all.unfused)
    unfused.push_back({idText(pair.producer) + " " + pair.producer_op,
                       idText(pair.consumer) + " " + pair.consumer_op,
                       pair.reason});
  printSection(os, "not fused: producer  consumer  blocking fact", unfused);
  std::vector<Row> recompute;
  for (const ExplainedRecompute &value : all.recompute)
    recompute.push_back({orDash(value.source), value.value, value.type,
                         std::to_string(value.bytes_saved),
                         llvm::formatv("{0:F1}", value.time_us).str(),
                         idsText(value.ops)});
  printSection(os,
               "computed again for the backward, not kept: file:lines  value  "
               "type  bytes  predicted us  ops",
               recompute);
  return text;
}

std::string to_json(const Explanation &all) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{\"entry\":" << rt::json_string(all.entry)
     << ",\"precision\":" << rt::json_string(all.precision) << ",\"notes\":[";
  for (const std::string &note : all.notes)
    os << (&note == all.notes.data() ? "" : ",") << rt::json_string(note);
  os << "]";
  printList(os, "ops", all.ops, [&](const ExplainedOp &op) {
    Object(os)
        .number("id", op.id)
        .text("op", op.op)
        .text("source", op.source)
        .text("name", op.name)
        .text("type", op.type)
        .text("class", op.precision_class)
        .text("reason", op.reason)
        .text("detail", op.detail)
        .text("risk", op.risk)
        .text("bounds", op.bounds);
  });
  printList(os, "casts", all.casts, [&](const ExplainedCast &cast) {
    Object(os)
        .number("id", cast.id)
        .text("value", cast.value)
        .text("from", cast.from)
        .text("to", cast.to)
        .text("origin", cast.origin)
        .text("reason", cast.reason)
        .ids("used_by", cast.used_by);
  });
  printList(os, "kernels", all.kernels, [&](const ExplainedKernel &kernel) {
    Object(os)
        .text("name", kernel.name)
        .text("kind", kernel.kind)
        .ids("ops", kernel.ops)
        .text("source", kernel.source)
        .number("bytes", kernel.bytes_read + kernel.bytes_written)
        .number("bytes_read", kernel.bytes_read)
        .number("bytes_written", kernel.bytes_written);
  });
  printList(os, "unfused", all.unfused, [&](const UnfusedPair &pair) {
    Object(os)
        .number("producer", pair.producer)
        .text("producer_op", pair.producer_op)
        .number("consumer", pair.consumer)
        .text("consumer_op", pair.consumer_op)
        .text("reason", pair.reason);
  });
  printList(os, "recompute", all.recompute,
            [&](const ExplainedRecompute &value) {
              Object(os)
                  .text("value", value.value)
                  .text("type", value.type)
                  .text("source", value.source)
                  .ids("ops", value.ops)
                  .number("bytes_saved", value.bytes_saved)
                  .real("time_us", value.time_us);
            });
  os << "}\n";
  return text;
}

} // namespace ampc
