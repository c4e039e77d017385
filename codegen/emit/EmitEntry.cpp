// An entry's ports and instructions.
#include "codegen/emit/PlanBuilder.h"
#include "codegen/kernel/GroupArguments.h"
#include "codegen/kernel/Passes.h"
#include "ir/dialect/Locations.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

static_assert(static_cast<int>(Io::metric) ==
              static_cast<int>(rt::fb::IoKind::Metric));
static_assert(static_cast<int>(Io::partial) ==
              static_cast<int>(rt::fb::IoKind::Partial));
static_assert(static_cast<int>(Io::fault) ==
              static_cast<int>(rt::fb::IoKind::Fault));
static_assert(static_cast<int>(Io::probe) ==
              static_cast<int>(rt::fb::IoKind::Probe));
static_assert(static_cast<int>(Io::output) ==
              static_cast<int>(rt::fb::IoKind::Output));

std::unique_ptr<rt::fb::IndexCheckT>
PlanBuilder::planCheck(IndexRangeAttr range) {
  auto check = std::make_unique<rt::fb::IndexCheckT>();
  check->low = range.getLow();
  check->high = range.getHigh();
  if (IntegerAttr ignore = range.getIgnore()) {
    check->has_ignore = true;
    check->ignore = ignore.getInt();
  }
  check->offset = range.getOffset();
  llvm::append_range(check->extents, range.getExtents().asArrayRef());
  llvm::append_range(check->strides, range.getStrides().asArrayRef());
  check->noun = range.getNoun().str();
  check->op = range.getOp().str();
  check->source = sourceOf(range.getLoc());
  return check;
}

static std::unique_ptr<rt::fb::ProbeT> planProbe(ProbeAttr probe) {
  auto planned = std::make_unique<rt::fb::ProbeT>();
  planned->op = probe.getOp().str();
  planned->path = probe.getPath().str();
  planned->type =
      planTensorType(cast<RankedTensorType>(probe.getType().getValue()));
  planned->backward = probe.getBackward();
  planned->infinite = probe.getInfinite();
  for (int64_t input : probe.getInputs().asArrayRef())
    planned->inputs.push_back(static_cast<uint32_t>(input));
  return planned;
}

/// Where `value` is computed: the op inside of a group or a loop, which has the
/// places of all its ops.
static Location computedAt(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<GroupOp, ForeachOp>(op))
      break;
    value = op->getRegion(0).front().getTerminator()->getOperand(
        cast<OpResult>(value).getResultNumber());
  }
  return value.getLoc();
}

LogicalResult
PlanBuilder::addPort(std::vector<std::unique_ptr<rt::fb::PortT>> &ports,
                     func::FuncOp func, unsigned number, bool isInput) {
  DictionaryAttr attributes =
      isInput ? func.getArgAttrDict(number) : func.getResultAttrDict(number);
  auto name =
      attributes ? attributes.getAs<StringAttr>(kNameAttr) : StringAttr();
  auto io = attributes ? attributes.getAs<IoAttr>(kIoAttr) : IoAttr();
  if (!name || !io)
    return func.emitOpError() << (isInput ? "argument " : "result ") << number
                              << " has no amp.name or no amp.io";
  auto type = cast<RankedTensorType>(isInput ? func.getArgumentTypes()[number]
                                             : func.getResultTypes()[number]);
  auto port = std::make_unique<rt::fb::PortT>();
  port->name = name.str();
  port->kind = static_cast<rt::fb::IoKind>(io.getValue());
  port->type = planTensorType(type);
  port->bytes = storageBytes(type);
  if (auto ranges = attributes.getAs<ArrayAttr>(kIndexRangeAttr))
    for (auto range : ranges.getAsRange<IndexRangeAttr>())
      port->checks.push_back(planCheck(range));
  if (auto probe = attributes.getAs<ProbeAttr>(kProbeAttr))
    port->probe = planProbe(probe);
  port->source = sourceOf(
      isInput ? func.getArgument(number).getLoc()
              : computedAt(func.front().getTerminator()->getOperand(number)));
  ports.push_back(std::move(port));
  return success();
}

rt::fb::InstructionT &PlanBuilder::addInstruction(rt::fb::EntryT &entry,
                                                  Operation *op,
                                                  StringRef label) {
  auto instruction = std::make_unique<rt::fb::InstructionT>();
  instruction->source = sourceOf(op->getLoc());
  std::string path = namePathOf(op->getLoc());
  // A loop is all of what its path names, which is no loop.
  if (isa<ForeachOp>(op) && !path.empty())
    label = "";
  instruction->label = path;
  if (!label.empty())
    instruction->label += (path.empty() ? "" : " ") + label.str();
  entry.instructions.push_back(std::move(instruction));
  return *entry.instructions.back();
}

