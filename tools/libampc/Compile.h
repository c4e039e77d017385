// From a model to a plan, to any stage's text, or to something that trains.
#pragma once

#include "runtime/api/Plan.h"
#include "runtime/api/Session.h"
#include "tools/libampc/Model.h"

#include <functional>
#include <iosfwd>
#include <optional>

namespace ampc {

/// How to compile.
struct CompileOptions {
  /// auto, f32, tf32, bf16, f16; empty: the model's `train.precision`, else
  /// f32.
  std::string precision;
  /// Whether f16 gradients may go without a scaled loss.
  bool unsafe_precision = false;
  /// 1: every op a kernel of its own; 2: ops share kernels. (0 evaluates with
  /// the reference, see open_stepper.)
  int opt_level = 2;
  /// Bytes above which a product whose rows are reduced is computed a chunk of
  /// rows at a time (N28); 0: never; none: the rule's. For tests.
  std::optional<uint64_t> chunk_bytes;
  /// Key heads of all batches from which on attention is computed head by head;
  /// none: the rule's. For tests.
  std::optional<uint64_t> least_heads;
  /// `cpu` (this machine), `cpu:avx2`, `cpu:avx512`, `cuda` or
  /// `cuda:sm_NN`: the plan runs on every device from sm_75 on, the level says
  /// which formats are fast.
  std::string target = "cpu";
  /// train_step, eval_step, infer, gradient; empty: all the model has of the
  /// first three.
  std::vector<std::string> entries;
  /// Entry gradient: name of the output to differentiate.
  std::string gradient_of;

  /// How the entries infer and gradient behave where ops tell training apart:
  /// infer or train.
  std::string mode = "infer";

  /// Values of the training step whose ranges the step shows, so that the op
  /// which first gives a number that is not finite is named: off, boundary
  /// (what one call of the model hands to another) or all.
  std::string finite_checks = "off";
  /// Whether the step shows those values themselves instead.
  bool show_values = false;

  /// The file that the result is for: relative data files, which the model
  /// names from its own folder, are named from this one's. Empty: they stay.
  std::string output;

  /// Threads that the plan will run on, whose workspaces count in the model's
  /// `train.memory_budget`; 0: one per processor.
  int threads = 0;
  /// Whether a plan larger than that budget is made too, the smallest there is:
  /// to show what it needs.
  bool over_budget = false;

  /// Whether the loss is scaled dynamically where the model says nothing, in
  /// precisions that do without too.
  bool scale_loss = false;

  /// Stage whose IR is handed to `dump` when it is reached: model, typed, step,
  /// fused, placed.
  std::string dump_after;
  std::function<void(std::string_view text)> dump;
  /// Category of the decisions handed to `remark`: precision, fusion, memory,
  /// or all.
  std::string remark_category;
  std::function<void(std::string_view text)> remark;
  /// Told what does not stop the compilation but should be known, as that the
  /// target emulates a format; empty: nobody.
  std::function<void(std::string_view text)> warn;
  /// Takes the seconds of each phase as it ends: cache, front end, typed, step,
  /// fused, placed, kernels, plan, find, lower, optimize, object, link, print,
  /// write, keep; and open, of a session.
  std::function<void(std::string_view phase, double seconds)> time;

  /// Folder where plans and kernels that were compiled are kept; empty: the
  /// user's own, `AMPC_CACHE` or `ampc/kernels` in the user's cache folder;
  /// `off`: none. A plan is found by everything it depends on, and only where
  /// neither dumps nor remarks are asked for.
  std::string cache;
  /// Told what was needed of a kind, `plan` or `kernels`, and how many of them
  /// were kept already.
  std::function<void(std::string_view kind, size_t needed, size_t kept)> kept;
};

/// What `emit` makes.
enum class Emit : uint8_t {
  Model,
  Typed,
  Step,
  Fused,
  Placed,
  Llvm,
  Cuda,
  Plan
};

/// `model`, `typed`, `step`, `fused`, `placed`, `llvm`, `cuda`, `plan`.
AMPC_API std::string_view name_of(Emit what);

/// Compiles to a plan. A model that the compiler refuses: Code BadInput with
/// the place in the source.
[[nodiscard]] AMPC_API rt::Expected<rt::Plan>
compile(const Model &model, const CompileOptions &options = {});

/// Compiles as far as `what`: IR, LLVM IR, CUDA C++ text, or the plan's bytes.
[[nodiscard]] AMPC_API rt::Expected<std::string>
emit(const Model &model, Emit what, const CompileOptions &options = {});

/// Compiles and opens a session.
[[nodiscard]] AMPC_API rt::Expected<rt::Session>
open_session(const Model &model, const CompileOptions &options = {},
             const rt::SessionOptions &session = {});

/// Something that trains, with the plan that describes it.
struct OpenedModel {
  rt::Plan plan;
  std::unique_ptr<rt::Stepper> stepper;
  double compile_seconds = 0;
};

/// Compiles and opens a session; with opt_level 0 the stepper is the reference
/// evaluator: f64 arithmetic, each op rounded once to its result type; the
/// model must outlive it.
[[nodiscard]] AMPC_API rt::Expected<OpenedModel>
open_stepper(const Model &model, const CompileOptions &options = {},
             const rt::SessionOptions &session = {});

/// Version of the LLVM that compiles kernels, `22.1.8`.
AMPC_API std::string llvm_version();

} // namespace ampc
