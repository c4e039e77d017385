// Windows of several micro-batches.
#include "runtime/train/Windows.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace ampc::rt {

Expected<uint64_t> count_micro_batches(std::span<const Port> ports,
                                       const Batch &batch, uint64_t most) {
  for (const Port &port : ports) {
    const TensorView *view = batch.find(port.name);
    int64_t one = port.shape.empty() ? 1 : port.shape[0];
    if (!view || view->shape.empty() || one == 0)
      continue;
    int64_t count = view->shape[0] / one;
    if (view->shape[0] % one != 0 || count < 1 || uint64_t(count) > most)
      return fail(Code::Usage, "step",
                  fmt::format("'{}' is {}; a window has 1 to {} micro-batches "
                              "of {}",
                              port.name, typeText(view->dtype, view->shape),
                              most, typeText(port.dtype, port.shape)));
    return uint64_t(count);
  }
  return 1;
}

/// Whether `shape` is that of `micro.count` tensors for `port` along the first
/// axis; scalars have none and are given one.
static bool fits(const Port &port, std::span<const int64_t> shape,
                 MicroBatch micro) {
  std::span<const int64_t> one = port.shape;
  if (micro.count == 1 && std::ranges::equal(shape, one))
    return true;
  if (shape.empty() || shape.size() != std::max<size_t>(one.size(), 1))
    return false;
  int64_t first = one.empty() ? 1 : one[0];
  return shape[0] == first * int64_t(micro.count) &&
         (one.empty() || std::ranges::equal(shape.subspan(1), one.subspan(1)));
}

Expected<TensorView> micro_view(const Port &port, const Batch &batch,
                                MicroBatch micro, const char *where) {
  const TensorView *view = batch.find(port.name);
  if (!view)
    return fail(Code::Usage, where,
                fmt::format("the batch has no '{}', expected {}", port.name,
                            typeText(port.dtype, port.shape)));
  size_t bytes = *countOf(port.shape) * sizeOf(port.dtype);
  if (view->dtype != port.dtype || !fits(port, view->shape, micro) ||
      view->bytes.size() != bytes * micro.count)
    return fail(Code::Usage, where,
                fmt::format("'{}' is {} ({} bytes), expected {}{}", port.name,
                            typeText(view->dtype, view->shape),
                            view->bytes.size(),
                            typeText(port.dtype, port.shape),
                            micro.count == 1
                                ? ""
                                : fmt::format(" {} times along the first axis",
                                              micro.count)));
  return TensorView{port.dtype, port.shape,
                    view->bytes.subspan(bytes * micro.index, bytes)};
}

Error in_micro_batch(Error error, MicroBatch micro) {
  if (micro.count > 1 && error.code == Code::BadInput)
    error.message = fmt::format("{} in micro-batch {} of {}", error.message,
                                micro.index + 1, micro.count);
  return error;
}

WindowedData::Span WindowedData::spanOf(uint64_t index) const {
  std::optional<uint64_t> windows = batches();
  if (!windows || *windows == 0)
    return {index * most, most};
  uint64_t epoch = index / *windows, first = index % *windows * most;
  uint64_t inEpoch = *data.batches();
  return {epoch * inEpoch + first, std::min(most, inEpoch - first)};
}

std::optional<uint64_t> WindowedData::batches() const {
  std::optional<uint64_t> inEpoch = data.batches();
  if (!inEpoch || data.flows_on())
    return std::nullopt;
  return (*inEpoch + most - 1) / most;
}

std::string WindowedData::describe() const {
  return most == 1
             ? data.describe()
             : fmt::format("{}, {} batches a step", data.describe(), most);
}

Expected<void> WindowedData::addColumns(const Batch &first) {
  for (const NamedView &item : first.views()) {
    std::vector<int64_t> shape(item.view.shape.begin(), item.view.shape.end());
    if (shape.empty())
      shape.push_back(1);
    shape[0] *= int64_t(most);
    AMPC_ASSIGN(Tensor buffer, Tensor::zeros(item.view.dtype, shape));
    columns.push_back(
        {std::string(item.name), std::move(shape), std::move(buffer)});
  }
  return {};
}

Expected<const Batch *> WindowedData::batch(uint64_t index) {
  if (most == 1)
    return data.batch(index);
  auto [first, count] = spanOf(index);
  for (uint64_t i = 0; i < count; ++i) {
    AMPC_ASSIGN(const Batch *micro, data.batch(first + i));
    if (columns.empty())
      AMPC_TRY(addColumns(*micro));
    for (Column &column : columns) {
      std::span<const std::byte> bytes = micro->find(column.name)->bytes;
      if (!bytes.empty())
        std::memcpy(column.buffer.bytes().data() + i * bytes.size(),
                    bytes.data(), bytes.size());
    }
  }
  for (Column &column : columns) {
    std::span<const int64_t> whole = column.buffer.shape();
    column.shape[0] = whole[0] / int64_t(most) * int64_t(count);
    size_t bytes = column.buffer.bytes().size() / most * count;
    current.set(column.name, TensorView{column.buffer.dtype(), column.shape,
                                        column.buffer.bytes().first(bytes)});
  }
  return &current;
}

} // namespace ampc::rt
