// Plan files: round trip, damage of every kind, and plans that are well formed
// but mean nonsense.
#include "runtime/api/Runtime.h"
#include "runtime/core/Philox.h"
#include "runtime/device/cpu/KernelObject.h"
#include "test/unit/runtime/TestPlans.h"

#include <cstring>
#include <fmt/format.h>
#include <functional>

namespace ampc::rt::test {
namespace {

TEST(PlanFile, RoundTrip) {
  PlanSections sections = regressionSections();
  sections.cudaText = "// text";
  sections.tuning = {1, 2, 3};
  std::string path = temporary("round.ampx");
  must(writePlanFile(path, regression(), sections, false));
  EXPECT_EQ(errorOf(writePlanFile(path, regression(), sections, false)).code,
            Code::Usage);
  must(writePlanFile(path, regression(), sections, true));
  PlanFile file = must(PlanFile::load(path));
  EXPECT_EQ(file.plan().model_name()->str(), "regression");
  EXPECT_EQ(file.section(SectionKind::Object).size(), sections.object.size());
  EXPECT_EQ(file.section(SectionKind::Tuning).size(), 3u);
  EXPECT_TRUE(file.section(SectionKind::Constants).empty());
  for (SectionKind kind :
       {SectionKind::Metadata, SectionKind::Object, SectionKind::CudaText})
    EXPECT_EQ(reinterpret_cast<uintptr_t>(file.section(kind).data()) % 64, 0u);
  EXPECT_EQ(contents(path), must(writePlan(regression(), sections)))
      << "the bytes repeat";

  Plan plan = must(Plan::load(path));
  EXPECT_EQ(plan.inputs(EntryKind::TrainStep).size(), 2u);
  EXPECT_EQ(plan.outputs(EntryKind::EvalStep)[0].kind, PortKind::Partial);
  EXPECT_EQ(plan.train_defaults().steps, 20u);
  EXPECT_EQ(plan.data_lines()[0].spec, "normal:3");
}

Error loadError(std::span<const uint8_t> bytes) {
  return errorOf(PlanFile::fromBytes(bytes, "p.ampx"));
}

TEST(PlanFile, TruncationAnywhereIsAnError) {
  std::vector<uint8_t> bytes = regressionBytes();
  auto cut = [&](size_t size) {
    Error error = loadError(std::span(bytes).first(size));
    EXPECT_EQ(error.code, Code::BadInput);
    EXPECT_EQ(error.where, "p.ampx");
  };
  for (size_t size = 0; size < 512; ++size)
    cut(size);
  for (size_t size = 512; size < bytes.size(); size += 61)
    cut(size);
  cut(bytes.size() - 1);
  EXPECT_NE(loadError(std::span(bytes).first(100))
                .message.find("truncated plan: expected"),
            std::string::npos);
  bytes.push_back(0);
  EXPECT_NE(loadError(bytes).message.find("damaged plan: expected"),
            std::string::npos);
}

TEST(PlanFile, EveryFlippedBitIsSeen) {
  std::vector<uint8_t> bytes = regressionBytes();
  auto flip = [&](size_t bit) {
    bytes[bit / 8] ^= uint8_t(1 << bit % 8);
    EXPECT_EQ(loadError(bytes).code, Code::BadInput) << "bit " << bit;
    bytes[bit / 8] ^= uint8_t(1 << bit % 8);
  };
  for (size_t bit = 0; bit < 256 * 8; ++bit) // header, table, padding
    flip(bit);
  for (uint32_t i = 0; i < 3000; ++i)
    flip(size_t(philox({i, 0, 0, 0}, 11)[0]) % (bytes.size() * 8));
  must(PlanFile::fromBytes(bytes));
}

TEST(PlanFile, NamesWhatIsWrong) {
  std::vector<uint8_t> bytes = regressionBytes();
  std::vector<uint8_t> other = bytes;
  other[8] = kFormatVersion + 1;
  EXPECT_EQ(loadError(other).message,
            fmt::format("plan of format version {}, this runtime reads version "
                        "{}; compile the model again",
                        kFormatVersion + 1, kFormatVersion));
  EXPECT_EQ(loadError(std::vector<uint8_t>(200, 'x')).message,
            "not a plan file: the first bytes are not those of a plan");
  other = bytes;
  other[other.size() - 5] ^= 1;
  EXPECT_NE(loadError(other).message.find("damaged plan: section 1 hashes to"),
            std::string::npos);
  EXPECT_EQ(errorOf(Plan::load(temporary("absent.ampx"))).code, Code::BadInput);
  EXPECT_EQ(errorOf(Plan::load("/")).message, "expected a regular file");
}

TEST(PlanFile, CudaKernelsHaveSourceAndBlocks) {
  fb::PlanT plan = regression();
  plan.target_kind = "cuda";
  PlanSections sections;
  sections.cudaText = std::string(100, ' ');
  for (auto &kernel : plan.kernels) {
    kernel->text_offset = 40;
    kernel->text_bytes = 60;
    kernel->block_threads = 256;
  }
  must(writePlan(plan, sections));
  plan.kernels[0]->text_bytes = 61;
  EXPECT_EQ(errorOf(writePlan(plan, sections)).message,
            "kernel 'difference': its source (bytes 40 + 61) leaves the text "
            "section of 100 bytes");
  plan.kernels[0]->text_bytes = 60;
  plan.kernels[0]->block_threads = 250;
  EXPECT_EQ(errorOf(writePlan(plan, sections)).message,
            "kernel 'difference': blocks of 250 threads, expected a multiple "
            "of 32 up to 1024");
  plan.kernels[0]->block_threads = 256;
  plan.kernels[0]->shared_bytes = 1 << 20;
  EXPECT_EQ(errorOf(writePlan(plan, sections)).message,
            "kernel 'difference': 1048576 bytes of shared memory, at most "
            "49152");
}

/// Random damage to the metadata with the hashes made right again: the
/// structure and meaning checks alone must hold, and whatever passes must be
/// safe to open.
TEST(PlanFile, DamagedMetadataNeverCrashes) {
  flatbuffers::FlatBufferBuilder builder;
  fb::PlanT source = regression();
  builder.Finish(fb::Plan::Pack(builder, &source));
  std::vector<uint8_t> good(builder.GetBufferPointer(),
                            builder.GetBufferPointer() + builder.GetSize());
  int refused = 0, passed = 0;
  for (uint32_t i = 0; i < 4000; ++i) {
    std::vector<uint8_t> bytes = good;
    PhiloxWords words = philox({i, 1, 0, 0}, 12);
    for (int flips = 0; flips < 1 + int(words[3] % 3); ++flips)
      bytes[words[flips % 3] % bytes.size()] =
          uint8_t(words[(flips + 1) % 3] >> 8);
    flatbuffers::Verifier verifier(bytes.data(), bytes.size());
    bool sound = fb::VerifyPlanBuffer(verifier) &&
                 verifyPlan(*fb::GetPlan(bytes.data()), {}, "p").has_value();
    (sound ? passed : refused)++;
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(passed, 100) << "names and numbers may change";
}

struct Nonsense {
  const char *expected;
  std::function<void(fb::PlanT &)> change;
};

/// A check of every element of target `t`, made i32; it is in order.
fb::IndexCheckT &addCheck(fb::PlanT &plan) {
  fb::PortT &port = *plan.entries[0]->inputs[1];
  port.type->dtype = fb::DType::I32;
  auto check = std::make_unique<fb::IndexCheckT>();
  check->high = 10;
  check->extents = {8, 3};
  check->strides = {3, 1};
  check->noun = "label";
  check->op = "nll";
  port.checks.push_back(std::move(check));
  return *port.checks.back();
}

/// A fault with that check; it is in order.
fb::PortT &addFault(fb::PlanT &plan) {
  addCheck(plan);
  auto port = std::make_unique<fb::PortT>();
  port->name = "ampc.fault";
  port->kind = fb::IoKind::Fault;
  port->type = std::make_unique<fb::TensorTypeT>();
  port->type->dtype = fb::DType::I64;
  port->type->shape = {3};
  port->bytes = 24;
  port->checks = std::move(plan.entries[0]->inputs[1]->checks);
  plan.entries[0]->outputs.push_back(std::move(port));
  return *plan.entries[0]->outputs.back();
}

/// A probe of a value; it is in order.
fb::PortT &addProbe(fb::PlanT &plan, uint32_t input) {
  auto port = std::make_unique<fb::PortT>();
  port->name = fmt::format("ampc.probe.{}", plan.entries[0]->outputs.size());
  port->kind = fb::IoKind::Probe;
  port->type = std::make_unique<fb::TensorTypeT>();
  port->type->dtype = fb::DType::F32;
  port->type->shape = {2};
  port->bytes = 8;
  port->probe = std::make_unique<fb::ProbeT>();
  port->probe->op = "exp";
  port->probe->type = std::make_unique<fb::TensorTypeT>(*port->type);
  port->probe->inputs.push_back(input);
  plan.entries[0]->outputs.push_back(std::move(port));
  return *plan.entries[0]->outputs.back();
}

fb::ContractionT &firstContraction(fb::PlanT &plan) {
  return *plan.entries[0]->instructions[0]->op.AsContraction();
}
/// Slices in the arena beside those of `firstLoop`.
fb::SlicesT &addSlices(fb::ForeachT &loop, uint64_t offset, uint64_t bytes) {
  auto slices = std::make_unique<fb::SlicesT>();
  slices->first = std::make_unique<fb::Place>(fb::Space::Arena, 0, offset);
  slices->bytes = bytes;
  loop.slices.push_back(std::move(slices));
  return *loop.slices.back();
}

TEST(PlanFile, LoopsOverSlicesAreRead) {
  fb::PlanT plan = regression();
  fb::ForeachT &loop = firstLoop(plan);
  // Beside what is written, and twice the same: nobody writes there.
  addSlices(loop, 0, 128);
  addSlices(loop, 0, 128);
  addSlices(loop, 224, 96);
  must(writePlan(plan, regressionSections()));
}

TEST(PlanFile, LoopsRunOnTheCpuAlone) {
  fb::PlanT plan = regression();
  firstLoop(plan);
  plan.target_kind = "cuda";
  PlanSections sections;
  sections.cudaText = std::string(100, ' ');
  for (auto &kernel : plan.kernels) {
    kernel->text_bytes = 100;
    kernel->block_threads = 32;
  }
  EXPECT_EQ(errorOf(writePlan(plan, sections)).message,
            "entry 'train_step', instruction 1: a loop over slices runs on the "
            "CPU alone");
}

TEST(PlanFile, MeaningIsVerified) {
  const Nonsense cases[] = {
      {"variables 'w' and 'ampc.state/iteration' overlap at byte 0",
       [](auto &p) { p.variables[1]->offset = 0; }},
      {"leaves the variable block of 256 bytes",
       [](auto &p) { p.variables[3]->offset = 256; }},
      {"expected a multiple of 64",
       [](auto &p) { p.variables[3]->offset = 200; }},
      {"variable 'w' has 40 bytes, its type needs 48",
       [](auto &p) { p.variables[0]->bytes = 40; }},
      {"variable 'w' occurs twice",
       [](auto &p) { p.variables[1]->name = "w"; }},
      {"variable 'ampc.state/iteration': its alias 'w' is a name already",
       [](auto &p) { p.variables[1]->aliases = {"w"}; }},
      {"the extents of f32[-3, 4] are negative",
       [](auto &p) {
         p.variables[0]->type->shape = {-3, 4};
       }},
      {"their product is over 2^48",
       [](auto &p) {
         p.variables[0]->type->shape = {int64_t(1) << 40, int64_t(1) << 40};
       }},
      {"a random initialiser needs a float type",
       [](auto &p) { p.variables[1]->init->kind = fb::InitKind::Normal; }},
      {"initial data (bytes 0 + 48) leaves the constants of 0 bytes",
       [](auto &p) { p.variables[0]->init->kind = fb::InitKind::Data; }},
      {"the metadata names 64 constant bytes, the section has 0",
       [](auto &p) { p.constant_bytes = 64; }},
      {"entry 'train_step' occurs twice",
       [](auto &p) { p.entries[1]->name = "train_step"; }},
      {"entry 'other', expected one of train_step",
       [](auto &p) { p.entries[1]->name = "other"; }},
      {"the plan has no entry", [](auto &p) { p.entries.clear(); }},
      {"instruction 1: argument 2 writes 'ampc.state/update'; micro_step "
       "writes accumulators",
       [](auto &p) { // from within an accumulator on
         p.entries[0]->name = "micro_step";
         p.variables[1]->role = fb::Role::Accumulator;
         firstLaunch(p).args[2] = {fb::Space::Variable, 0, 64};
       }},
      {"instruction 1: slices 0 writes 'ampc.state/update'; micro_step writes "
       "accumulators",
       [](auto &p) { // behind the first slice
         p.entries[0]->name = "micro_step";
         p.variables[1]->role = fb::Role::Accumulator;
         p.kernels[0]->arg_bytes[2] = 48;
         fb::ForeachT &loop = firstLoop(p);
         loop.count = loop.slices[0]->count = 2;
         loop.slices[0]->bytes = 48;
         *loop.slices[0]->first = {fb::Space::Variable, 0, 64};
       }},
      {"window, micro_step and apply_step stand together, in the place of "
       "train_step",
       [](auto &p) { p.entries[1]->name = "micro_step"; }},
      {"entry 'micro_step', instruction 4: argument 1 writes 'w'; micro_step "
       "writes accumulators and 'ampc.state/micro' alone",
       [](auto &p) { p.entries[0]->name = "micro_step"; }},
      {"windows of 0 micro-batches, expected 1 to 65536",
       [](auto &p) { p.train->accumulate = 0; }},
      {"input 't' occurs twice",
       [](auto &p) { p.entries[0]->inputs[0]->name = "t"; }},
      {"input 'x' has 64 bytes, its type needs 128",
       [](auto &p) { p.entries[0]->inputs[0]->bytes = 64; }},
      {"input 'x' is of kind 3",
       [](auto &p) { p.entries[0]->inputs[0]->kind = fb::IoKind::Loss; }},
      {"a check needs integers, the input is f32",
       [](auto &p) {
         addCheck(p);
         p.entries[0]->inputs[1]->type->dtype = fb::DType::F32;
       }},
      {"a check leaves the input's 24 elements",
       [](auto &p) { addCheck(p).offset = 1; }},
      {"a check leaves the input's 24 elements",
       [](auto &p) {
         addCheck(p).strides = {UINT64_MAX, 1};
       }},
      {"a check leaves the input's 24 elements",
       [](auto &p) { addCheck(p).extents[0] = 0; }},
      {"a check of 2 extents and 1 strides, at most 16 of each",
       [](auto &p) { addCheck(p).strides.pop_back(); }},
      {"input 't': source location 5 of 0",
       [](auto &p) { addCheck(p).source = 5; }},
      {"output 'loss' is checked; only inputs and the fault are",
       [](auto &p) {
         addCheck(p);
         p.entries[0]->outputs[0]->checks =
             std::move(p.entries[0]->inputs[1]->checks);
       }},
      {"output 'ampc.fault': a fault is i64[3]",
       [](auto &p) { addFault(p).type->shape = {2}; }},
      {"output 'ampc.fault': a fault is the last output",
       [](auto &p) {
         addFault(p);
         std::swap(p.entries[0]->outputs.front(), p.entries[0]->outputs.back());
       }},
      {"output 'ampc.fault': a check of no elements",
       [](auto &p) { addFault(p).checks[0]->extents[1] = 0; }},
      {"output 'ampc.fault': source location 5 of 0",
       [](auto &p) { addFault(p).checks[0]->source = 5; }},
      {"output 'ampc.probe.1' does not say what it shows",
       [](auto &p) { addProbe(p, 0).probe.reset(); }},
      {"output 'ampc.probe.1' is no probe but says what it shows",
       [](auto &p) { addProbe(p, 0).kind = fb::IoKind::Output; }},
      {"output 'ampc.probe.1' is made of probe 0, expected one of the 0 before "
       "it",
       [](auto &p) { addProbe(p, 0); }},
      {"unknown rule 7 for non-finite windows",
       [](auto &p) { p.train->nonfinite = fb::Nonfinite(7); }},
      {"a loss, metric or partial is a scalar",
       [](auto &p) { p.entries[0]->outputs[0]->type->shape = {1}; }},
      {"instruction 1: kernel 9 of 5",
       [](auto &p) { firstLaunch(p).kernel = 9; }},
      {"kernel 'difference' takes 3 arguments, the launch gives 2",
       [](auto &p) { firstLaunch(p).args.pop_back(); }},
      {"argument 1 is in Input 7 of 2",
       [](auto &p) {
         firstLaunch(p).args[1] = {fb::Space::Input, 7, 0};
       }},
      {"argument 2 (bytes 400 + 96) leaves Arena 0 of 320 bytes",
       [](auto &p) {
         firstLaunch(p).args[2] = {fb::Space::Arena, 0, 400};
       }},
      {"argument 0 is in unknown space 9",
       [](auto &p) {
         firstLaunch(p).args[0] = {fb::Space(9), 0, 0};
       }},
      {"argument 2 (bytes 256 + 96) leaves Arena 0 of 320 bytes",
       [](auto &p) {
         firstLaunch(p).args[2] = {fb::Space::Arena, 0, 256};
       }},
      {"argument 0 (bytes 0 + 321) leaves Arena 0 of 320 bytes",
       [](auto &p) { p.kernels[0]->arg_bytes[0] = 321; }},
      {"argument 1 (bytes 0 + 18446744073709551615) leaves Input 1 of 96",
       [](auto &p) { p.kernels[0]->arg_bytes[1] = UINT64_MAX; }},
      {"argument 2 is written but lies in space Input",
       [](auto &p) {
         firstLaunch(p).args[2] = {fb::Space::Input, 1, 0};
       }},
      {"argument 1 is written but lies in space Input",
       [](auto &p) { p.kernels[0]->arg_written[1] = true; }},
      {"entry 'eval_step', instruction 2: argument 1 writes a variable; only "
       "train_step, window, micro_step, apply_step may",
       [](auto &p) {
         p.entries[1]->instructions[2]->op.AsLaunch()->args[1] = {
             fb::Space::Variable, 0, 64};
       }},
      {"kernel 'difference' gives the bytes of 3 arguments, but which are "
       "written of 2",
       [](auto &p) { p.kernels[0]->arg_written.pop_back(); }},
      {"0 iterations with 64 bytes of scratch memory, expected at least 1",
       [](auto &p) { firstLoop(p).count = 0; }},
      {"1 iterations with 4503599627370497 bytes of scratch memory",
       [](auto &p) { firstLoop(p).scratch_bytes = kMaxBytes + 1; }},
      {"slices 0: 0 of 96 bytes with divisor 1",
       [](auto &p) { firstLoop(p).slices[0]->count = 0; }},
      {"slices 0: 1 of 96 bytes with divisor 0",
       [](auto &p) { firstLoop(p).slices[0]->divisor = 0; }},
      {"slices 0: 1 of 96 bytes with divisor 18446744073709551615",
       [](auto &p) { firstLoop(p).slices[0]->divisor = UINT64_MAX; }},
      {"slices 0: 18446744073709551615 of 0 bytes with divisor 1",
       [](auto &p) {
         fb::SlicesT &slices = *firstLoop(p).slices[0];
         slices.bytes = 0;
         slices.count = UINT64_MAX;
       }},
      {"slices 0 are written and overlap slices 1",
       [](auto &p) { addSlices(firstLoop(p), 192, 64); }},
      {"slices 0 are written and overlap slices 1",
       [](auto &p) {
         fb::ForeachT &loop = firstLoop(p);
         addSlices(loop, 0, 320);
         addSlices(loop, 64, 4); // ends before
       }},
      {"slices 1 are written and overlap slices 0",
       [](auto &p) { // both written
         fb::ForeachT &loop = firstLoop(p);
         addSlices(loop, 128, 96);
         loop.body.push_back(std::make_unique<fb::LaunchT>(*loop.body[0]));
         loop.body[1]->args[2] = {fb::Space::Slice, 1, 0};
       }},
      {"slices 0 are written and overlap argument 0 of launch 0",
       [](auto &p) {
         firstLoop(p).body[0]->args[0] = {fb::Space::Arena, 0, 64};
       }},
      {"launch 0: argument 2 is written, but iterations share slices 0",
       [](auto &p) { firstLoop(p).count = 2; }},
      {"slices 0 (bytes 0 + 384) leaves Arena 0 of 320 bytes",
       [](auto &p) {
         fb::ForeachT &loop = firstLoop(p);
         loop.count = loop.slices[0]->count = 4;
         loop.slices[0]->first = std::make_unique<fb::Place>();
       }},
      {"slices 0 is written but lies in space Input",
       [](auto &p) {
         *firstLoop(p).slices[0]->first = {fb::Space::Input, 0, 0};
       }},
      {"argument 2 (bytes 0 + 96) leaves Slice 0 of 95 bytes",
       [](auto &p) { firstLoop(p).slices[0]->bytes = 95; }},
      {"argument 2 is in slices 1 of 1",
       [](auto &p) {
         firstLoop(p).body[0]->args[2] = {fb::Space::Slice, 1, 0};
       }},
      {"argument 2 (bytes 0 + 96) leaves Scratch 0 of 64 bytes",
       [](auto &p) {
         firstLoop(p).body[0]->args[2] = {fb::Space::Scratch, 0, 0};
       }},
      {"argument 2 is in Scratch 1 of 1",
       [](auto &p) {
         firstLoop(p).body[0]->args[2] = {fb::Space::Scratch, 1, 0};
       }},
      {"argument 2 is written, but iterations share its bytes",
       [](auto &p) {
         firstLoop(p).body[0]->args[2] = {fb::Space::Arena, 0, 0};
       }},
      {"argument 2 is in space Slice, expected in the body of a loop alone",
       [](auto &p) {
         firstLaunch(p).args[2] = {fb::Space::Slice, 0, 0};
       }},
      {"kernel 'difference' has 8 tiles, the launch runs 9",
       [](auto &p) { firstLaunch(p).tiles = 9; }},
      {"kernel 'difference': 1152921504606846976 tiles, at most 2^48",
       [](auto &p) {
         firstLaunch(p).tiles = p.kernels[0]->tiles = uint64_t(1) << 60;
       }},
      {"kernel 'difference': its source (bytes 0 + 0) leaves the text section "
       "of 0 bytes",
       [](auto &p) { p.target_kind = "cuda"; }},
      {"a prelude of 1 bytes, the text section has 0",
       [](auto &p) { p.prelude_bytes = 1; }},
      {"operand A (bytes 0 + 256) leaves Input 0 of 128 bytes",
       [](auto &p) { firstContraction(p).k = 8; }},
      {"the extents of A overflow",
       [](auto &p) {
         firstContraction(p).m = firstContraction(p).k = uint64_t(1) << 47;
       }},
      {"the extents of A overflow",
       [](auto &p) {
         firstContraction(p).m = 0;
         firstContraction(p).batch = UINT64_MAX;
       }},
      {"operand B is missing", [](auto &p) { firstContraction(p).b.reset(); }},
      {"C overlaps operand A",
       [](auto &p) {
         *firstContraction(p).a = fb::Place(fb::Space::Arena, 0, 64);
       }},
      {"operand init: C must be f32 or f64, got type 3",
       [](auto &p) {
         auto &op = firstContraction(p);
         op.dtype_a = op.dtype_b = op.dtype_c = fb::DType::BF16;
         op.init = std::make_unique<fb::Place>(*op.c);
       }},
      {"C overlaps init",
       [](auto &p) {
         auto &op = firstContraction(p);
         op.init = std::make_unique<fb::Place>(op.c->space(), op.c->index(),
                                               op.c->offset() + 4);
       }},
      {"operand init starts at byte 2, expected a multiple of 4",
       [](auto &p) {
         firstContraction(p).init =
             std::make_unique<fb::Place>(fb::Space::Arena, 0, 2);
       }},
      {"operand C is written but lies in space Input",
       [](auto &p) {
         *firstContraction(p).c = fb::Place(fb::Space::Input, 1, 0);
       }},
      {"a contraction takes f64 alone or f32",
       [](auto &p) { firstContraction(p).dtype_a = fb::DType::I32; }},
      {"the batch stride 0 of C is below its 24 elements",
       [](auto &p) { firstContraction(p).batch = 2; }},
      {"writes a variable; only train_step, window, micro_step, apply_step may",
       [](auto &p) {
         *p.entries[2]->instructions[0]->op.AsContraction()->c =
             fb::Place(fb::Space::Variable, 0, 128);
       }},
      {"source location 3 of 0",
       [](auto &p) { p.entries[0]->instructions[0]->source = 3; }},
      {"pattern of 3 bytes",
       [](auto &p) {
         fb::FillT fill;
         fill.dst = std::make_unique<fb::Place>(fb::Space::Arena, 0, 0);
         fill.bytes = 6;
         fill.width = 3;
         p.entries[0]->instructions[0]->op.Set(std::move(fill));
       }},
      {"source and destination overlap",
       [](auto &p) {
         fb::CopyT copy;
         copy.src = std::make_unique<fb::Place>(fb::Space::Arena, 0, 0);
         copy.dst = std::make_unique<fb::Place>(fb::Space::Arena, 0, 32);
         copy.bytes = 64;
         p.entries[0]->instructions[0]->op.Set(std::move(copy));
       }},
  };
  for (const Nonsense &item : cases) {
    fb::PlanT plan = regression();
    item.change(plan);
    Error error = errorOf(writePlan(plan, regressionSections()));
    EXPECT_EQ(error.code, Code::BadInput);
    EXPECT_NE(error.message.find(item.expected), std::string::npos)
        << "expected: " << item.expected << "\nactual:   " << error.message;
  }
  PlanSections none;
  EXPECT_EQ(errorOf(writePlan(regression(), none)).message,
            "the plan names 5 kernels but has no object section");
}

TEST(PlanFile, ABrokenObjectIsAnError) {
  PlanSections sections;
  sections.object = std::vector<uint8_t>(500, 0x41);
  Plan plan = must(Plan::from_bytes(must(writePlan(regression(), sections))));
  Error error = errorOf(Session::open(plan));
  EXPECT_EQ(error.code, Code::BadInput);
  EXPECT_NE(error.message.find("the kernels do not load"), std::string::npos)
      << error.message;
}

// Two calls a thread where tiles share work, or the pool's own cut.
TEST(KernelObject, TilesThatShareWorkStayTogether) {
  fb::PlanT plan;
  plan.compiler_version = plan.target_kind = plan.target_level = "-";
  for (bool shares : {false, true}) {
    auto kernel = std::make_unique<fb::KernelT>();
    kernel->symbol = "-";
    kernel->tiles = 33;
    kernel->shares = shares;
    plan.kernels.push_back(std::move(kernel));
  }
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(fb::Plan::Pack(builder, &plan));
  auto &kernels =
      *flatbuffers::GetRoot<fb::Plan>(builder.GetBufferPointer())->kernels();
  for (auto [threads, least] :
       {std::pair(1, 17), {2, 9}, {4, 5}, {16, 1}, {17, 1}, {1000, 1}}) {
    EXPECT_EQ(leastTiles(*kernels[0], threads), 1);
    EXPECT_EQ(leastTiles(*kernels[1], threads), least) << threads;
  }
}

TEST(KernelObject, LoadsThroughAFileToo) {
  std::vector<uint8_t> bytes = kernelObject();
  for (KernelObject::Via via :
       {KernelObject::Via::Automatic, KernelObject::Via::File}) {
    KernelObject object =
        must(KernelObject::load(std::as_bytes(std::span(bytes)), "p", via));
    KernelFunction scaled = must(object.find("scaled"));
    float x[4] = {1, 2, 3, 4}, scale = 2, y[4] = {};
    const void *args[] = {x, &scale, y};
    scaled(args, 1, 3);
    EXPECT_EQ(y[0], 0.0f);
    EXPECT_EQ(y[1], 4.0f);
    EXPECT_EQ(y[2], 6.0f);
    EXPECT_EQ(y[3], 0.0f);
  }
}

} // namespace
} // namespace ampc::rt::test
