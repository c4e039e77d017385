// Follows ops into kernels; see ExplainSteps.h.
#include "tools/libampc/ExplainSteps.h"

#include "codegen/kernel/GroupArguments.h"
#include "codegen/kernel/Passes.h"
#include "ir/dialect/Locations.h"
#include "mlir/Pass/Pass.h"
#include "passes/fusion/GroupPlan.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

void numberOps(func::FuncOp func) {
  Builder builder(func.getContext());
  for (auto [id, op] : llvm::enumerate(func.front().without_terminator()))
    op.setLoc(FusedLoc::get(func.getContext(), {op.getLoc()},
                            builder.getI64IntegerAttr(id)));
}

void addIds(Location loc, OpIds &ids) {
  loc->walk([&](Location inner) {
    if (auto fused = dyn_cast<FusedLoc>(inner))
      if (auto id = dyn_cast_or_null<IntegerAttr>(fused.getMetadata()))
        ids.insert(id.getInt());
    return WalkResult::advance();
  });
}

std::string typeText(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << tensor.getElementType() << "[";
  llvm::interleaveComma(tensor.getShape(), os);
  os << "]";
  return text;
}

std::string mnemonicOf(Operation *op) {
  return op->getName().stripDialect().str();
}

StringRef addLines(Location loc, llvm::SetVector<unsigned> &lines) {
  StringRef file;
  loc->walk([&](Location inner) {
    if (auto place = dyn_cast<FileLineColLoc>(inner)) {
      if (file.empty())
        file = place.getFilename().getValue();
      lines.insert(place.getLine());
    }
    return WalkResult::advance();
  });
  return file;
}

namespace {

//===----------------------------------------------------------------------===//
// What was not fused
//===----------------------------------------------------------------------===//

/// Reads the plan of the groups where the pass is about to follow it.
class PlanReader final : public PassInstrumentation {
public:
  PlanReader(StringRef entry, bool fuse, std::vector<UnfusedPair> &pairs)
      : entry(entry), fuse(fuse), pairs(pairs) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    auto module = dyn_cast<ModuleOp>(op);
    if (!module || pass->getArgument() != "amp-form-groups")
      return;
    auto func = module.lookupSymbol<func::FuncOp>(entry);
    if (!func || !func.getBody().hasOneBlock())
      return;
    for (auto loop : func.front().getOps<ForeachOp>())
      readBlock(loop.getBody().front());
    readBlock(func.front());
  }

private:
  void readBlock(Block &block) {
    GroupPlan plan(block, fuse, /*products=*/true);
    for (const FusionRefusal &refusal : plan.refusals())
      add(refusal.producer, refusal.consumer, refusal.reason);
    for (Operation &inner : block)
      if (isContraction(&inner) && !plan.groupOf(&inner))
        addNeighbours(&inner, plan);
  }

  static bool isContraction(Operation *op) {
    auto fusible = dyn_cast<Fusible>(op);
    return fusible && fusible.fusionKind() == FusionKind::contraction;
  }

  /// The groups that a contraction reads and feeds; they hold its neighbours.
  void addNeighbours(Operation *op, const GroupPlan &plan) {
    StringRef reason = "a contraction is a product of the library";
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && plan.groupOf(producer))
        add(producer, op, reason);
    for (Operation *user : op->getUsers())
      if (plan.groupOf(user))
        add(op, user, reason);
  }

  void add(Operation *producer, Operation *consumer, StringRef reason) {
    OpIds from, to;
    addIds(producer->getLoc(), from);
    addIds(consumer->getLoc(), to);
    if (from.empty() || to.empty())
      return;
    std::string text =
        (Twine(from.front()) + " " + mnemonicOf(producer) + " " +
         Twine(to.front()) + " " + mnemonicOf(consumer) + " " + reason)
            .str();
    if (known.insert(text).second)
      pairs.push_back({from.front(), to.front(), mnemonicOf(producer),
                       mnemonicOf(consumer), reason.str()});
  }

  std::string entry;
  bool fuse;
  std::vector<UnfusedPair> &pairs;
  llvm::StringSet<> known;
};

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Fills `kernels` and the ops' details from an entry whose groups carry their
/// kernels' symbols.
class KernelReader {
public:
  explicit KernelReader(Explanation &out) : out(out) {}

  LogicalResult read(func::FuncOp func) {
    for (Operation &op : func.front().without_terminator())
      if (failed(read(&op)))
        return failure();
    for (ExplainedOp &line : out.ops)
      if (line.detail.empty())
        line.detail = "merged with an equal op, or not needed";
    return success();
  }

private:
  LogicalResult read(Operation *op) {
    if (auto group = dyn_cast<GroupOp>(op))
      return readGroup(group, /*times=*/1);
    if (auto loop = dyn_cast<ForeachOp>(op))
      return readLoop(loop);
    if (auto matmul = dyn_cast<MatmulOp>(op)) {
      readMatmul(matmul);
      return success();
    }
    StringRef detail = isa<ReadOp, ReshapeOp>(op) ? "the bytes where they are"
                       : isa<ConstantOp>(op)      ? "a constant of the plan"
                                                  : "";
    if (auto write = dyn_cast<WriteOp>(op)) {
      PlaceAttr place = placeOf(write.getInput());
      bool isInPlace = place && place.getSpace() == Space::variable &&
                       place.getVariable() == write.getVariableAttr();
      detail = isInPlace ? "written in place" : "a copy";
    }
    OpIds ids;
    addIds(op->getLoc(), ids);
    for (unsigned id : ids)
      addDetail(id, detail);
    return success();
  }

