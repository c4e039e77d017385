// Streams of samples assembled into batches.
#include "runtime/data/Streams.h"
#include "runtime/core/Philox.h"
#include "runtime/data/SampleReader.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace ampc::rt {

DataSource::~DataSource() = default;

uint64_t shuffled(uint64_t index, uint64_t count, uint64_t epoch,
                  uint64_t seed) {
  if (count < 2)
    return index;
  // Four rounds on 2 * half bits; values outside are walked until they fall
  // inside. The domain is below 4 * count, so four walks are the expectation at
  // most.
  unsigned half = (unsigned(std::bit_width(count - 1)) + 1) / 2;
  uint64_t mask = (uint64_t(1) << half) - 1;
  do {
    uint64_t left = index >> half, right = index & mask;
    for (uint32_t round = 0; round < 4; ++round) {
      PhiloxWords words =
          philox({uint32_t(right), 0xffff0000u | round, uint32_t(epoch),
                  uint32_t(epoch >> 32)},
                 seed ^ 0x6f72646572u); // "order": apart from other draws
      uint64_t next = left ^ (words[0] & mask);
      left = right;
      right = next;
    }
    index = left << half | right;
  } while (index >= count);
  return index;
}

namespace {

/// A name of a stream with the buffer its batches are assembled in.
struct Column {
  std::string name;
  std::unique_ptr<SampleReader> reader;
  Tensor buffer;                       ///< [batch, sample...]
  std::vector<int64_t> restShape = {}; ///< of the incomplete batch
};

struct Stream {
  std::vector<Column> columns;
  std::string where = {};        ///< its line, for errors
  uint64_t batch = 1;            ///< samples of a batch
  std::optional<uint64_t> count; ///< samples; nothing: no end
};

class Streams final : public DataSource {
public:
  Streams(std::vector<Stream> streams, const DataOptions &options,
          std::string text)
      : streams(std::move(streams)), shuffle(options.shuffle),
        wrap(options.wrap), seed(options.seed), text(std::move(text)) {
    for (const Stream &stream : this->streams)
      for (const Column &column : stream.columns)
        current.set(column.name, column.buffer);
  }

  Expected<const Batch *> batch(uint64_t index) override {
    for (Stream &stream : streams)
      for (Column &column : stream.columns)
        AMPC_TRY(fill(stream, column, index));
    return &current;
  }

  std::optional<uint64_t> batches() const override {
    if (streams.empty() || !streams.front().count)
      return std::nullopt;
    return *streams.front().count / streams.front().batch;
  }
  uint64_t left_over() const override {
    if (wrap || streams.empty() || !streams.front().count)
      return 0;
    return *streams.front().count % streams.front().batch;
  }
  Expected<const Batch *> remainder() override {
    uint64_t n = left_over();
    if (n == 0)
      return DataSource::remainder();
    uint64_t first = *streams.front().count - n;
    rest = Batch();
    for (Stream &stream : streams) {
      for (Column &column : stream.columns) {
        if (stream.batch != streams.front().batch) {
          AMPC_TRY(fill(stream, column, *batches()));
          rest.set(column.name, column.buffer);
          continue;
        }
        AMPC_TRY(column.reader->read(first, n, column.buffer.bytes().data()));
        std::span<const int64_t> shape = column.buffer.shape();
        column.restShape.assign(shape.begin(), shape.end());
        column.restShape[0] = int64_t(n);
        size_t bytes = column.buffer.bytes().size() / stream.batch * n;
        rest.set(column.name,
                 TensorView{column.buffer.dtype(), column.restShape,
                            column.buffer.bytes().first(bytes)});
      }
    }
    return &rest;
  }
  bool flows_on() const override { return wrap; }
  uint64_t batch_size() const override {
    return streams.empty() ? 0 : streams.front().batch;
  }
  std::string describe() const override { return text; }

private:
  /// An epoch is what its batches cover: every sample when it wraps.
  Expected<void> fill(const Stream &stream, Column &column, uint64_t index) {
    std::byte *to = column.buffer.bytes().data();
    uint64_t first = index * stream.batch;
    if (!stream.count)
      return column.reader->read(first, stream.batch, to);
    uint64_t covered =
        wrap ? *stream.count : *stream.count / stream.batch * stream.batch;
    uint64_t bytes = column.buffer.bytes().size() / stream.batch;
    for (uint64_t i = 0; i < stream.batch;) {
      uint64_t epoch = (first + i) / covered, at = (first + i) % covered;
      uint64_t n = shuffle ? 1 : std::min(stream.batch - i, covered - at);
      uint64_t sample = shuffle ? shuffled(at, *stream.count, epoch, seed) : at;
      AMPC_TRY(column.reader->read(sample, n, to + i * bytes));
      i += n;
    }
    return {};
  }