FailureOr<std::unique_ptr<rt::fb::LaunchT>>
PlanBuilder::planLaunch(GroupOp group, StringRef &label) {
  auto launch = std::make_unique<rt::fb::LaunchT>();
  auto symbol = group->getAttrOfType<SymbolRefAttr>(kKernelAttr);
  if (!symbol) {
    launch.reset();
    return launch;
  }
  auto found = kernelNumbers.find(symbol.getLeafReference().getValue());
  if (found == kernelNumbers.end())
    return group.emitOpError()
           << "names a kernel that does not exist: " << symbol;
  FailureOr<SmallVector<KernelArgument>> arguments = kernelArguments(group);
  if (failed(arguments))
    return failure();
  launch->kernel = found->second.first;
  launch->tiles = found->second.second;
  rt::fb::KernelT &kernel = *plan.kernels[launch->kernel];
  for (auto [i, argument] : llvm::enumerate(*arguments)) {
    FailureOr<rt::fb::Place> place = planPlace(group, argument.place);
    if (failed(place))
      return failure();
    launch->args.push_back(*place);
    if (argument.isWritten())
      kernel.arg_written[i] = true;
  }
  if (plan.target_kind == "cuda")
    for (const SiteWord &site : siteWords(group))
      launch->args.push_back(placeSite(site.word));
  label = found->first();
  return launch;
}

LogicalResult PlanBuilder::addLaunch(rt::fb::EntryT &entry, GroupOp group) {
  StringRef label;
  FailureOr<std::unique_ptr<rt::fb::LaunchT>> launch = planLaunch(group, label);
  if (failed(launch))
    return failure();
  if (*launch)
    addInstruction(entry, group, label).op.Set(std::move(**launch));
  return success();
}

LogicalResult PlanBuilder::addForeach(rt::fb::EntryT &entry, ForeachOp loop) {
  if (plan.target_kind != "cpu")
    return loop.emitOpError()
           << "runs on the CPU alone; this plan is for " << plan.target_kind;
  auto scratch = loop->getAttrOfType<IntegerAttr>(kScratchBytesAttr);
  if (!scratch)
    return loop.emitOpError() << "has no " << kScratchBytesAttr
                              << "; codegen takes modules in stage placed";
  rt::fb::ForeachT op;
  op.count = loop.getCount();
  op.scratch_bytes = scratch.getInt();
  auto addSlices = [&](Value whole, Type slice, uint64_t count,
                       uint64_t divisor) -> LogicalResult {
    PlaceAttr attribute = placeOf(whole);
    FailureOr<rt::fb::Place> first = attribute
                                         ? planPlace(loop, attribute)
                                         : FailureOr<rt::fb::Place>(failure());
    if (failed(first))
      return failure();
    auto slices = std::make_unique<rt::fb::SlicesT>();
    slices->first = std::make_unique<rt::fb::Place>(*first);
    slices->bytes = storageBytes(cast<RankedTensorType>(slice));
    slices->count = count;
    slices->divisor = divisor;
    op.slices.push_back(std::move(slices));
    return success();
  };
  Block &body = loop.getBody().front();
  for (BlockArgument argument : body.getArguments())
    if (unsigned i = argument.getArgNumber();
        failed(addSlices(loop.getInputs()[i], argument.getType(),
                         loop.slicesOf(i), loop.getDivisors()[i])))
      return failure();
  for (auto [whole, slice] : llvm::zip_equal(
           loop.getOutputs(), body.getTerminator()->getOperandTypes()))
    if (failed(addSlices(whole, slice, op.count, 1)))
      return failure();
  for (Operation &inner : body.without_terminator()) {
    if (isa<ReshapeOp, ConstantOp>(inner))
      continue; // a view; in the constant section
    auto group = dyn_cast<GroupOp>(inner);
    if (!group)
      return inner.emitOpError()
             << "cannot stand in the body of amp.foreach in a placed module";
    StringRef label;
    FailureOr<std::unique_ptr<rt::fb::LaunchT>> launch =
        planLaunch(group, label);
    if (failed(launch))
      return failure();
    if (*launch)
      op.body.push_back(std::move(*launch));
  }
  addInstruction(entry, loop, "foreach").op.Set(std::move(op));
  return success();
}

