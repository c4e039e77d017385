// Gradients of every differentiable op against finite differences, over
// generated shapes with unit and empty extents, away from kinks.
#include "test/numerics/gradients/FiniteDifference.h"
#include "test/numerics/gradients/Shapes.h"

using namespace ampc::test;

namespace {

TEST(Gradient, BinaryMaps) {
  Numbers numbers(1);
  for (const char *op : {"add", "sub", "mul", "div"})
    for (const Shape &shape : shapes(numbers)) {
      std::string type = typeText(shape, "f64");
      checkGradient("%r = amp." + std::string(op) + " %a, %b : " + type,
                    {signedDrawn(shape, numbers, 0.5, 2),
                     signedDrawn(shape, numbers, 0.5, 2)},
                    type, 2, numbers);
    }
}

TEST(Gradient, OneValueAsBothOperands) {
  Numbers numbers(2);
  for (const char *op : {"add", "sub", "mul", "div"})
    checkGradient("%r = amp." + std::string(op) + " %a, %a : tensor<3xf64>",
                  {signedDrawn({3}, numbers, 0.5, 2)}, "tensor<3xf64>", 1,
                  numbers);
}

TEST(Gradient, MaximumAndMinimumAwayFromTies) {
  Numbers numbers(3);
  for (const char *op : {"maximum", "minimum"})
    for (const Shape &shape : shapes(numbers)) {
      Written a = drawn(shape, numbers, -2, 2), b = a;
      for (double &value : b.values)
        value += (numbers.integer(0, 1) ? 1 : -1) * numbers.between(0.25, 1);
      checkGradient("%r = amp." + std::string(op) + " %a, %b : " + a.type,
                    {a, b}, a.type, 2, numbers);
    }
}

TEST(Gradient, UnaryMaps) {
  Numbers numbers(4);
  for (const Shape &shape : shapes(numbers)) {
    std::string type = typeText(shape, "f64");
    checkGradient("%r = amp.neg %a : " + type, {drawn(shape, numbers, -2, 2)},
                  type, 1, numbers);
    checkGradient("%r = amp.exp %a : " + type, {drawn(shape, numbers, -2, 2)},
                  type, 1, numbers);
    checkGradient("%r = amp.sqrt %a : " + type, {drawn(shape, numbers, 0.5, 4)},
                  type, 1, numbers);
    checkGradient("%r = amp.relu %a : " + type,
                  {signedDrawn(shape, numbers, 0.25, 2)}, type, 1, numbers);
  }
}

TEST(Gradient, Select) {
  Numbers numbers(5);
  for (const Shape &shape : shapes(numbers)) {
    Written condition{typeText(shape, "i1"), {}};
    for (int64_t i = 0; i < count(shape); ++i)
      condition.values.push_back(static_cast<double>(numbers.integer(0, 1)));
    std::string type = typeText(shape, "f64");
    checkGradient(
        "%r = amp.select %a, %b, %c : " + type,
        {condition, drawn(shape, numbers, -2, 2), drawn(shape, numbers, -2, 2)},
        type, 2, numbers);
  }
}

TEST(Gradient, CastF32ToF64) {
  Numbers numbers(6);
  // Operands, steps and upstream gradients are multiples of 2^-10 below 4:
  // exact in f32.
  for (const Shape &shape : shapes(numbers))
    checkGradient("%r = amp.cast %a origin policy : " + typeText(shape, "f32") +
                      " -> " + typeText(shape, "f64"),
                  {drawn(shape, numbers, -2, 2, "f32")}, typeText(shape, "f64"),
                  1, numbers);
}

TEST(Gradient, Reshape) {
  Numbers numbers(7);
  for (const Shape &shape : shapes(numbers)) {
    std::string to = typeText({count(shape), 1}, "f64");
    checkGradient("%r = amp.reshape %a : " + typeText(shape, "f64") + " -> " +
                      to,
                  {drawn(shape, numbers, -2, 2)}, to, 1, numbers);
  }
}

TEST(Gradient, Broadcast) {
  Numbers numbers(8);
  for (int i = 0; i < 60; ++i) {
    // A result shape, a subset of its axes, and some of their extents reduced
    // to 1.
    Shape to, from, axes;
    for (int64_t axis = 0, rank = numbers.integer(0, 4); axis < rank; ++axis) {
      to.push_back(numbers.integer(0, 9) == 0 ? 0 : numbers.integer(1, 3));
      if (numbers.integer(0, 2) == 0)
        continue;
      axes.push_back(axis);
      from.push_back(numbers.integer(0, 1) ? 1 : to.back());
    }
    checkGradient(
        "%r = amp.broadcast %a along [" + list(axes) +
            "] : " + typeText(from, "f64") + " -> " + typeText(to, "f64"),
        {drawn(from, numbers, -2, 2)}, typeText(to, "f64"), 1, numbers);
  }
}

TEST(Gradient, Reduce) {
  Numbers numbers(9);
  for (const char *kind : {"sum", "mean", "max", "min", "prod", "first"})
    for (const Shape &shape : shapes(numbers, 1)) {
      // A nonempty set of axes; max and min need an element along each.
      Shape axes, rest;
      for (size_t axis = 0; axis < shape.size(); ++axis)
        if (numbers.integer(0, 1) || (axis + 1 == shape.size() && axes.empty()))
          axes.push_back(static_cast<int64_t>(axis));
        else
          rest.push_back(shape[axis]);
      bool isEmpty =
          llvm::any_of(axes, [&](int64_t axis) { return shape[axis] == 0; });
      bool isExtreme = kind[1] != 'u' && kind[1] != 'e';
      if (isEmpty && isExtreme)
        continue;
      // Distinct values far apart, in mixed order, so that no step makes a tie.
      Written input{typeText(shape, "f64"), {}};
      for (int64_t i = 0; i < count(shape); ++i)
        input.values.push_back(static_cast<double>(i) * 0.125 - 2);
      for (size_t i = input.values.size(); i > 1; --i)
        std::swap(input.values[i - 1], input.values[numbers.word() % i]);
      bool last = ampc::amp::orderOf(static_cast<int64_t>(shape.size()),
                                     axes) == ampc::amp::AccumulationOrder::row;
      checkGradient("%r = amp.reduce " + std::string(kind) + " %a over [" +
                        list(axes) + "] order " + (last ? "row" : "column") +
                        " accumulate f64 : " + input.type + " -> " +
                        typeText(rest, "f64"),
                    {input}, typeText(rest, "f64"), 1, numbers);
    }
}

TEST(Gradient, MatmulOfEveryTransposeAndBatch) {
  Numbers numbers(10);
  for (int flags = 0; flags < 4; ++flags)
    for (const auto &[batch, m, n, k] :
         std::vector<std::tuple<Shape, int64_t, int64_t, int64_t>>{
             {{}, 2, 3, 4},
             {{}, 1, 1, 1},
             {{}, 3, 2, 0},
             {{}, 0, 2, 3},
             {{2}, 2, 3, 2},
             {{2, 2}, 1, 2, 3},
             {{0}, 2, 2, 2},
             {{1, 3}, 2, 1, 2}}) {
      auto matrix = [&batch = batch](int64_t rows, int64_t columns,
                                     bool transposed) {
        Shape shape(batch);
        shape.append(
            {transposed ? columns : rows, transposed ? rows : columns});
        return shape;
      };
      Written a = drawn(matrix(m, k, flags & 1), numbers, -2, 2);
      Written b = drawn(matrix(k, n, flags & 2), numbers, -2, 2);
      std::string result = typeText(matrix(m, n, false), "f64");
      checkGradient(std::string("%r = amp.matmul %a, %b") +
                        (flags & 1 ? " transpose_a" : "") +
                        (flags & 2 ? " transpose_b" : "") +
                        " accumulate f64 : " + a.type + ", " + b.type + " -> " +
                        result,
                    {a, b}, result, 2, numbers);
    }
}

TEST(Gradient, LinearOfEachRank) {
  Numbers numbers(11);
  for (bool hasBias : {false, true})
    for (const Shape &rows :
         std::vector<Shape>{{}, {1}, {3}, {0}, {2, 2}, {2, 0}})
      for (auto [in, out] :
           {std::pair<int64_t, int64_t>{3, 2}, {1, 1}, {0, 2}}) {
        Shape input(rows), output(rows);
        input.push_back(in);
        output.push_back(out);
        std::vector<Written> operands{drawn(input, numbers, -2, 2),
                                      drawn({out, in}, numbers, -2, 2)};
        if (hasBias)
          operands.push_back(drawn({out}, numbers, -2, 2));
        std::string text = "%r = amp.linear %a, %b", types = operands[0].type;
        for (size_t i = 1; i < operands.size(); ++i)
          types += ", " + operands[i].type;
        checkGradient(
            text + (hasBias ? ", %c" : "") + " accumulate f64 : " + types +
                " -> " + typeText(output, "f64"),
            operands, typeText(output, "f64"), operands.size(), numbers);
      }
}

TEST(Gradient, MseOfEachReduction) {
  Numbers numbers(12);
  for (const char *reduction : {"none", "sum", "mean"})
    for (const Shape &shape : shapes(numbers)) {
      Written x = drawn(shape, numbers, -2, 2),
              y = drawn(shape, numbers, -2, 2);
      std::string result = reduction[0] == 'n' ? x.type : "tensor<f64>";
      if (reduction[0] == 'm' && count(shape) == 0)
        continue; // the mean of no terms is NaN at every operand
      checkGradient("%r = amp.mse " + std::string(reduction) +
                        " %a, %b : " + x.type + " -> " + result,
                    {x, y}, result, 2, numbers);
    }
}

TEST(Gradient, ATwoLayerNetwork) {
  Numbers numbers(13);
  checkGradient(
      R"(
    %h = amp.linear %a, %b, %c accumulate f64 : tensor<3x4xf64>, tensor<5x4xf64>, tensor<5xf64> -> tensor<3x5xf64>
    %e = amp.exp %h : tensor<3x5xf64>
    %y = amp.linear %e, %d accumulate f64 : tensor<3x5xf64>, tensor<4x5xf64> -> tensor<3x4xf64>
    %s = amp.add %y, %a : tensor<3x4xf64>
    %z = amp.constant dense<0.25> : tensor<3x4xf64>
    %r = amp.mse mean %s, %z : tensor<3x4xf64> -> tensor<f64>)",
      {drawn({3, 4}, numbers, -1, 1), drawn({5, 4}, numbers, -0.5, 0.5),
       drawn({5}, numbers, -0.5, 0.5), drawn({4, 5}, numbers, -0.5, 0.5)},
      "tensor<f64>", 4, numbers);
}

} // namespace