  LogicalResult readLoop(ForeachOp loop) {
    for (Operation &inner : loop.getBody().front().without_terminator()) {
      auto group = dyn_cast<GroupOp>(inner);
      if (failed(group ? readGroup(group, loop.getCount()) : read(&inner)))
        return failure();
    }
    ExplainedKernel whole;
    whole.name = mnemonicOf(loop);
    whole.source = sourceOf(loop.getLoc());
    OpIds ids;
    loop.getBody().walk([&](Operation *op) { addIds(op->getLoc(), ids); });
    whole.ops.assign(ids.begin(), ids.end());
    addRecompute(loop, whole);
    return success();
  }

  /// The kernel of `group`, which runs `times` times in a step.
  LogicalResult readGroup(GroupOp group, uint64_t times) {
    ExplainedKernel kernel;
    auto symbol = group->getAttrOfType<SymbolRefAttr>(kKernelAttr);
    if (!symbol) {
      kernel.name = "nothing: its results are empty";
      addOps(group.getBody().front(), kernel);
      return success();
    }
    FailureOr<SmallVector<KernelArgument>> arguments = kernelArguments(group);
    if (failed(arguments))
      return failure();
    kernel.name = symbol.getLeafReference().str();
    kernel.kind = stringifyGroupKind(group.getKind()).str();
    for (const KernelArgument &argument : *arguments) {
      uint64_t bytes = storageBytes(
          RankedTensorType::get({argument.count}, argument.element));
      if (!argument.operands.empty())
        kernel.bytes_read += bytes * times;
      if (argument.isWritten())
        kernel.bytes_written += bytes * times;
    }
    addOps(group.getBody().front(), kernel);
    kernel.source = sourceOf(group.getLoc());
    addRecompute(group, kernel);
    out.kernels.push_back(std::move(kernel));
    return success();
  }

  void readMatmul(MatmulOp op) {
    ExplainedKernel kernel;
    std::string path = namePathOf(op.getLoc());
    kernel.name = path.empty() ? "matmul" : path + " matmul";
    kernel.kind = "product";
    for (Value operand : op->getOperands())
      kernel.bytes_read += storageBytes(tensorType(operand));
    kernel.bytes_written = storageBytes(tensorType(op.getResult()));
    OpIds ids;
    addIds(op.getLoc(), ids);
    for (unsigned id : ids)
      addOp(id, kernel);
    kernel.source = sourceOf(op.getLoc());
    addRecompute(op, kernel);
    out.kernels.push_back(std::move(kernel));
  }

  /// The results of an op that computes something again; its time counts for
  /// the first of them.
  void addRecompute(Operation *op, const ExplainedKernel &kernel) {
    auto time = op->getAttrOfType<IntegerAttr>(kRecomputeAttr);
    if (!time)
      return;
    std::string path = namePathOf(op->getLoc());
    for (Value result : op->getResults())
      out.recompute.push_back(
          {path.empty() ? kernel.name : path, typeText(result.getType()),
           kernel.source, kernel.ops,
           uint64_t(storageBytes(tensorType(result))),
           result == op->getResult(0) ? double(time.getInt()) / 1000 : 0});
  }

  void addOps(Block &body, ExplainedKernel &kernel) {
    OpIds ids;
    for (Operation &op : body.without_terminator())
      addIds(op.getLoc(), ids);
    for (unsigned id : ids)
      addOp(id, kernel);
  }

  void addOp(unsigned id, ExplainedKernel &kernel) {
    kernel.ops.push_back(id);
    addDetail(id, "in " + kernel.name);
  }

  void addDetail(unsigned id, const Twine &text) {
    std::string part = text.str();
    if (id >= out.ops.size() || part.empty())
      return;
    std::string &detail = out.ops[id].detail;
    detail += (detail.empty() ? "" : "; ") + part;
  }

  static std::string sourceOf(Location loc) {
    llvm::SetVector<unsigned> lines;
    StringRef file = addLines(loc, lines);
    SmallVector<unsigned> sorted(lines.begin(), lines.end());
    llvm::sort(sorted);
    std::string text = file.str();
    for (auto [i, line] : llvm::enumerate(sorted))
      text += (i ? "," : ":") + std::to_string(line);
    return text;
  }

  Explanation &out;
};

} // namespace

std::unique_ptr<PassInstrumentation>
readFusion(StringRef entry, bool fuse, std::vector<UnfusedPair> &pairs) {
  return std::make_unique<PlanReader>(entry, fuse, pairs);
}

LogicalResult readKernels(func::FuncOp func, Explanation &out) {
  return KernelReader(out).read(func);
}

} // namespace ampc
