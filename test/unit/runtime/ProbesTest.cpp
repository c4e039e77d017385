// What probes tell of a step.
#include "runtime/train/Probes.h"

#include <cmath>

#include "gtest/gtest.h"

namespace ampc::rt::test {
namespace {

Port probe(std::string op, std::string path, std::vector<uint32_t> inputs,
           bool backward = false, bool infinite = false) {
  Port port;
  port.name = "ampc.probe";
  port.kind = PortKind::Probe;
  port.shape = {2};
  port.where = "m.amp:" + std::to_string(inputs.size()) + ":1";
  port.probe = Probe{std::move(op), std::move(path),   DType::F16, {4, 3},
                     backward,      std::move(inputs), infinite};
  return port;
}

std::optional<Finding> find(const std::vector<Port> &ports,
                            std::vector<ProbeReader::Range> ranges) {
  return ProbeReader(ports).first_not_finite(
      [&](size_t i) { return ranges[i]; });
}

TEST(Probes, SayWhatComesFirstAndWhatItIsMadeOf) {
  std::vector<Port> ports = {
      probe("input", "x", {}),
      probe("read", "fc.weight", {}),
      probe("linear", "fc", {0, 1}),
      probe("relu", "relu", {2}),
      probe("mul", "fc", {1, 2}, /*backward=*/true),
      probe("gradient", "fc.weight", {4}, /*backward=*/true)};
  std::vector<ProbeReader::Range> ranges(6, {-1, 2});
  EXPECT_FALSE(find(ports, ranges));
  ranges[5] = {-INFINITY, 1};
  EXPECT_EQ(find(ports, ranges)->text,
            "the gradient of 'fc.weight' gives -inf, f16[4, 3]; made of mul "
            "(fc) of the backward pass in [-1, 2]");
  ranges[4] = {-INFINITY, -INFINITY};
  EXPECT_TRUE(
      find(ports, ranges)
          ->text.starts_with("mul (fc) of the backward pass gives -inf"));
  ranges[3] = {0, INFINITY};
  EXPECT_EQ(find(ports, ranges)->text,
            "relu gives inf, f16[4, 3]; made of linear (fc) in [-1, 2]");
  ranges[2] = {NAN, NAN};
  std::optional<Finding> found = find(ports, ranges);
  EXPECT_EQ(found->text, "linear (fc) gives nan, f16[4, 3]; made of input 'x' "
                         "in [-1, 2], variable 'fc.weight' in [-1, 2]");
  EXPECT_EQ(found->where, "m.amp:2:1");
  ranges[1] = {-INFINITY, 0};
  EXPECT_EQ(find(ports, ranges)->text,
            "variable 'fc.weight' holds -inf, f16[4, 3]");
}

TEST(Probes, InfinitiesOfTheModelAreMeant) {
  std::vector<Port> ports = {probe("select", "where", {}, false, true),
                             probe("softmax", "", {0})};
  EXPECT_FALSE(find(ports, {{-INFINITY, 1}, {0, 1}}));
  EXPECT_EQ(find(ports, {{-INFINITY, -INFINITY}, {NAN, NAN}})->text,
            "softmax gives nan, f16[4, 3]; made of select (where) in [-inf, "
            "-inf]");
  EXPECT_EQ(find(ports, {{NAN, 1}, {0, 1}})->text,
            "select (where) gives nan, f16[4, 3]");
}

TEST(Probes, ValuesAreNoRanges) {
  std::vector<Port> ports = {probe("input", "x", {})};
  ports[0].dtype = DType::F16;
  EXPECT_TRUE(ProbeReader(ports).empty());
  ports = {probe("input", "x", {}), probe("exp", "", {0})};
  ports[1].shape = {4, 3};
  EXPECT_TRUE(ProbeReader(ports).empty());
}

} // namespace
} // namespace ampc::rt::test
