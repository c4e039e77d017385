// 16-bit copies of parameters (docs/numerics.md, N22): they start as their
// source, rounded, follow every write from outside, and stand in no file.
#include "runtime/api/Runtime.h"
#include "runtime/core/Float16.h"
#include "runtime/data/Safetensors.h"
#include "test/unit/runtime/TestPlans.h"

namespace ampc::rt::test {
namespace {

constexpr const char *kCopy = "ampc.copy16/w";

/// The regression with a copy of `w`, which stands before it in the list.
Plan withCopy(fb::DType type) {
  fb::PlanT plan = regression();
  auto copy = std::make_unique<fb::VariableT>();
  copy->name = kCopy;
  copy->type = std::make_unique<fb::TensorTypeT>(*plan.variables[0]->type);
  copy->type->dtype = type;
  copy->role = fb::Role::Copy16;
  copy->copy_of = 1;
  copy->init = std::make_unique<fb::InitT>();
  copy->offset = plan.variable_bytes;
  copy->bytes = 24;
  plan.variable_bytes += 64;
  plan.variables.insert(plan.variables.begin(), std::move(copy));
  return must(Plan::from_bytes(must(writePlan(plan, regressionSections()))));
}

/// What the copy is to hold.
std::vector<uint16_t> rounded(Session &session, DType type) {
  Tensor w = must(session.read("w"));
  std::vector<uint16_t> out;
  for (float value : w.as<float>())
    out.push_back(type == DType::BF16 ? floatToBf16(value) : floatToF16(value));
  return out;
}

std::vector<uint16_t> held(Session &session) {
  Tensor copy = must(session.read(kCopy));
  auto *bits = reinterpret_cast<const uint16_t *>(copy.bytes().data());
  return {bits, bits + copy.bytes().size() / 2};
}

TEST(Copies, StartAsTheirSource) {
  for (DType type : {DType::BF16, DType::F16}) {
    Plan plan = withCopy(fb::DType(type));
    Session session = must(Session::open(plan, {.seed = 3}));
    std::vector<uint16_t> copy = held(session);
    EXPECT_EQ(copy, rounded(session, type));
    EXPECT_NE(copy, std::vector<uint16_t>(12));
    EXPECT_GE(session.memory().planned_peak_bytes,
              must(Session::open(must(Plan::from_bytes(regressionBytes()))))
                      .memory()
                      .planned_peak_bytes +
                  64);
  }
}

TEST(Copies, FollowWritesFromOutside) {
  Session session = must(Session::open(withCopy(fb::DType::BF16)));
  Tensor w = must(session.read("w"));
  for (float &value : w.as<float>())
    value += 1 + 0x1p-9f;
  must(session.write("w", w.view()));
  EXPECT_EQ(held(session), rounded(session, DType::BF16));
  EXPECT_EQ(
      session.write(kCopy, must(session.read(kCopy)).view()).error().message,
      "the variable is the 16-bit copy of 'w' and follows it; write that");
}

TEST(Copies, StandInNoFileAndFollowLoads) {
  Plan plan = withCopy(fb::DType::BF16);
  Session session = must(Session::open(plan, {.seed = 3}));
  std::string path = temporary("copies.safetensors");
  must(session.save(path));
  EXPECT_EQ(must(Safetensors::open(path)).find(kCopy), nullptr);

  Session resumed = must(Session::open(plan, {.seed = 4}));
  EXPECT_NE(held(resumed), held(session));
  must(resumed.load(path));
  EXPECT_EQ(held(resumed), held(session));

  Session weights = must(Session::open(plan, {.seed = 5}));
  must(weights.load_weights(path, /*partial=*/false));
  EXPECT_EQ(held(weights), held(session));

  // Files go both ways between plans with and without copies.
  Session plain =
      must(Session::open(must(Plan::from_bytes(regressionBytes()))));
  must(plain.load(path));
  must(plain.save(temporary("plain.safetensors")));
  must(resumed.load(temporary("plain.safetensors")));
  EXPECT_EQ(held(resumed), held(session));
}

TEST(Copies, OfAnythingElseAreRefused) {
  struct {
    const char *message;
    void (*change)(fb::PlanT &plan);
  } cases[] = {
      {"variable 'w' has role Parameter, only a Copy16 is a copy",
       [](fb::PlanT &p) { p.variables[0]->copy_of = 1; }},
      {"variable 'ampc.state/update' is a copy of variable 9 of 4",
       [](fb::PlanT &p) { p.variables[2]->copy_of = 9; }},
      {"variable 'ampc.state/update' is a copy of variable -1 of 4",
       [](fb::PlanT &p) { p.variables[2]->copy_of = -1; }},
      {"'ampc.state/update' is bf16[4, 3] and a copy of 'w', which is f32[3, 4]"
       " of role Parameter",
       [](fb::PlanT &p) {
         p.variables[2]->type->shape = {4, 3};
       }},
      {"is i8[3, 4] and a copy of 'w'",
       [](fb::PlanT &p) { p.variables[2]->type->dtype = fb::DType::I8; }},
      {"which is f32[3, 4] of role Moment; expected bf16 or f16 and an f32 "
       "parameter of the same shape",
       [](fb::PlanT &p) { p.variables[0]->role = fb::Role::Moment; }},
      {"which is bf16[3, 4] of role Parameter",
       [](fb::PlanT &p) { p.variables[0]->type->dtype = fb::DType::BF16; }},
  };
  for (const auto &item : cases) {
    fb::PlanT plan = regression();
    fb::VariableT &copy = *plan.variables[2];
    copy.role = fb::Role::Copy16;
    copy.copy_of = 0;
    copy.type->dtype = fb::DType::BF16;
    copy.type->shape = {3, 4};
    copy.bytes = 24;
    item.change(plan);
    Error error = errorOf(writePlan(plan, regressionSections()));
    EXPECT_EQ(error.code, Code::BadInput);
    EXPECT_NE(error.message.find(item.message), std::string::npos)
        << error.message;
  }
}

} // namespace
} // namespace ampc::rt::test
