// Packing; see PackPanel.h.
#include "codegen/kernel/PackPanel.h"

#include "codegen/kernel/PrimitiveEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ampc;

static Value loadVector(IndexMath &at, Type element, Value memory, Value index,
                        int64_t lanes) {
  auto type = VectorType::get({lanes}, storageTypeFor(element));
  Value stored =
      vector::LoadOp::create(at.builder, at.loc, type, memory, index);
  return fromStorage(at.builder, at.loc, stored, element);
}

/// `count` elements, zeros behind them.
static Value loadPart(IndexMath &at, Type element, Value memory, Value index,
                      int64_t count, int64_t lanes) {
  if (count == lanes)
    return loadVector(at, element, memory, index, lanes);
  Value part = loadVector(at, element, memory, index, count);
  auto narrow = cast<VectorType>(part.getType());
  Value zeros = arith::ConstantOp::create(at.builder, at.loc,
                                          at.builder.getZeroAttr(narrow));
  SmallVector<int64_t> chosen;
  for (int64_t lane = 0; lane < lanes; ++lane)
    chosen.push_back(lane < count ? lane : count);
  return vector::ShuffleOp::create(at.builder, at.loc, part, zeros, chosen);
}

static Value rowOf(IndexMath &at, const Panel &panel, Value row) {
  return at.add(panel.base, at.times(row, panel.pitch));
}

void ampc::copyRows(IndexMath &at, Type element, const Panel &from,
                    const Panel &to, Value rows, Value width, int64_t lanes) {
  at.loop(rows, [&](Value row) {
    Value source = rowOf(at, from, row), target = rowOf(at, to, row);
    Value vectors = at.divide(width, lanes);
    at.loop(vectors, [&](Value i) {
      Value offset = at.times(i, lanes);
      Value loaded =
          loadVector(at, element, from.memory, at.add(source, offset), lanes);
      vector::StoreOp::create(at.builder, at.loc, loaded, to.memory,
                              at.add(target, offset));
    });
    Value done = at.times(vectors, lanes);
    at.loop(at.subtract(width, done), [&](Value i) {
      Value offset = at.add(done, i);
      Value loaded = memref::LoadOp::create(at.builder, at.loc, from.memory,
                                            at.add(source, offset));
      memref::StoreOp::create(at.builder, at.loc,
                              fromStorage(at.builder, at.loc, loaded, element),
                              to.memory, at.add(target, offset));
    });
  });
}

void ampc::copyRowsPadded(IndexMath &at, Type element, const Panel &from,
                          const Panel &to, Value rows, int64_t width,
                          int64_t lanes) {
  at.loop(rows, [&](Value row) {
    Value source = rowOf(at, from, row), target = rowOf(at, to, row);
    for (int64_t i = 0; i < width; i += lanes) {
      Value loaded = loadPart(at, element, from.memory, at.add(source, i),
                              std::min(lanes, width - i), lanes);
      vector::StoreOp::create(at.builder, at.loc, loaded, to.memory,
                              at.add(target, i));
    }
  });
}

/// Halves are exchanged between rows that are half as far apart in each step.
void ampc::transposeSquare(IndexMath &at, SmallVectorImpl<Value> &rows) {
  int64_t lanes = rows.size();
  for (int64_t far = lanes / 2; far > 0; far /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      low.push_back(lane & far ? lanes + lane - far : lane);
      high.push_back(lane & far ? lanes + lane : lane + far);
    }
    for (int64_t i = 0; i < lanes; ++i)
      if (!(i & far)) {
        Value a = rows[i], b = rows[i + far];
        rows[i] = vector::ShuffleOp::create(at.builder, at.loc, a, b, low);
        rows[i + far] =
            vector::ShuffleOp::create(at.builder, at.loc, a, b, high);
      }
  }
}

void ampc::copyTransposed(IndexMath &at, Type element, const Panel &from,
                          const Panel &to, Value length, int64_t width,
                          int64_t lanes, int64_t shortest) {
  int64_t count = std::min(lanes, shortest);
  // `height` rows of `from`, `count` elements from `start` on.
  auto square = [&](Value column, Value start, int64_t height) {
    Value source =
        at.add(at.add(from.base, at.times(column, from.pitch)), start);
    SmallVector<Value> rows;
    for (int64_t i = 0; i < lanes; ++i)
      rows.push_back(i < height ? loadPart(at, element, from.memory,
                                           at.add(source, i * from.pitch),
                                           count, lanes)
                                : rows.back());
    transposeSquare(at, rows);
    Value target = at.add(rowOf(at, to, start), column);
    for (int64_t i = 0; i < count; ++i)
      vector::StoreOp::create(at.builder, at.loc, rows[i], to.memory,
                              at.add(target, i * to.pitch));
  };
  auto strip = [&](Value column, int64_t height) {
    Value squares = at.divide(at.add(length, count - 1), count);
    at.loop(squares, [&](Value i) {
      square(column,
             at.smaller(at.times(i, count),
                        at.subtract(length, at.constant(count))),
             height);
    });
  };
  int64_t whole = width / lanes;
  if (whole > 0)
    at.loop(at.constant(whole),
            [&](Value i) { strip(at.times(i, lanes), lanes); });
  if (width % lanes)
    strip(at.constant(whole * lanes), width % lanes);
}
