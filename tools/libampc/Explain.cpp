// Why a step is as it is; see Explain.h.
#include "tools/libampc/Explain.h"

#include "codegen/cpu/PhaseClock.h"
#include "codegen/kernel/Passes.h"
#include "ir/dialect/Locations.h"
#include "mlir/Pass/PassManager.h"
#include "passes/precision/FloatRanges.h"
#include "passes/precision/Policy.h"
#include "passes/precision/TypePlan.h"
#include "tools/libampc/Capture.h"
#include "tools/libampc/ChunkNotes.h"
#include "tools/libampc/ExplainSteps.h"
#include "tools/libampc/Lower.h"

#include "llvm/Support/Format.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

namespace {

/// The types that an op is about: its results, or what it writes.
SmallVector<Type> typesOf(Operation *op) {
  if (op->getNumResults() > 0)
    return llvm::to_vector(op->getResultTypes());
  return llvm::to_vector(op->getOperandTypes());
}

bool isFloat(Type type) {
  return isa<FloatType>(cast<RankedTensorType>(type).getElementType());
}

/// The class of an op (N21); ops without a rule are never lowered.
PrecisionClass classOf(Operation *op) {
  auto rule = dyn_cast<PrecisionRule>(op);
  return rule ? rule.classify() : PrecisionClass::never;
}

bool isNarrow(Type type) {
  return isFloat(type) &&
         cast<RankedTensorType>(type).getElementTypeBitWidth() < 32;
}

/// Why a cast that no one gave a reason stands there: an op's own formula, or
/// its derivative, computes in another type than its operands have.
Reason reasonOfCast(CastOp cast) {
  if (cast.getOrigin() == CastOrigin::user)
    return Reason::user_typed;
  if (isNarrow(cast.getResult().getType()))
    return Reason::follow_cut;
  return isNarrow(cast.getInput().getType()) ? Reason::f32_inside
                                             : Reason::never_unknown;
}

/// Why an op has its types: what the precision pass decided, else what its
/// class and operands say of ops that stand beside the forward graph.
Reason reasonOf(Operation *op) {
  if (auto decided = op->getAttrOfType<ReasonAttr>(kReasonAttr))
    return decided.getValue();
  if (llvm::none_of(typesOf(op), isFloat))
    return Reason::never_integer;
  if (givesLoss(op))
    return Reason::loss;
  if (isa<OptimizerUpdate, ReadOp, WriteOp>(op))
    return Reason::master;
  if (auto cast = dyn_cast<CastOp>(op))
    return reasonOfCast(cast);
  switch (classOf(op)) {
  case PrecisionClass::lower:
    return Reason::lower;
  case PrecisionClass::f32_inside:
    return Reason::f32_inside;
  case PrecisionClass::follow:
    // It has the type of what it is made of.
    return llvm::any_of(typesOf(op), isNarrow) ? Reason::follow_cut
                                               : Reason::follow_tie;
  case PrecisionClass::never:
    return Reason::never_unknown;
  }
  llvm_unreachable("all classes are handled");
}

/// What stage step says of an op.
ExplainedOp describe(Operation *op, unsigned id) {
  ExplainedOp line;
  line.id = id;
  line.op = mnemonicOf(op);
  llvm::SetVector<unsigned> lines;
  StringRef file = addLines(op->getLoc(), lines);
  line.lines.assign(lines.begin(), lines.end());
  if (!lines.empty())
    line.source = (file + ":" + Twine(lines.front())).str();
  line.name = namePathOf(op->getLoc());
  if (auto read = dyn_cast<ReadOp>(op))
    line.name = read.getVariable().str();
  else if (auto write = dyn_cast<WriteOp>(op))
    line.name = write.getVariable().str();
  SmallVector<Type> types = typesOf(op);
  for (Type type : types)
    line.type += (line.type.empty() ? "" : " ") + typeText(type);
  line.precision_class = stringifyPrecisionClass(classOf(op)).str();
  line.reason = stringifyReason(reasonOf(op)).str();
  return line;
}

/// What the ops alone say of whether f16 holds the value of `op`.
void addRisk(Operation *op, const FloatRanges &ranges, ExplainedOp &line) {
  constexpr double kLargest = 65504;
  if (op->getNumResults() != 1 ||
      !tensorType(op->getResult(0)).getElementType().isF16())
    return;
  FloatRange range = ranges.of(op->getResult(0));
  line.risk = "unknown";
  if (!range.isBounded())
    return;
  line.risk = range.magnitude() > kLargest ? "overflow" : "none";
  llvm::raw_string_ostream(line.bounds)
      << llvm::format("[%.4g, %.4g]", range.low, range.high);
}

ExplainedCast describeCast(CastOp op, unsigned id) {
  ExplainedCast line;
  line.id = id;
  line.value = namePathOf(op.getLoc());
  if (line.value.empty())
    line.value = "%" + std::to_string(id);
  line.from = typeText(op.getInput().getType());
  line.to = typeText(op.getType());
  bool isPolicy = op->hasAttr(kReasonAttr);
  line.origin = op.getOrigin() == CastOrigin::user ? "user"
                : isPolicy                         ? "policy"
                                                   : "formula";
  line.reason = stringifyReason(reasonOf(op)).str();
  OpIds users;
  for (Operation *user : op->getUsers())
    addIds(user->getLoc(), users);
  line.used_by.assign(users.begin(), users.end());
  return line;
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

/// Whether `op` is one that `wanted` names: a line, with its file or without, a
/// mnemonic, or a name or one of its leading or trailing parts.
bool isNamed(const ExplainedOp &op, StringRef wanted) {
  unsigned line = 0;
  if (!wanted.getAsInteger(10, line))
    return llvm::is_contained(op.lines, line);
  // A place as the table prints it: FILE:LINE.
  auto [file, place] = wanted.rsplit(':');
  if (!place.getAsInteger(10, line)) {
    StringRef own = StringRef(op.source).rsplit(':').first;
    return (own == file || own.ends_with(("/" + file).str())) &&
           llvm::is_contained(op.lines, line);
  }
  StringRef name(op.name);
  if (op.op == wanted || name == wanted)
    return true;
  return (name.consume_front(wanted) && name.starts_with(".")) ||
         (StringRef(op.name).ends_with(wanted) &&
          StringRef(op.name).drop_back(wanted.size()).ends_with("."));
}

bool hasF32(const ExplainedOp &op) {
  return StringRef(op.type).contains("f32[");
}

/// Leaves what `what` asks for; an error when no op is left.
rt::Expected<void> choose(Explanation &all, const ExplainOptions &what,
                          const std::string &path) {
  llvm::DenseSet<unsigned> kept;
  for (const ExplainedOp &op : all.ops)
    if ((what.op.empty() || isNamed(op, what.op)) &&
        (!what.f32_only || hasF32(op)))
      kept.insert(op.id);
  if (kept.empty() && !what.op.empty())
    return rt::fail(rt::Code::BadInput, path,
                    "entry " + all.entry + " has no op '" + what.op +
                        "'; expected a mnemonic (matmul), a name or a line");
  auto isKept = [&](unsigned id) { return kept.contains(id); };
  llvm::erase_if(all.ops, [&](auto &op) { return !isKept(op.id); });
  llvm::erase_if(all.casts, [&](auto &cast) { return !isKept(cast.id); });
  llvm::erase_if(all.kernels, [&](auto &kernel) {
    return llvm::none_of(kernel.ops, isKept);
  });
  llvm::erase_if(all.recompute,
                 [&](auto &value) { return llvm::none_of(value.ops, isKept); });
  llvm::erase_if(all.unfused, [&](auto &pair) {
    return !isKept(pair.producer) && !isKept(pair.consumer);
  });
  return {};
}

/// The entry to explain.
rt::Expected<func::FuncOp> entryNamed(ModuleOp step, const std::string &wanted,
                                      const std::string &path) {
  SmallVector<StringRef> names{wanted};
  if (wanted.empty())
    names = {"train_step", "micro_step", "infer", "eval_step"};
  else if (wanted == "train_step")
    names.push_back("micro_step"); // the step that accumulates
  for (StringRef name : names)
    for (auto func : step.getOps<func::FuncOp>())
      if (std::optional<Entry> entry = entryOf(func);
          entry && stringifyEntry(*entry) == name && !func.isExternal())
        return func;
  std::string text = "the model has no entry " + llvm::join(names, " or ");
  if (wanted == "window" || wanted == "micro_step" || wanted == "apply_step")
    text += "; windows of several micro-batches have it, as of --set "
            "train.accumulate=2";
  return rt::fail(rt::Code::BadInput, path, text);
}

/// What the target makes of the policy.
void addNotes(ModuleOp module, func::FuncOp func, Explanation &out) {
  auto target = module->getAttrOfType<TargetAttr>(kTargetAttr);
  std::optional<Policy> policy =
      policyFor(out.precision, target, module.getContext());
  if (out.precision == "auto" && policy)
    out.notes.push_back(
        policy->narrow
            ? policy->format.str() + ": the target multiplies it fast"
            : "f32: the target multiplies no 16-bit format fast");
  if (policy && !policy->note.empty())
    out.notes.push_back(policy->note.str());
  Type bf16 = BFloat16Type::get(module.getContext());
  bool multiplies = llvm::any_of(func.front(), [&](Operation &op) {
    return classOf(&op) == PrecisionClass::lower &&
           tensorType(op.getOperand(0)).getElementType() == bf16;
  });
  if (multiplies && target && target.getKind() == "cpu" && target.isFast(bf16))
    out.notes.push_back("bf16 products run in AMX, which reads subnormal "
                        "operands as 0 and flushes results below 2^-126 (N1)");
  if (entryOf(func) == Entry::micro_step)
    out.notes.push_back("one micro-batch of a window: --entry window counts "
                        "what its means divide by, --entry apply_step updates "
                        "the weights");
}

} // namespace

rt::Expected<Explanation> explain(const Model &model,
                                  const CompileOptions &options,
                                  const ExplainOptions &what) {
  AMPC_TRY(model.read());
  Model::Impl &impl = model.impl();
  AMPC_ASSIGN(OwningOpRef<ModuleOp> module,
              lowerTo(Stage::step, model, options));
  AMPC_ASSIGN(func::FuncOp func, entryNamed(*module, what.entry, impl.path));
  Explanation out;
  out.entry = stringifyEntry(*entryOf(func)).str();
  std::string symbol = func.getName().str();
  out.precision = precisionOf(*module, options);
  addNotes(*module, func, out);
  numberOps(func);
  FloatRanges ranges(func);
  for (auto [id, op] : llvm::enumerate(func.front().without_terminator())) {
    out.ops.push_back(describe(&op, id));
    addRisk(&op, ranges, out.ops.back());
    if (auto cast = dyn_cast<CastOp>(op))
      out.casts.push_back(describeCast(cast, id));
  }
  AMPC_TRY(continueTo(
      Stage::placed, *module, model, options, [&](PassManager &passes) {
        passes.addInstrumentation(
            readFusion(symbol, options.opt_level >= 2, out.unfused));
      }));
  llvm::append_range(out.notes,
                     chunkNotes(module->lookupSymbol<func::FuncOp>(symbol)));
  DiagnosticCapture capture(impl.context, impl.path, impl.text, options.remark,
                            options.warn);
  PhaseClock clock(options.time);
  PassManager kernels(&impl.context);
  kernels.addPass(createBuildKernels());
  if (failed(kernels.run(*module)) ||
      failed(readKernels(module->lookupSymbol<func::FuncOp>(symbol), out)))
    return tl::unexpected(capture.error("kernels cannot be built"));
  clock.end("kernels");
  AMPC_TRY(choose(out, what, impl.path));
  return out;
}

} // namespace ampc
