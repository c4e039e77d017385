// CSV files.
#include "runtime/data/Csv.h"
#include "runtime/data/InputFile.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/format.h>

namespace ampc::rt {

namespace {

/// Takes the next field off the front of `line`; false after the last.
class Fields {
public:
  explicit Fields(std::string_view line) : rest(line) {}

  bool next(std::string_view &field) {
    if (done)
      return false;
    while (!rest.empty() && blank(rest.front()))
      rest.remove_prefix(1);
    size_t end = 0;
    if (!rest.empty() && rest.front() == '"') {
      end = rest.find('"', 1);
      if (end != std::string_view::npos) {
        field = rest.substr(1, end - 1);
        rest.remove_prefix(end + 1);
        return pastComma();
      }
    }
    end = std::min(rest.find(','), rest.size());
    field = rest.substr(0, end);
    while (!field.empty() && blank(field.back()))
      field.remove_suffix(1);
    rest.remove_prefix(end);
    return pastComma();
  }

private:
  static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  bool pastComma() {
    size_t comma = rest.find(',');
    done = comma == std::string_view::npos;
    if (!done)
      rest.remove_prefix(comma + 1);
    return true;
  }

  std::string_view rest;
  bool done = false;
};

/// `field`, cut and without what a terminal would act on.
std::string shown(std::string_view field) {
  std::string text;
  for (char c : field.substr(0, 24))
    text += c >= 32 && c < 127 ? c : '?';
  return text;
}

template <class T>
bool parseWhole(std::string_view text, T &value) {
  if (text.starts_with('+'))
    text.remove_prefix(1);
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc() &&
         end == text.data() + text.size();
}

class CsvReader final : public SampleReader {
public:
  CsvReader(FileBytes file, std::string path, const Port &port,
            Converter converter)
      : file(std::move(file)), path(std::move(path)), name(port.name),
        type(port.dtype), converter(std::move(converter)) {}

  Expected<void> open(const std::string &columns, const SampleContext &context);

  std::optional<uint64_t> count() const override { return range.n; }

  Expected<void> read(uint64_t first, uint64_t n, std::byte *to) override {
    for (uint64_t i = first; i < first + n; ++i) {
      AMPC_TRY(readLine(rows[range.first + i], to));
      to += chosen.size() * sizeOf(type);
    }
    return {};
  }

private:
  /// A line of the file and its number.
  struct Row {
    uint64_t at, line;
  };

  tl::unexpected<Error> bad(std::string text) const {
    return fail(Code::BadInput, path, std::move(text));
  }
  std::string_view all() const {
    return {reinterpret_cast<const char *>(file.bytes().data()),
            file.bytes().size()};
  }
  std::string_view lineAt(uint64_t at) const {
    std::string_view rest = all().substr(at);
    size_t end = rest.find('\n');
    return rest.substr(0, end);
  }
  std::string columnText(size_t column) const {
    return header.empty()
               ? fmt::format("column {}", column)
               : fmt::format("column {} ('{}')", column, shown(header[column]));
  }
  Expected<void> checkText() const;
  Expected<void> choose(const std::string &columns);
  Expected<size_t> columnOf(std::string_view text) const;
  Expected<void> readLine(Row row, std::byte *to);
  Expected<void> readField(std::string_view field, size_t i, std::byte *to,
                           Row row) const;

