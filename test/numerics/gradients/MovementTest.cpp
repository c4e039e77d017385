// Gradients of movement and lookups against finite differences over generated
// shapes. Case G05.
#include "test/numerics/gradients/FiniteDifference.h"
#include "test/numerics/gradients/Shapes.h"

using namespace ampc::test;

namespace {

int64_t axisOf(const Shape &shape, Numbers &numbers) {
  return numbers.integer(0, static_cast<int64_t>(shape.size()) - 1);
}

TEST(MovementGradient, Transpose) {
  Numbers numbers(30);
  for (const Shape &shape : shapes(numbers)) {
    Shape perm, result;
    for (size_t axis = 0; axis < shape.size(); ++axis)
      perm.push_back(static_cast<int64_t>(axis));
    for (size_t i = perm.size(); i > 1; --i)
      std::swap(perm[i - 1], perm[numbers.word() % i]);
    for (int64_t axis : perm)
      result.push_back(shape[axis]);
    Written x = drawn(shape, numbers, -2, 2);
    checkGradient("%r = amp.transpose %a perm [" + list(perm) +
                      "] : " + x.type + " -> " + typeText(result, "f64"),
                  {x}, typeText(result, "f64"), 1, numbers);
  }
}

TEST(MovementGradient, SliceOfEachStep) {
  Numbers numbers(31);
  for (const Shape &shape : shapes(numbers))
    for (int64_t largest : {1, 3}) {
      Shape starts, steps, sizes;
      for (int64_t extent : shape) {
        int64_t start = numbers.integer(0, extent);
        int64_t step = numbers.integer(1, largest);
        starts.push_back(start);
        steps.push_back(step);
        sizes.push_back(numbers.integer(0, (extent - start + step - 1) / step));
      }
      Written x = drawn(shape, numbers, -2, 2);
      std::string result = typeText(sizes, "f64");
      checkGradient("%r = amp.slice %a starts [" + list(starts) + "] steps [" +
                        list(steps) + "] : " + x.type + " -> " + result,
                    {x}, result, 1, numbers);
    }
}

TEST(MovementGradient, ConcatOfOneToThree) {
  Numbers numbers(32);
  for (const Shape &shape : shapes(numbers, 1))
    for (int64_t inputs : {1, 2, 3}) {
      int64_t axis = axisOf(shape, numbers);
      std::vector<Written> operands;
      std::string names, types;
      Shape result(shape);
      result[axis] = 0;
      for (int64_t i = 0; i < inputs; ++i) {
        Shape own(shape);
        own[axis] = numbers.integer(0, 3);
        result[axis] += own[axis];
        operands.push_back(drawn(own, numbers, -2, 2));
        names += std::string(i ? ", %" : "%") + static_cast<char>('a' + i);
        types += (i ? ", " : "") + operands.back().type;
      }
      checkGradient(
          "%r = amp.concat " + names + " axis " + std::to_string(axis) + " : " +
              types + " -> " + typeText(result, "f64"),
          operands, typeText(result, "f64"), operands.size(), numbers);
    }
}

TEST(MovementGradient, ConcatOfOneValueTwice) {
  Numbers numbers(33);
  checkGradient("%r = amp.concat %a, %a axis 0 : tensor<2xf64>, tensor<2xf64> "
                "-> tensor<4xf64>",
                {drawn({2}, numbers, -2, 2)}, "tensor<4xf64>", 1, numbers);
}

TEST(MovementGradient, PadWithAndWithoutInterior) {
  Numbers numbers(34);
  for (const Shape &shape : shapes(numbers))
    for (int64_t most : {0, 2}) {
      Shape low, high, interior, result;
      for (int64_t extent : shape) {
        low.push_back(numbers.integer(0, 2));
        high.push_back(numbers.integer(0, 2));
        interior.push_back(numbers.integer(0, most));
        result.push_back(low.back() + high.back() + extent +
                         std::max<int64_t>(extent - 1, 0) * interior.back());
      }
      Written x = drawn(shape, numbers, -2, 2);
      checkGradient("%r = amp.pad %a low [" + list(low) + "] high [" +
                        list(high) + "] interior [" + list(interior) +
                        "] value 1.5 : " + x.type + " -> " +
                        typeText(result, "f64"),
                    {x}, typeText(result, "f64"), 1, numbers);
    }
}

TEST(IndexGradient, TakeAndItsTranspose) {
  Numbers numbers(35);
  for (const Shape &shape : shapes(numbers, 1))
    for (const Shape &chosen : std::vector<Shape>{{}, {3}, {0}, {2, 2}}) {
      int64_t axis = axisOf(shape, numbers);
      if (shape[axis] == 0 && count(chosen) > 0)
        continue; // no index is right
      Written index = indices(chosen, numbers, shape[axis]);
      Shape result(llvm::ArrayRef(shape).take_front(axis));
      result.append(chosen);
      result.append(shape.begin() + axis + 1, shape.end());
      std::string at = " axis " + std::to_string(axis) + " : ";
      Written x = drawn(shape, numbers, -2, 2),
              g = drawn(result, numbers, -2, 2);
      checkGradient("%r = amp.take %a, %b" + at + x.type + ", " + index.type +
                        " -> " + g.type,
                    {x, index}, g.type, 1, numbers);
      checkGradient("%r = amp.scatter_rows %a, %b" + at + index.type + ", " +
                        g.type + " -> " + x.type,
                    {index, g}, x.type, 1, numbers);
    }
}

TEST(IndexGradient, PaddingOfTheTranspose) {
  Numbers numbers(36);
  checkGradient(
      "%r = amp.scatter_rows %a, %b axis 0 padding_idx 1 : "
      "tensor<2x2xi32>, tensor<2x2x3xf64> -> tensor<2x3xf64>",
      {{"tensor<2x2xi32>", {1, 0, 1, 1}}, drawn({2, 2, 3}, numbers, -2, 2)},
      "tensor<2x3xf64>", 1, numbers);
}

TEST(IndexGradient, GatherAndItsTranspose) {
  Numbers numbers(37);
  for (const Shape &shape : shapes(numbers, 1))
    for (int64_t picks : {0, 1, 4}) {
      int64_t axis = axisOf(shape, numbers);
      Shape chosen(shape);
      chosen[axis] = picks;
      if (shape[axis] == 0 && count(chosen) > 0)
        continue; // no index is right
      Written index = indices(chosen, numbers, shape[axis]);
      std::string at = " axis " + std::to_string(axis) + " : ";
      Written x = drawn(shape, numbers, -2, 2),
              g = drawn(chosen, numbers, -2, 2);
      checkGradient("%r = amp.gather %a, %b" + at + x.type + ", " + index.type +
                        " -> " + g.type,
                    {x, index}, g.type, 1, numbers);
      checkGradient("%r = amp.scatter_add %a, %b" + at + index.type + ", " +
                        g.type + " -> " + x.type,
                    {index, g}, x.type, 1, numbers);
    }
}

// G05: the padding row of an embedding gets exactly nothing.
TEST(Cases, G05PaddingRowGetsNoGradient) {
  for (size_t zeros : {2, 1000}) {
    std::vector<double> index(zeros, 0.0);
    index.insert(index.end(), {1, 1, 2});
    std::string rows = std::to_string(index.size());
    std::string result = "tensor<" + rows + "x1xf32>";
    std::vector<std::vector<double>> gradients = gradientsOf(
        "%r = amp.take %a, %b axis 0 padding_idx 0 : tensor<5x1xf32>, tensor<" +
            rows + "xi64> -> " + result,
        {{"tensor<5x1xf32>", {1, 2, 3, 4, 5}},
         {"tensor<" + rows + "xi64>", index}},
        result, std::vector<double>(index.size(), 1.0));
    ASSERT_EQ(gradients.size(), 1u);
    EXPECT_TRUE(same(gradients[0], {0, 2, 1, 0, 0}));
  }
}

} // namespace
