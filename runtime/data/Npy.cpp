// NumPy files.
#include "runtime/data/Npy.h"
#include "runtime/data/InputFile.h"

#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace ampc::rt {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct NpyType {
  std::string_view name; ///< after the byte order mark
  Element element;
};
constexpr NpyType kTypes[] = {
    {"f2", Element::F16}, {"f4", Element::F32}, {"f8", Element::F64},
    {"i1", Element::I8},  {"i2", Element::I16}, {"i4", Element::I32},
    {"i8", Element::I64}, {"u1", Element::U8},  {"u2", Element::U16},
    {"u4", Element::U32}, {"b1", Element::Bool}};

/// What the header's dict says.
struct Header {
  std::optional<std::string> descr;
  std::optional<bool> fortran;
  std::optional<std::vector<int64_t>> shape;
};

/// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : rest(text) {}

  /// The header, or what was expected where.
  tl::expected<Header, std::string> parse() {
    Header header;
    if (!take('{'))
      return wanted("'{'");
    while (!take('}')) {
      std::optional<std::string> key = quoted();
      if (!key)
        return wanted("a quoted key or '}'");
      if (!take(':'))
        return wanted("':'");
      if (*key == "descr" && !header.descr) {
        header.descr = quoted();
        if (!header.descr)
          return wanted("a quoted element type (a record type is not an array "
                        "of numbers)");
      } else if (*key == "fortran_order" && !header.fortran) {
        if (word("True"))
          header.fortran = true;
        else if (word("False"))
          header.fortran = false;
        else
          return wanted("True or False");
      } else if (*key == "shape" && !header.shape) {
        header.shape = tuple();
        if (!header.shape)
          return wanted("a tuple of extents");
      } else {
        return wanted(
            "the keys 'descr', 'fortran_order' and 'shape', each once");
      }
      if (!take(',') && peek() != '}')
        return wanted("',' or '}'");
    }
    if (!header.descr || !header.fortran || !header.shape)
      return wanted("the keys 'descr', 'fortran_order' and 'shape'");
    blanks();
    if (!rest.empty())
      return wanted("nothing more");
    return header;
  }

private:
  tl::unexpected<std::string> wanted(std::string_view what) const {
    std::string found;
    for (char c : rest.substr(0, 16))
      found += c >= 32 && c < 127 ? c : '?';
    return tl::unexpected(
        fmt::format("expected {} in the header, found '{}'", what, found));
  }
  void blanks() {
    while (!rest.empty() &&
           (rest[0] == ' ' || rest[0] == '\n' || rest[0] == '\t'))
      rest.remove_prefix(1);
  }
  char peek() {
    blanks();
    return rest.empty() ? 0 : rest[0];
  }
  bool take(char c) {
    if (peek() != c)
      return false;
    rest.remove_prefix(1);
    return true;
  }
  bool word(std::string_view text) {
    blanks();
    if (rest.substr(0, text.size()) != text)
      return false;
    rest.remove_prefix(text.size());
    return true;
  }
  std::optional<std::string> quoted() {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      return std::nullopt;
    size_t end = rest.find(quote, 1);
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string text(rest.substr(1, end - 1));
    rest.remove_prefix(end + 1);
    return text;
  }
  std::optional<std::vector<int64_t>> tuple() {
    std::vector<int64_t> out;
    if (!take('('))
      return std::nullopt;
    while (!take(')')) {
      int64_t value = 0;
      if (peek() < '0' || peek() > '9' || out.size() == 64)
        return std::nullopt;
      while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') {
        value = value * 10 + (rest[0] - '0');
        if (uint64_t(value) > kMaxExtent)
          return std::nullopt;
        rest.remove_prefix(1);
      }
      word("L"); // written by Python 2
      out.push_back(value);
      if (!take(',') && peek() != ')')
        return std::nullopt;
    }
    return out;
  }

  std::string_view rest;
};

} // namespace

