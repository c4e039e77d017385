// Running a model's text in every way; see Compiled.h.
#include "test/train/Compiled.h"

#include <cmath>
#include <cstring>

namespace ampc::test {

static rt::Tensor made(const Fed &fed) {
  rt::Tensor tensor = must(rt::Tensor::zeros(fed.dtype, fed.shape));
  EXPECT_EQ(tensor.count(), fed.values.size()) << fed.name;
  auto fill = [&](auto elements) {
    for (size_t i = 0; i < elements.size() && i < fed.values.size(); ++i)
      elements[i] = static_cast<std::remove_reference_t<decltype(elements[i])>>(
          fed.values[i]);
  };
  switch (fed.dtype) {
  case rt::DType::F32:
    fill(tensor.as<float>());
    break;
  case rt::DType::I32:
    fill(tensor.as<int32_t>());
    break;
  case rt::DType::I64:
    fill(tensor.as<int64_t>());
    break;
  default:
    ADD_FAILURE() << "a test feeds f32, i32 and i64";
  }
  return tensor;
}

const rt::Tensor &Results::tensor(std::string_view name) const {
  for (const rt::NamedTensor &item : tensors)
    if (item.name == name)
      return item.tensor;
  ADD_FAILURE() << "no result " << name;
  return tensors.front().tensor;
}

std::vector<double> Results::values(std::string_view name) const {
  const rt::Tensor &from = tensor(name);
  if (from.dtype() == rt::DType::I64)
    return {from.as<int64_t>().begin(), from.as<int64_t>().end()};
  EXPECT_EQ(from.dtype(), rt::DType::F32) << name;
  return {from.as<float>().begin(), from.as<float>().end()};
}

std::vector<int64_t> Results::shape(std::string_view name) const {
  const rt::Tensor &from = tensor(name);
  return {from.shape().begin(), from.shape().end()};
}

Results runCompiled(const std::string &body, const std::vector<Fed> &fed,
                    const std::string &differentiated,
                    const std::vector<double> &upstream,
                    const std::string &precision) {
  Model model =
      must(Model::parse("model test {\n" + body + "\n}\n", "test.amp"));
  rt::EntryKind entry =
      differentiated.empty() ? rt::EntryKind::Infer : rt::EntryKind::Gradient;
  std::vector<rt::NamedTensor> first;
  for (int level : {2, 1})
    for (int threads : {1, 3}) {
      SCOPED_TRACE("opt level " + std::to_string(level) + ", threads " +
                   std::to_string(threads));
      CompileOptions options;
      options.opt_level = level;
      options.precision = precision;
      options.entries = {differentiated.empty() ? "infer" : "gradient"};
      options.gradient_of = differentiated;
      rt::Session session =
          must(open_session(model, options, {.threads = threads}));
      std::vector<rt::NamedTensor> inputs;
      for (const Fed &one : fed)
        inputs.push_back({one.name, made(one)});
      for (const rt::Port &port : session.inputs(entry))
        if (port.name == "grad." + differentiated)
          inputs.push_back(
              {port.name, made({port.name, port.dtype, port.shape, upstream})});
      rt::Batch batch;
      for (const rt::NamedTensor &input : inputs)
        batch.set(input.name, input.tensor);
      std::vector<rt::NamedTensor> results = must(session.run(entry, batch));
      if (first.empty()) {
        first = std::move(results);
        continue;
      }
      for (size_t i = 0; i < first.size(); ++i)
        EXPECT_TRUE(std::ranges::equal(first[i].tensor.bytes(),
                                       results[i].tensor.bytes()))
            << first[i].name;
    }
  return Results(std::move(first));
}

testing::AssertionResult near(const std::vector<double> &actual,
                              const std::vector<double> &expected,
                              double bound) {
  if (actual.size() != expected.size())
    return testing::AssertionFailure()
           << actual.size() << " numbers, expected " << expected.size();
  for (size_t i = 0; i < actual.size(); ++i) {
    bool same = actual[i] == expected[i] ||
                (std::isnan(actual[i]) && std::isnan(expected[i]));
    if (!same && !(std::fabs(actual[i] - expected[i]) <= bound))
      return testing::AssertionFailure()
             << "element " << i << " is " << testing::PrintToString(actual[i])
             << ", expected " << expected[i] << " within " << bound;
  }
  return testing::AssertionSuccess();
}

} // namespace ampc::test