  FileBytes file;
  std::string path, name;
  DType type;
  Converter converter;
  std::vector<std::string> header;
  size_t width = 0;                     ///< fields of a line
  std::vector<size_t> chosen;           ///< columns, in the order of the sample
  std::vector<std::string_view> fields; ///< of the line being read
  std::vector<Row> rows;
  SampleRange range;
};

Expected<size_t> CsvReader::columnOf(std::string_view text) const {
  auto named = std::find(header.begin(), header.end(), text);
  if (named != header.end())
    return size_t(named - header.begin());
  size_t number = 0;
  if (text.find_first_not_of("0123456789") != std::string_view::npos ||
      !parseWhole(text, number))
    return bad(fmt::format("no column '{}'{}", shown(text),
                           header.empty() ? "; the file has no header"
                                          : " in the header"));
  if (number >= width)
    return bad(fmt::format("no column {}: the file has columns 0 to {}", number,
                           width - 1));
  return number;
}

Expected<void> CsvReader::choose(const std::string &columns) {
  if (columns.empty())
    for (size_t i = 0; i < width; ++i)
      chosen.push_back(i);
  std::string_view rest = columns;
  while (!rest.empty()) {
    std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    Expected<size_t> whole = columnOf(item);
    if (whole) {
      chosen.push_back(*whole);
      continue;
    }
    // A name may hold dashes: the range is where both sides are columns.
    std::optional<std::pair<size_t, size_t>> range;
    for (size_t dash = item.find('-'); dash != std::string_view::npos && !range;
         dash = item.find('-', dash + 1)) {
      Expected<size_t> first = columnOf(item.substr(0, dash));
      Expected<size_t> last = columnOf(item.substr(dash + 1));
      if (first && last)
        range = {*first, *last};
    }
    if (!range)
      return tl::unexpected(std::move(whole).error());
    if (range->second < range->first)
      return bad(fmt::format("columns '{}': {} comes before {}", shown(item),
                             range->second, range->first));
    for (size_t i = range->first; i <= range->second; ++i)
      chosen.push_back(i);
  }
  if (chosen.size() != converter.elements())
    return bad(fmt::format("a sample of '{}' takes {} numbers, {} columns are "
                           "chosen",
                           name, converter.elements(), chosen.size()));
  return {};
}

Expected<void> CsvReader::readField(std::string_view field, size_t i,
                                    std::byte *to, Row row) const {
  auto wrong = [&](std::string_view wanted) {
    return bad(fmt::format("line {}, {}: '{}' expects {}, found '{}'", row.line,
                           columnText(chosen[i]), name, wanted, shown(field)));
  };
  std::byte *place = to + i * sizeOf(type);
  if (info(type).isFloat) {
    double value = 0;
    if (!parseWhole(field, value))
      return wrong("a number");
    value = converter.apply(value, i);
    return convert(DType::F64, reinterpret_cast<std::byte *>(&value), type,
                   place, 1);
  }
  int64_t value = 0;
  if (!parseWhole(field, value) ||
      !convert(DType::I64, reinterpret_cast<std::byte *>(&value), type, place,
               1))
    return wrong(fmt::format("a whole number of {}", name_of(type)));
  return {};
}

Expected<void> CsvReader::readLine(Row row, std::byte *to) {
  Fields split(lineAt(row.at));
  size_t found = 0;
  for (std::string_view field; split.next(field); ++found)
    if (found < width)
      fields[found] = field;
  if (found != width)
    return bad(fmt::format("line {}: {} fields, expected {} as in the first "
                           "line",
                           row.line, found, width));
  for (size_t i = 0; i < chosen.size(); ++i)
    AMPC_TRY(readField(fields[chosen[i]], i, to, row));
  return {};
}

Expected<void> CsvReader::checkText() const {
  for (std::string_view mark : {"\xFF\xFE", "\xFE\xFF"})
    if (all().starts_with(mark))
      return bad("expected UTF-8 text, the file is UTF-16");
  size_t zero = all().find('\0');
  if (zero == std::string_view::npos)
    return {};
  return bad(fmt::format(
      "line {}: not a text file (byte 0x00 at offset {})",
      1 + std::count(all().begin(), all().begin() + zero, '\n'), zero));
}

Expected<void> CsvReader::open(const std::string &columns,
                               const SampleContext &context) {
  AMPC_TRY(checkText());
  std::vector<std::byte> sample;
  uint64_t line = 0;
  // A mark of UTF-8, as spreadsheets write it, is no part of the first field.
  for (uint64_t at = all().starts_with("\xEF\xBB\xBF") ? 3 : 0;
       at < all().size();) {
    std::string_view text = lineAt(at);
    Row row{at, ++line};
    at += text.size() + 1;
    if (text.find_first_not_of(" \t\r") == std::string_view::npos)
      continue;
    if (width == 0) {
      std::vector<std::string> names;
      bool numbers = true;
      double value = 0;
      Fields split(text);
      for (std::string_view field; split.next(field);) {
        numbers &= parseWhole(field, value);
        names.emplace_back(field);
      }
      width = names.size();
      if (!numbers)
        header = std::move(names);
      fields.resize(width);
      AMPC_TRY(choose(columns));
      sample.resize(chosen.size() * sizeOf(type));
      if (!numbers)
        continue;
    }
    AMPC_TRY(readLine(row, sample.data()));
    rows.push_back(row);
  }
  if (rows.empty())
    return bad(fmt::format("expected lines of numbers, the file has {}",
                           width ? "a header alone" : "none"));
  range = rangeOf(rows.size(), context);
  return {};
}

} // namespace

Expected<std::unique_ptr<SampleReader>>
openCsv(const DataSpec &spec, const std::string &path, const Port &port,
        const SampleOptions &options, const SampleContext &context) {
  // A field is read as what the input takes, so that labels stay exact.
  auto converter =
      Converter::create(info(port.dtype).isFloat ? Element::F64 : Element::I64,
                        false, port, options);
  if (!converter)
    return fail(Code::BadInput, path, converter.error().message);
  AMPC_ASSIGN(FileBytes file, openInput(path));
  auto reader = std::make_unique<CsvReader>(std::move(file), path, port,
                                            std::move(*converter));
  AMPC_TRY(reader->open(spec.key, context));
  return reader;
}

} // namespace ampc::rt