Expected<NpyArray> parseNpy(std::span<const std::byte> all,
                            const std::string &path) {
  auto bad = [&](std::string text) {
    return fail(Code::BadInput, path, std::move(text));
  };
  std::string_view text(reinterpret_cast<const char *>(all.data()), all.size());
  if (text.substr(0, kMagic.size()) != kMagic)
    return bad("not a NumPy file: expected it to begin with \\x93NUMPY");
  if (text.size() < 12)
    return bad(fmt::format(
        "truncated: expected a header, the file has {} bytes", text.size()));
  int major = static_cast<unsigned char>(text[6]);
  if (major < 1 || major > 3)
    return bad(
        fmt::format("NumPy format version {}, expected 1, 2 or 3", major));
  size_t start = major == 1 ? 10 : 12;
  size_t length = 0;
  for (size_t i = start; i-- > 8;)
    length = length << 8 | static_cast<unsigned char>(text[i]);
  if (length > text.size() - start)
    return bad(
        fmt::format("truncated: expected a header of {} bytes, {} are left",
                    length, text.size() - start));
  auto header = HeaderParser(text.substr(start, length)).parse();
  if (!header)
    return bad(header.error());

  const std::string &descr = *header->descr;
  char order = descr.empty() ? 0 : descr[0];
  std::string_view name = std::string_view(descr).substr(descr.empty() ? 0 : 1);
  const NpyType *found = nullptr;
  for (const NpyType &row : kTypes)
    if (row.name == name)
      found = &row;
  if (order == '>' && found && info(found->element).bytes > 1)
    return bad(
        fmt::format("big-endian elements '{}', expected little-endian ('<{}')",
                    descr, name));
  if (!found || (order != '<' && order != '|' && order != '=' && order != '>'))
    return bad(fmt::format("element type '{}', expected one of <f2 <f4 <f8 |i1 "
                           "<i2 <i4 <i8 |u1 <u2 <u4 "
                           "|b1",
                           descr));
  if (*header->fortran && header->shape->size() > 1)
    return bad("the array is in Fortran order, expected C order "
               "(numpy.ascontiguousarray makes one)");

  std::optional<uint64_t> count = countOf(*header->shape);
  size_t present = text.size() - start - length;
  if (!count)
    return bad(fmt::format("the extents of {} are too large",
                           elementText(found->element, *header->shape)));
  uint64_t expected = *count * info(found->element).bytes;
  if (expected != present)
    return bad(fmt::format(
        "{}: {} has {} bytes, the file holds {} after its header",
        present < expected ? "truncated" : "too long",
        elementText(found->element, *header->shape), expected, present));
  return NpyArray{found->element, std::move(*header->shape),
                  all.subspan(start + length)};
}

Expected<NpyFile> NpyFile::open(const std::string &path) {
  NpyFile result;
  AMPC_ASSIGN(result.file, openInput(path));
  AMPC_ASSIGN(NpyArray array, parseNpy(result.file.bytes(), path));
  std::optional<DType> type = dtypeByName(info(array.element).name);
  if (!type)
    return fail(
        Code::BadInput, path,
        fmt::format("the elements are {}, which no tensor has; expected "
                    "f16, f32, f64, i8, i32, i64 or bool",
                    info(array.element).name));
  result.type = *type;
  result.extents = std::move(array.shape);
  result.elements = array.bytes;
  return result;
}

Expected<void> write_npy(const std::string &path, const TensorView &tensor,
                         bool overwrite) {
  const NpyType *row = nullptr;
  for (const NpyType &candidate : kTypes)
    if (elementOf(tensor.dtype) == candidate.element)
      row = &candidate;
  if (!row)
    return fail(
        Code::BadInput, path,
        fmt::format(
            "NumPy has no element type for {}; a safetensors file holds it",
            name_of(tensor.dtype)));
  std::string shape;
  for (int64_t extent : tensor.shape)
    shape += fmt::format("{}{}", shape.empty() ? "" : ", ", extent);
  std::string text = fmt::format(
      "{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}",
      info(row->element).bytes == 1 ? '|' : '<', row->name, shape,
      tensor.shape.size() == 1 ? "," : "");
  size_t prefix = text.size() + 1 + 10 + 64 > 65535 ? 12 : 10;
  text.append((64 - (prefix + text.size() + 1) % 64) % 64, ' ');
  text += '\n';
  std::string head(kMagic);
  head += char(prefix == 10 ? 1 : 2);
  head += '\0';
  for (size_t i = 0, length = text.size(); i < prefix - 8; ++i, length >>= 8)
    head += char(length & 255);
  head += text;
  AMPC_ASSIGN(AtomicFile file, AtomicFile::create(path, overwrite));
  AMPC_TRY(file.write(std::as_bytes(std::span(head.data(), head.size()))));
  AMPC_TRY(file.write(tensor.bytes));
  return file.commit();
}

} // namespace ampc::rt
