// The activations and the composites of indexing against their decompositions.
#include "test/numerics/decompositions/Composite.h"

using namespace ampc::test;

namespace {

/// `amp.OP %a TAIL` on `x`, both forms.
void checkUnary(const std::string &op, const Written &x, double scale,
                const std::string &tail = "") {
  checkComposite(makeComposite("amp." + op + " %a " + tail + " : " + x.type,
                               {x}, {x.type}),
                 scale);
}

/// The same on values that have one result.
void checkSpecial(const std::string &op, const Written &x,
                  const std::string &tail = "") {
  checkExact(makeComposite("amp." + op + " %a " + tail + " : " + x.type, {x},
                           {x.type}));
}

const std::vector<Shape> kShapes{{}, {7}, {2, 3}, {0}};

TEST(Activation, Rsqrt) {
  Numbers numbers(40);
  for (const char *element : {"f64", "f32", "f16", "bf16"})
    for (const Shape &shape : kShapes)
      checkUnary("rsqrt", drawn(shape, element, numbers, 0.25, 16), 2);
}

TEST(Activation, Smooth) {
  Numbers numbers(41);
  for (const char *element : {"f64", "f32", "f16", "bf16"})
    for (const char *op : {"sigmoid", "silu", "gelu none", "gelu tanh"})
      for (const Shape &shape : kShapes)
        for (double reach : {2.0, 8.0})
          checkUnary(op, drawn(shape, element, numbers, -reach, reach), 8);
}

TEST(Activation, Softplus) {
  Numbers numbers(42);
  for (const char *element : {"f64", "f32", "f16", "bf16"})
    for (const char *tail :
         {"beta 1.0 threshold 20.0", "beta 0.3 threshold 20.0"})
      for (const Shape &shape : kShapes)
        checkUnary("softplus", drawn(shape, element, numbers, -8, 8), 16, tail);
}

TEST(Activation, Clip) {
  Numbers numbers(43);
  for (const char *element : {"f64", "f32", "f16", "bf16"})
    for (const char *tail :
         {"min -1.0 max 0.1", "min 0.3", "max 1.0e10", "min 0.3 max -0.2"})
      for (const Shape &shape : kShapes)
        checkUnary("clip", drawn(shape, element, numbers), 2, tail);
  checkUnary("clip", {"tensor<4xi32>", {-9, -1, 3, 9}}, 2, "min -2.0 max 3.0");
}

TEST(Activation, SpecialValues) {
  for (double special : {0.0, -0.0, kNaN, kInf, -kInf})
    for (const char *element : {"f32", "f16"}) {
      Written x{typeText({}, element), {special}};
      for (const char *op :
           {"rsqrt", "sigmoid", "silu", "gelu none", "gelu tanh"})
        checkSpecial(op, x);
      checkSpecial("softplus", x, "beta 1.0 threshold 20.0");
      checkSpecial("clip", x, "min -1.0 max 1.0");
    }
}

TEST(Graph, Detach) {
  checkSpecial("detach", {"tensor<3xf32>", {-0.0, kNaN, 1}});
}

TEST(Indexing, OneHot) {
  for (const char *element : {"f32", "f16", "i1", "i8", "i64"})
    for (const char *index : {"i32", "i64"})
      for (int64_t classes : {0, 1, 3}) {
        Written rows{typeText({2, 2}, index), {-1, 0, 2, 3}};
        std::string result = typeText({2, 2, classes}, element);
        checkComposite(
            makeComposite("amp.one_hot %a : " + rows.type + " -> " + result,
                          {rows}, {result}),
            1);
      }
}

TEST(Indexing, FirstOutside) {
  for (const char *element : {"i32", "i64"})
    for (const char *bounds : {"low 0 high 3", "low -9 high 3 ignore 5",
                               "low -1 high 6", "low 0 high 2 ignore -1"}) {
      Written index{typeText({2, 3}, element), {0, 1, -1, 5, 2, 3}};
      checkComposite(makeComposite("amp.first_outside %a " +
                                       std::string(bounds) + " : " + index.type,
                                   {index}, {"tensor<i64>", "tensor<i64>"}),
                     1);
    }
}

} // namespace