  std::vector<Stream> streams;
  bool shuffle, wrap;
  uint64_t seed;
  std::string text;
  Batch current, rest;
};

std::string lineText(const DataLine &line) {
  return fmt::format("{}={}", fmt::join(line.names, ","), line.spec);
}

/// Where the line stands, for errors.
std::string placeOf(const DataLine &line) {
  return line.where.empty() ? lineText(line) : line.where;
}

/// The line's names that `ports` ask for, as a stream.
Expected<Stream> openLine(const DataLine &line, std::span<const Port> ports,
                          const DataOptions &options) {
  Stream stream;
  std::string where = placeOf(line);
  stream.where = where;
  AMPC_ASSIGN(DataSpec spec, parseDataSpec(line.spec));
  for (uint32_t position = 0; position < line.names.size(); ++position) {
    const std::string &name = line.names[position];
    auto port = std::find_if(ports.begin(), ports.end(), [&](const Port &port) {
      return port.name == name;
    });
    if (port == ports.end()) {
      if (!options.known.empty() &&
          std::find(options.known.begin(), options.known.end(), name) ==
              options.known.end())
        return fail(Code::BadInput, where,
                    fmt::format("the model has no input '{}'; it has {}", name,
                                fmt::join(options.known, ", ")));
      continue;
    }
    if (port->shape.empty() || port->shape[0] < 1)
      return fail(Code::BadInput, where,
                  fmt::format("'{}' is {} and has no axis of samples", name,
                              typeText(port->dtype, port->shape)));
    uint64_t batch = uint64_t(port->shape[0]);
    SampleContext context{position,          uint32_t(line.names.size()),
                          options.directory, options.held_out,
                          options.part,      where};
    AMPC_ASSIGN(std::unique_ptr<SampleReader> reader,
                openSamples(spec, *port, line.options, context));
    std::optional<uint64_t> count = reader->count();
    if (!stream.columns.empty()) {
      const Column &first = stream.columns.front();
      if (batch != stream.batch)
        return fail(
            Code::BadInput, where,
            fmt::format(
                "'{}' and '{}' are read together but take {} and {} samples",
                first.name, name, stream.batch, batch));
      if (count != stream.count)
        return fail(Code::BadInput, where,
                    fmt::format("samples of '{}' ({}) and '{}' ({}) differ",
                                first.name, *stream.count, name, *count));
    }
    stream.batch = batch;
    stream.count = count;
    if (count && *count < batch)
      return fail(Code::BadInput, where,
                  fmt::format("'{}' has {} samples{}, one batch takes {}", name,
                              *count, partText(context), batch));
    AMPC_ASSIGN(Tensor buffer, Tensor::zeros(port->dtype, port->shape));
    stream.columns.push_back({name, std::move(reader), std::move(buffer)});
  }
  return stream;
}

} // namespace

Expected<std::unique_ptr<DataSource>> open_data(std::span<const DataLine> lines,
                                                std::span<const Port> ports,
                                                const DataOptions &options) {
  if (!(options.held_out >= 0 && options.held_out < 1))
    return fail(
        Code::BadInput, "data",
        fmt::format("validation is {}, expected a share from 0 to below "
                    "1",
                    options.held_out));
  std::vector<Stream> streams;
  std::string text;
  for (const DataLine &line : lines) {
    AMPC_ASSIGN(Stream stream, openLine(line, ports, options));
    if (stream.columns.empty())
      continue;
    for (const Column &column : stream.columns)
      for (const Stream &other : streams)
        for (const Column &earlier : other.columns)
          if (earlier.name == column.name)
            return fail(Code::BadInput, placeOf(line),
                        fmt::format("'{}' has data already", column.name));
    text += (text.empty() ? "" : " ") + lineText(line);
    streams.push_back(std::move(stream));
  }
  for (const Port &port : ports) {
    bool found = false;
    for (const Stream &stream : streams)
      for (const Column &column : stream.columns)
        found |= column.name == port.name;
    if (!found)
      return fail(Code::BadInput, port.where.empty() ? "data" : port.where,
                  fmt::format("no data for input '{}'", port.name));
  }
  // Lines that stand apart but whose first axes are one dim are checked as one
  // stream by counts: files of unequal length side by side are a mistake, not a
  // wish to wrap.
  for (const Stream &first : streams)
    for (const Stream &later : streams)
      if (first.count && later.count && *first.count != *later.count &&
          first.batch == later.batch)
        return fail(Code::BadInput, later.where,
                    fmt::format("samples of '{}' ({}) and '{}' ({}) differ",
                                first.columns[0].name, *first.count,
                                later.columns[0].name, *later.count));
  return std::make_unique<Streams>(std::move(streams), options,
                                   std::move(text));
}

Expected<DataLine> parse_data_line(const std::string &text) {
  DataLine line;
  size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
    return fail(Code::Usage, "--data " + text,
                "expected NAMES=SPEC, as in x,y=normal:1");
  line.spec = text.substr(equals + 1);
  for (size_t begin = 0; begin <= equals;) {
    size_t end = std::min(text.find(',', begin), equals);
    if (end == begin)
      return fail(Code::Usage, "--data " + text, "a name is empty");
    std::string name = text.substr(begin, end - begin);
    if (std::find(line.names.begin(), line.names.end(), name) !=
        line.names.end())
      return fail(Code::Usage, "--data " + text,
                  fmt::format("'{}' is given twice", name));
    line.names.push_back(std::move(name));
    begin = end + 1;
  }
  return line;
}

std::vector<DataLine> replace_lines(std::vector<DataLine> lines,
                                    std::span<const DataLine> instead) {
  for (const DataLine &replacement : instead) {
    auto shares = [&](const DataLine &line) {
      return line.validation == replacement.validation &&
             std::any_of(line.names.begin(), line.names.end(),
                         [&](const std::string &name) {
                           return std::find(replacement.names.begin(),
                                            replacement.names.end(),
                                            name) != replacement.names.end();
                         });
    };
    auto place = std::find_if(lines.begin(), lines.end(), shares);
    size_t at = size_t(place - lines.begin());
    DataLine fresh = replacement;
    if (place != lines.end())
      fresh.options = place->options;
    lines.erase(std::remove_if(lines.begin(), lines.end(), shares),
                lines.end());
    lines.insert(lines.begin() + std::ptrdiff_t(std::min(at, lines.size())),
                 std::move(fresh));
  }
  return lines;
}

} // namespace ampc::rt
