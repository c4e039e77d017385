// Shapes, operands and texts of generated gradient cases; see Shapes.h.
#include "test/numerics/gradients/Shapes.h"

namespace ampc::test {

std::vector<Shape> shapes(Numbers &numbers, int64_t minRank) {
  std::vector<Shape> list;
  for (const Shape &shape : std::vector<Shape>{{},
                                               {1},
                                               {5},
                                               {0},
                                               {2, 3},
                                               {1, 4},
                                               {3, 1},
                                               {2, 0},
                                               {2, 1, 3},
                                               {1, 1, 1},
                                               {2, 0, 3}})
    if (static_cast<int64_t>(shape.size()) >= minRank)
      list.push_back(shape);
  for (int i = 0; i < 12; ++i) {
    Shape shape;
    for (int64_t axis = 0,
                 rank = numbers.integer(std::max<int64_t>(minRank, 1), 4);
         axis < rank; ++axis)
      shape.push_back(numbers.integer(0, 8) == 0 ? 0 : numbers.integer(1, 3));
    list.push_back(shape);
  }
  return list;
}

int64_t count(const Shape &shape) {
  int64_t product = 1;
  for (int64_t extent : shape)
    product *= extent;
  return product;
}

Written drawn(const Shape &shape, Numbers &numbers, double low, double high,
              const char *element) {
  Written written{typeText(shape, element), {}};
  for (int64_t i = 0; i < count(shape); ++i)
    written.values.push_back(numbers.between(low, high));
  return written;
}

Written signedDrawn(const Shape &shape, Numbers &numbers, double low,
                    double high) {
  Written written = drawn(shape, numbers, low, high);
  for (double &value : written.values)
    value = numbers.integer(0, 1) ? value : -value;
  return written;
}

std::string list(llvm::ArrayRef<int64_t> values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}

Written indices(const Shape &shape, Numbers &numbers, int64_t extent) {
  Written written{typeText(shape, numbers.integer(0, 1) ? "i32" : "i64"), {}};
  for (int64_t i = 0; i < count(shape); ++i)
    written.values.push_back(
        static_cast<double>(numbers.integer(0, extent - 1)));
  return written;
}

} // namespace ampc::test