LogicalResult PlanBuilder::addContraction(rt::fb::EntryT &entry,
                                          MatmulOp matmul) {
  MatmulOp::Extents extents = matmul.extents();
  if (tensorType(matmul.getResult()).getNumElements() == 0)
    return success();
  rt::fb::ContractionT op;
  std::unique_ptr<rt::fb::Place> *places[] = {&op.a, &op.b, &op.c, &op.init,
                                              &op.bias};
  Value values[] = {matmul.getLhs(), matmul.getRhs(), matmul.getResult(),
                    matmul.getInit(), matmul.getBias()};
  for (auto [place, value] : llvm::zip(places, values)) {
    if (!value)
      continue;
    PlaceAttr attribute = placeOf(value);
    if (!attribute)
      return failure();
    FailureOr<rt::fb::Place> planned = planPlace(matmul, attribute);
    if (failed(planned))
      return failure();
    *place = std::make_unique<rt::fb::Place>(*planned);
  }
  op.dtype_a = planType(tensorType(matmul.getLhs()).getElementType());
  op.dtype_b = planType(tensorType(matmul.getRhs()).getElementType());
  op.dtype_c = planType(tensorType(matmul.getResult()).getElementType());
  op.m = extents.m;
  op.n = extents.n;
  op.k = extents.k;
  op.transpose_a = matmul.getTransposeA();
  op.transpose_b = matmul.getTransposeB();
  op.batch = extents.batch;
  op.stride_a = extents.m * extents.k;
  op.stride_b = extents.k * extents.n;
  op.stride_c = extents.m * extents.n;
  op.relu = matmul.getRelu();
  addInstruction(entry, matmul, "matmul").op.Set(std::move(op));
  return success();
}

LogicalResult PlanBuilder::addCopy(rt::fb::EntryT &entry, Operation *op,
                                   Value value, PlaceAttr destination) {
  PlaceAttr source = placeOf(value);
  if (!source)
    return failure();
  int64_t bytes = storageBytes(tensorType(value));
  if (source == destination || bytes == 0)
    return success();
  FailureOr<rt::fb::Place> from = planPlace(op, source),
                           to = planPlace(op, destination);
  if (failed(from) || failed(to))
    return failure();
  rt::fb::CopyT copy;
  copy.src = std::make_unique<rt::fb::Place>(*from);
  copy.dst = std::make_unique<rt::fb::Place>(*to);
  copy.bytes = bytes;
  addInstruction(entry, op, "copy").op.Set(std::move(copy));
  return success();
}

LogicalResult PlanBuilder::addInstruction(rt::fb::EntryT &entry,
                                          func::FuncOp func, Operation *op) {
  MLIRContext *context = op->getContext();
  if (isa<ReadOp, ReshapeOp>(op))
    return success(); // their place is that of the bytes they look at
  if (auto constant = dyn_cast<ConstantOp>(op))
    return addConstant(entry, constant);
  if (auto group = dyn_cast<GroupOp>(op))
    return addLaunch(entry, group);
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return addContraction(entry, matmul);
  if (auto loop = dyn_cast<ForeachOp>(op))
    return addForeach(entry, loop);
  if (auto write = dyn_cast<WriteOp>(op))
    return addCopy(
        entry, op, write.getInput(),
        PlaceAttr::get(context, Space::variable, 0, write.getVariableAttr()));
  if (isa<func::ReturnOp>(op)) {
    for (OpOperand &operand : op->getOpOperands())
      if (failed(addCopy(entry, op, operand.get(),
                         PlaceAttr::get(context, Space::output,
                                        operand.getOperandNumber(), {}))))
        return failure();
    return success();
  }
  return op->emitOpError() << "cannot stand in an entry of a placed module";
}

LogicalResult PlanBuilder::addEntry(func::FuncOp func, Entry kind) {
  if (!func.getBody().hasOneBlock())
    return func.emitOpError() << "must have a body of one block";
  auto arena = func->getAttrOfType<IntegerAttr>(kArenaBytesAttr);
  if (!arena)
    return func.emitOpError() << "has no " << kArenaBytesAttr
                              << "; codegen takes modules in stage placed";
  auto entry = std::make_unique<rt::fb::EntryT>();
  entry->name = stringifyEntry(kind).str();
  entry->arena_bytes = arena.getInt();
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (failed(addPort(entry->inputs, func, i, /*isInput=*/true)))
      return failure();
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    if (failed(addPort(entry->outputs, func, i, /*isInput=*/false)))
      return failure();
  for (Operation &op : func.front())
    if (failed(addInstruction(*entry, func, &op)))
      return failure();
  plan.entries.push_back(std::move(entry));
  return success();
}
