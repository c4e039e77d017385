// Plans: what each op becomes, variables in place, refusals, determinism.
#include "codegen/emit/EmitPlan.h"
#include "test/unit/codegen/Program.h"

#include "mlir/IR/Diagnostics.h"

#include <gtest/gtest.h>

using namespace ampc;
using namespace ampc::test;

namespace {

/// Two entries' worth of everything an entry may hold.
const char *const kModule = R"mlir(
module attributes {amp.stage = #amp.stage<placed>, amp.model = "tiny",
    amp.train = {steps = 20 : i64, seed = 7 : i64, log_every = 2 : i64, save_every = 5 : i64},
    amp.data = [{names = ["x"], spec = "normal:1", loc = loc("tiny.amp":9:3)}]} {
  amp.variable @w : tensor<4xf32> role parameter init data = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> loc("tiny.amp":3:5)
  amp.variable @m : tensor<4xf32> role moment init zeros
  amp.variable @u : tensor<3xf32> role parameter init uniform with [-0.5, 0.5] site 3
  func.func @train_step(
      %x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>, amp.place = #amp.place<input, 0>},
      %labels: tensor<8xi32> {amp.name = "labels", amp.io = #amp.io<target>, amp.place = #amp.place<input, 1>,
        amp.index_range = [#amp.index_range<low = 0, high = 10, ignore = -100, offset = 1,
                             extents = [3], strides = [2], noun = "label",
                             op = "nll", loc = loc("tiny.amp":12:3)>]})
      -> (tensor<4xf32> {amp.name = "y", amp.io = #amp.io<output>},
          tensor<2x2xf32> {amp.name = "k", amp.io = #amp.io<output>},
          tensor<f32> {amp.name = "s", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<train_step>, amp.arena_bytes = 64 : i64} {
    %w = amp.read @w {amp.place = [#amp.place<variable, 0, @w>]} : tensor<4xf32>
    %m = amp.read @m {amp.place = [#amp.place<variable, 0, @m>]} : tensor<4xf32>
    %c = amp.constant {amp.place = [#amp.place<constant, 64>]} dense<[10.0, 20.0, 30.0, 40.0]> : tensor<4xf32>
    %z = amp.constant {amp.place = [#amp.place<output, 2>]} dense<2.5> : tensor<f32>
    %n:2 = amp.group map [4] (%w, %m, %x) {amp.place = [#amp.place<variable, 0, @w>, #amp.place<arena, 0>]}
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %d: tensor<4xf32>):
      %0 = amp.add %b, %d : tensor<4xf32>
      %1 = amp.sub %a, %0 : tensor<4xf32>
      amp.yield %1, %0 : tensor<4xf32>, tensor<4xf32>
    } loc(fused<"x">["fc"("tiny.amp":4:7)])
    amp.write @w, %n#0 : tensor<4xf32>
    amp.write @m, %n#1 : tensor<4xf32>
    %k = amp.reshape %c {amp.place = [#amp.place<constant, 64>]} : tensor<4xf32> -> tensor<2x2xf32>
    return %n#1, %k, %z : tensor<4xf32>, tensor<2x2xf32>, tensor<f32>
  }
}
)mlir";

/// A loop over slices: adds a constant in scratch memory, then negates.
const char *const kLoop = R"mlir(
module attributes {amp.stage = #amp.stage<placed>, amp.model = "loop"} {
  func.func @infer(%x: tensor<3x2xf32> {amp.name = "x", amp.io = #amp.io<input>, amp.place = #amp.place<input, 0>})
      -> (tensor<3x2xf32> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>, amp.arena_bytes = 0 : i64} {
    %y = amp.foreach 3(%x) divisors [1] {amp.place = [#amp.place<output, 0>], amp.scratch_bytes = 64 : i64}
        : (tensor<3x2xf32>) -> tensor<3x2xf32> {
    ^bb0(%s: tensor<2xf32>):
      %c = amp.constant {amp.place = [#amp.place<constant, 0>]} dense<[10.0, 20.0]> : tensor<2xf32>
      %0 = amp.group map [2] (%s, %c) {amp.place = [#amp.place<scratch, 0>]}
          : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> {
      ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
        %2 = amp.add %a, %b : tensor<2xf32>
        amp.yield %2 : tensor<2xf32>
      }
      %1 = amp.group map [2] (%0) {amp.place = [#amp.place<slice, 1>]} : (tensor<2xf32>) -> tensor<2xf32> {
      ^bb0(%a: tensor<2xf32>):
        %2 = amp.neg %a : tensor<2xf32>
        amp.yield %2 : tensor<2xf32>
      }
      amp.yield %1 : tensor<2xf32>
    } loc("head"("loop.amp":4:7))
    return %y : tensor<3x2xf32>
  }
}
)mlir";

/// The first diagnostic of compiling `text`; empty when it compiles.
std::string errorOf(const std::string &text, const EmitOptions &options = {}) {
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context(),
                                        [&](mlir::Diagnostic &diagnostic) {
                                          if (message.empty())
                                            message = diagnostic.str();
                                        });
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(text);
  return mlir::failed(emitPlan(*module, options)) ? message : "";
}

std::string replaced(std::string text, const std::string &from,
                     const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

} // namespace

TEST(Plan, HoldsVariablesPortsSettingsAndSources) {
  Program program(kModule, "avx2");
  const rt::fb::Plan &plan = program.plan();
  EXPECT_EQ(plan.model_name()->str(), "tiny");
  EXPECT_EQ(plan.target_level()->str(), "avx2");
  EXPECT_EQ(plan.train()->steps(), 20u);
  EXPECT_EQ(plan.train()->seed(), 7u);
  EXPECT_EQ(plan.train()->log_every(), 2u);
  EXPECT_EQ(plan.train()->save_every(), 5u);
  ASSERT_EQ(plan.data()->size(), 1u);
  EXPECT_EQ(plan.data()->Get(0)->spec()->str(), "normal:1");
  EXPECT_EQ(plan.sources()->Get(plan.data()->Get(0)->source())->line(), 9u);
  ASSERT_EQ(plan.variables()->size(), 3u);
  const rt::fb::Variable *w = plan.variables()->Get(0),
                         *u = plan.variables()->Get(2);
  EXPECT_EQ(w->init()->kind(), rt::fb::InitKind::Data);
  EXPECT_EQ(w->init()->data_offset(),
            128u); // after the entry's constant, aligned
  EXPECT_EQ(plan.sources()->Get(w->source())->line(), 3u);
  EXPECT_EQ(u->init()->site(), 3u);
  EXPECT_EQ(u->init()->a(), -0.5);
  EXPECT_EQ(u->init()->b(), 0.5);
  EXPECT_EQ(u->offset() % 64, 0u);
  const rt::fb::Entry *entry = plan.entries()->Get(0);
  EXPECT_EQ(entry->name()->str(), "train_step");
  EXPECT_EQ(entry->outputs()->Get(2)->kind(), rt::fb::IoKind::Loss);
  ASSERT_EQ(entry->inputs()->Get(1)->checks()->size(), 1u);
  const rt::fb::IndexCheck &check = *entry->inputs()->Get(1)->checks()->Get(0);
  EXPECT_EQ(check.low(), 0);
  EXPECT_EQ(check.high(), 10);
  EXPECT_TRUE(check.has_ignore());
  EXPECT_EQ(check.ignore(), -100);
  EXPECT_EQ(check.offset(), 1u);
  EXPECT_EQ(check.extents()->Get(0), 3u);
  EXPECT_EQ(check.strides()->Get(0), 2u);
  EXPECT_EQ(check.noun()->str(), "label");
  EXPECT_EQ(check.op()->str(), "nll");
  EXPECT_EQ(plan.sources()->Get(check.source())->line(), 12u);
  // fill, launch, copy to @m, copy of the arena to output 0, copy of the
  // constant to output 1; reads, the reshape and the write in place cost
  // nothing.
  ASSERT_EQ(entry->instructions()->size(), 5u);
  const rt::fb::Op kinds[] = {rt::fb::Op::Fill, rt::fb::Op::Launch,
                              rt::fb::Op::Copy, rt::fb::Op::Copy,
                              rt::fb::Op::Copy};
  for (unsigned i = 0; i < 5; ++i)
    EXPECT_EQ(entry->instructions()->Get(i)->op_type(), kinds[i]) << i;
  const rt::fb::Instruction *launch = entry->instructions()->Get(1);
  EXPECT_EQ(launch->op_as_Launch()->args()->size(),
            4u); // @w once, though read and written
  EXPECT_EQ(plan.sources()->Get(launch->source())->line(), 4u);
  const rt::fb::Kernel &kernel = *plan.kernels()->Get(0);
  EXPECT_EQ(kernel.name()->str(), "fc_add_sub");
  EXPECT_EQ(kernel.tiles(), launch->op_as_Launch()->tiles());
  // @w in place, @m, x, the result in the arena.
  ASSERT_EQ(kernel.arg_bytes()->size(), 4u);
  ASSERT_EQ(kernel.arg_written()->size(), 4u);
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(kernel.arg_bytes()->Get(i), 16u) << i;
    EXPECT_EQ(bool(kernel.arg_written()->Get(i)), i == 0 || i == 3) << i;
  }
}

/// A checkpoint goes both ways between plans with and without copies, so that
/// they are of one model.
TEST(Plan, CopiesNameTheirSourceAndChangeNoHash) {
  Program plain(kModule, "avx2");
  Program program(replaced(kModule, "  amp.variable @w",
                           "  amp.variable @c : tensor<4xbf16> role copy16 "
                           "copy_of @w init zeros\n  amp.variable @w"),
                  "avx2");
  const auto *variables = program.plan().variables();
  ASSERT_EQ(variables->size(), 4u);
  EXPECT_EQ(variables->Get(0)->role(), rt::fb::Role::Copy16);
  EXPECT_EQ(variables->Get(0)->copy_of(), 1);
  EXPECT_EQ(variables->Get(0)->bytes(), 8u);
  EXPECT_EQ(variables->Get(1)->copy_of(), -1);
  EXPECT_EQ(program.plan().model_hash(), plain.plan().model_hash());
}

TEST(Plan, RunsWithVariablesInPlace) {
  Program program(kModule, "host");
  program.variable("w") = bytesOf(std::vector<float>{1, 2, 3, 4});
  program.variable("m") = bytesOf(std::vector<float>{1, 1, 1, 1});
  auto out =
      program.run("train_step", {bytesOf(std::vector<float>{1, 2, 3, 4})});
  EXPECT_EQ(valuesOf<float>(program.variable("w")),
            (std::vector<float>{-1, -1, -1, -1}));
  EXPECT_EQ(valuesOf<float>(program.variable("m")),
            (std::vector<float>{2, 3, 4, 5}));
  EXPECT_EQ(valuesOf<float>(out[0]), (std::vector<float>{2, 3, 4, 5}));
  EXPECT_EQ(valuesOf<float>(out[1]), (std::vector<float>{10, 20, 30, 40}));
  EXPECT_EQ(valuesOf<float>(out[2]), (std::vector<float>{2.5f}));
}

TEST(Plan, HoldsLoopsOverSlices) {
  Program program(kLoop, "host");
  const rt::fb::Entry &entry = *program.plan().entries()->Get(0);
  ASSERT_EQ(entry.instructions()->size(), 1u);
  const rt::fb::Instruction &instruction = *entry.instructions()->Get(0);
  EXPECT_EQ(instruction.label()->str(), "head");
  EXPECT_EQ(program.plan().sources()->Get(instruction.source())->line(), 4u);
  const rt::fb::Foreach &loop = *instruction.op_as_Foreach();
  EXPECT_EQ(loop.count(), 3u);
  EXPECT_EQ(loop.scratch_bytes(), 64u);
  ASSERT_EQ(loop.slices()->size(), 2u);
  EXPECT_EQ(loop.slices()->Get(1)->bytes(), 8u);
  EXPECT_EQ(loop.slices()->Get(1)->count(), 3u);
  EXPECT_EQ(loop.body()->size(), 2u);
  auto out =
      program.run("infer", {bytesOf(std::vector<float>{1, 2, 3, 4, 5, 6})});
  EXPECT_EQ(valuesOf<float>(out[0]),
            (std::vector<float>{-11, -22, -13, -24, -15, -26}));
}

TEST(Plan, RefusesLoopsThatItCannotEmit) {
  auto expectError = [](const std::string &actual, const char *expected) {
    EXPECT_NE(actual.find(expected), std::string::npos) << actual;
  };
  EXPECT_EQ(errorOf(kLoop), "");
  EmitOptions cuda;
  cuda.target = "cuda";
  expectError(errorOf(kLoop, cuda),
              "runs on the CPU alone; this plan is for cuda");
  expectError(
      errorOf(replaced(kLoop, ", amp.scratch_bytes = 64 : i64", "")),
      "has no amp.scratch_bytes; codegen takes modules in stage placed");
  expectError(
      errorOf(replaced(kLoop, "amp.yield %1 : tensor<2xf32>\n    }",
                       "%3 = amp.exp %1 {amp.place = [#amp.place<slice, 1>]} : "
                       "tensor<2xf32>\n amp.yield %3 : tensor<2xf32>\n    }")),
      "'amp.exp' op cannot stand in the body of amp.foreach in a placed "
      "module");
}

TEST(Plan, SameModuleSameBytes) {
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(kModule);
  auto first = emitPlan(*module, {}), second = emitPlan(*module, {});
  ASSERT_TRUE(mlir::succeeded(first) && mlir::succeeded(second));
  EXPECT_EQ(*first, *second);
}

TEST(Plan, RefusesWhatItCannotEmit) {
  EXPECT_EQ(errorOf(kModule), "");
  EXPECT_NE(
      errorOf(replaced(kModule, "#amp.stage<placed>", "#amp.stage<fused>"))
          .find("stage placed, got fused"),
      std::string::npos);
  EXPECT_NE(
      errorOf(
          replaced(kModule,
                   "amp.read @m {amp.place = [#amp.place<variable, 0, @m>]}",
                   "amp.read @m"))
          .find("no amp.place"),
      std::string::npos);
  // The result overwrites an operand that is read at other elements.
  std::string text = groupModule("map", "2, 2", {"2xf32"}, {"2x2xf32"}, R"(
      %0 = amp.broadcast %a0 along [1] : tensor<2xf32> -> tensor<2x2xf32>
      amp.yield %0 : tensor<2x2xf32>)");
  EXPECT_NE(errorOf(replaced(text, "amp.place = [#amp.place<output, 0>]",
                             "amp.place = [#amp.place<input, 0>]"))
                .find("one of them written"),
            std::string::npos);
  text = groupModule("map", "2, 2", {"2x2xf32"}, {"2x2xf32"}, R"(
      %0 = amp.transpose %a0 perm [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>
      amp.yield %0 : tensor<2x2xf32>)");
  EXPECT_NE(errorOf(replaced(text, "amp.place = [#amp.place<output, 0>]",
                             "amp.place = [#amp.place<input, 0>]"))
                .find("operand 0 is read at other elements than result 0"),
            std::string::npos);
  text = groupModule("scatter", "2", {"2xi32", "2xf32"}, {"2xf32"}, R"(
      %0 = amp.scatter_rows %a0, %a1 axis 0 : tensor<2xi32>, tensor<2xf32> -> tensor<2xf32>
      amp.yield %0 : tensor<2xf32>)");
  EXPECT_NE(errorOf(replaced(text, "amp.place = [#amp.place<output, 0>]",
                             "amp.place = [#amp.place<input, 1>]"))
                .find("reads operand 1 after it wrote its result"),
            std::string::npos);
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(kModule);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(
      &context(),
      [&](mlir::Diagnostic &diagnostic) { message = diagnostic.str(); });
  EXPECT_TRUE(mlir::failed(emitPlan(*module, EmitOptions{"sse9"})));
  EXPECT_NE(message.find("unknown CPU level 'sse9'"), std::string::npos);
}

TEST(Plan, ObjectImportsNothing) {
  // Copies, fills, conversions, square roots, minima: whatever a compiler likes
  // to call a library for.
  std::string t = "tensor<1000xf32>", d = "tensor<1000xf64>";
  std::string text = groupModule(
      "map", "1000", {"1000xf32", "1000xf64"},
      {"1000xf32", "1000xf32", "1000xf64", "1000xf16", "1000xbf16", "1000xi64",
       "1000xf32"},
      "%z = amp.constant dense<0.0> : " + t + "\n%s = amp.sqrt %a1 : " + d +
          "\n%e = amp.exp %s : " + d +
          "\n%h = amp.cast %a1 origin user : " + d + " -> tensor<1000xf16>" +
          "\n%b = amp.cast %a1 origin user : " + d + " -> tensor<1000xbf16>" +
          "\n%i = amp.cast %a1 origin user : " + d + " -> tensor<1000xi64>" +
          "\n%m = amp.maximum %a0, %z : " + t +
          "\namp.yield %a0, %z, %e, %h, %b, %i, %m : " + t + ", " + t + ", " +
          d + ", tensor<1000xf16>, tensor<1000xbf16>, tensor<1000xi64>, " + t);
  for (const char *level : {"avx2", "avx512"}) {
    mlir::OwningOpRef<mlir::ModuleOp> module = parse(text);
    auto bytes =
        emitPlan(*module, EmitOptions{level}); // an import fails the link
    ASSERT_TRUE(mlir::succeeded(bytes)) << level;
    auto file = rt::PlanFile::fromBytes(*bytes);
    ASSERT_TRUE(file.has_value());
    auto object = file->section(rt::SectionKind::Object);
    // The dynamic section names no library: DT_NEEDED would be listed by its
    // string.
    std::string_view contents(reinterpret_cast<const char *>(object.data()),
                              object.size());
    EXPECT_EQ(contents.find("libc"), std::string_view::npos);
    EXPECT_EQ(contents.find("memcpy"), std::string_view::npos);
  }
}
