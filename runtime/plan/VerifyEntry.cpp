// What an entry of a plan does, checked before it runs: its ports, and where
// each instruction reads and writes. Loops: VerifyLoop.cpp.
#include "runtime/plan/PlanVerifier.h"

#include <fmt/format.h>
#include <unordered_set>

namespace ampc::rt {

/// Number of a check, position and element.
static bool isFaultType(const fb::TensorType &type) {
  return type.dtype() == fb::DType::I64 && sizeOfVector(type.shape()) == 1 &&
         type.shape()->Get(0) == 3;
}

Expected<void> PlanVerifier::check(const fb::Port &port,
                                   const fb::IndexCheck &check,
                                   std::string_view what) const {
  DType type = DType(port.type()->dtype());
  if (type != DType::I8 && type != DType::I32 && type != DType::I64)
    return error(fmt::format("{}: a check needs integers, the input is {}",
                             what, name_of(type)));
  size_t rank = sizeOfVector(check.extents());
  if (rank != sizeOfVector(check.strides()) || rank > kMaxCheckRank)
    return error(fmt::format(
        "{}: a check of {} extents and {} strides, at most {} of each", what,
        rank, sizeOfVector(check.strides()), kMaxCheckRank));
  // The last element looked at lies in the input; no product wraps.
  std::optional<uint64_t> last = check.offset();
  for (unsigned axis = 0; axis < rank; ++axis) {
    uint64_t extent = check.extents()->Get(axis);
    std::optional<uint64_t> reach =
        extent ? product(extent - 1, check.strides()->Get(axis)) : std::nullopt;
    last = last && reach && *last <= kMaxExtent ? std::optional(*last + *reach)
                                                : std::nullopt;
  }
  uint64_t elements = port.bytes() / sizeOf(type);
  if (!last || *last >= elements)
    return error(fmt::format("{}: a check leaves the input's {} elements", what,
                             elements));
  return source(check.source(), what);
}

Expected<void> PlanVerifier::computedCheck(const fb::IndexCheck &check,
                                           std::string_view what) const {
  for (unsigned axis = 0; axis < sizeOfVector(check.extents()); ++axis)
    if (check.extents()->Get(axis) == 0)
      return error(fmt::format("{}: a check of no elements", what));
  return source(check.source(), what);
}

Expected<void> PlanVerifier::ports(
    const fb::Entry &entry,
    const flatbuffers::Vector<flatbuffers::Offset<fb::Port>> *list,
    bool inputs) const {
  std::unordered_set<std::string_view> names;
  unsigned probes = 0;
  for (unsigned i = 0; i < sizeOfVector(list); ++i) {
    const fb::Port &port = *list->Get(i);
    std::string what =
        fmt::format("entry '{}': {} '{}'", entry.name()->string_view(),
                    inputs ? "input" : "output", port.name()->string_view());
    if (!names.insert(port.name()->string_view()).second)
      return error(fmt::format("{} occurs twice", what));
    AMPC_ASSIGN(uint64_t bytes, bytesOf(port.type(), what));
    if (port.bytes() < bytes || port.bytes() > kMaxBytes)
      return error(fmt::format("{} has {} bytes, its type needs {}", what,
                               port.bytes(), bytes));
    if (port.kind() > fb::IoKind::MAX ||
        (port.kind() <= fb::IoKind::Target) != inputs)
      return error(fmt::format("{} is of kind {}", what, int(port.kind())));
    bool scalar = port.kind() == fb::IoKind::Loss ||
                  port.kind() == fb::IoKind::Metric ||
                  port.kind() == fb::IoKind::Partial;
    if (scalar && sizeOfVector(port.type()->shape()) != 0)
      return error(
          fmt::format("{}: a loss, metric or partial is a scalar", what));
    AMPC_TRY(probe(port, probes, what));
    probes += port.kind() == fb::IoKind::Probe;
    bool isFault = port.kind() == fb::IoKind::Fault;
    if (isFault && !isFaultType(*port.type()))
      return error(fmt::format("{}: a fault is i64[3]", what));
    if (isFault && i + 1 != list->size())
      return error(fmt::format("{}: a fault is the last output", what));
    if (!inputs && !isFault && sizeOfVector(port.checks()) != 0)
      return error(
          fmt::format("{} is checked; only inputs and the fault are", what));
    for (unsigned c = 0; c < sizeOfVector(port.checks()); ++c)
      AMPC_TRY(isFault ? computedCheck(*port.checks()->Get(c), what)
                       : check(port, *port.checks()->Get(c), what));
    AMPC_TRY(source(port.source(), what));
  }
  return {};
}

Expected<void> PlanVerifier::probe(const fb::Port &port, unsigned before,
                                   std::string_view what) const {
  bool isProbe = port.kind() == fb::IoKind::Probe;
  if (isProbe != (port.probe() != nullptr))
    return error(fmt::format("{} {}", what,
                             isProbe ? "does not say what it shows"
                                     : "is no probe but says what it shows"));
  if (!isProbe)
    return {};
  AMPC_TRY(bytesOf(port.probe()->type(), what));
  for (unsigned i = 0; i < sizeOfVector(port.probe()->inputs()); ++i)
    if (port.probe()->inputs()->Get(i) >= before)
      return error(fmt::format("{} is made of probe {}, expected one of the {} "
                               "before it",
                               what, port.probe()->inputs()->Get(i), before));
  return {};
}

Expected<void> PlanVerifier::place(const fb::Entry &entry,
                                   const fb::Place *place, uint64_t bytes,
                                   bool written, std::string_view what,
                                   const fb::Foreach *loop) const {
  if (!place)
    return error(fmt::format("{} is missing", what));
  if (place->space() == fb::Space::Scratch ||
      place->space() == fb::Space::Slice)
    return placeInLoop(loop, *place, bytes, written, what);
  uint64_t size = 0;
  size_t count = 1;
  switch (place->space()) {
  case fb::Space::Arena:
    size = entry.arena_bytes();
    break;
  case fb::Space::Variable:
    size = plan.variable_bytes();
    break;
  case fb::Space::Constant:
    size = sections.constants;
    break;
  case fb::Space::Input:
  case fb::Space::Output: {
    auto *list =
        place->space() == fb::Space::Input ? entry.inputs() : entry.outputs();
    count = sizeOfVector(list);
    if (place->index() < count)
      size = list->Get(place->index())->bytes();
    break;
  }
  default:
    return error(
        fmt::format("{} is in unknown space {}", what, int(place->space())));
  }
  std::string_view space = fb::EnumNameSpace(place->space());
  if (place->index() >= count)
    return error(fmt::format("{} is in {} {} of {}", what, space,
                             place->index(), count));
  if (bytes > size || place->offset() > size - bytes)
    return error(fmt::format("{} (bytes {} + {}) leaves {} {} of {} bytes",
                             what, place->offset(), bytes, space,
                             place->index(), size));
  bool constant = place->space() == fb::Space::Constant ||
                  place->space() == fb::Space::Input;
  if (written && constant)
    return error(
        fmt::format("{} is written but lies in space {}", what, space));
  if (written && place->space() == fb::Space::Variable)
    return writtenVariable(entry.name()->string_view(), place->offset(), bytes,
                           what);
  return {};
}

Expected<void> PlanVerifier::writtenVariable(std::string_view entry,
                                             uint64_t offset, uint64_t bytes,
                                             std::string_view what) const {
  if (!contains(kStepEntries, entry))
    return error(fmt::format("{} writes a variable; only {} may", what,
                             fmt::join(kStepEntries, ", ")));
  if (entry != "window" && entry != "micro_step")
    return {};
  for (unsigned i = 0; i < sizeOfVector(plan.variables()); ++i) {
    const fb::Variable &variable = *plan.variables()->Get(i);
    if (offset < variable.offset() + variable.bytes() &&
        variable.offset() < offset + bytes &&
        variable.role() != fb::Role::Accumulator &&
        variable.name()->string_view() != "ampc.state/micro")
      return error(fmt::format("{} writes '{}'; {} writes accumulators and "
                               "'ampc.state/micro' alone",
                               what, variable.name()->string_view(), entry));
  }
  return {};
}

Expected<void> PlanVerifier::launch(const fb::Entry &entry,
                                    const fb::Launch &op, std::string_view at,
                                    const fb::Foreach *loop) const {
  if (op.kernel() >= sizeOfVector(plan.kernels()))
    return error(fmt::format("{}: kernel {} of {}", at, op.kernel(),
                             sizeOfVector(plan.kernels())));
  const fb::Kernel &kernel = *plan.kernels()->Get(op.kernel());
  if (sizeOfVector(kernel.arg_bytes()) != sizeOfVector(op.args()))
    return error(
        fmt::format("{}: kernel '{}' takes {} arguments, the launch gives {}",
                    at, kernel.symbol()->string_view(),
                    sizeOfVector(kernel.arg_bytes()), sizeOfVector(op.args())));
  if (op.tiles() != kernel.tiles())
    return error(fmt::format("{}: kernel '{}' has {} tiles, the launch runs {}",
                             at, kernel.symbol()->string_view(), kernel.tiles(),
                             op.tiles()));
  for (unsigned i = 0; i < sizeOfVector(op.args()); ++i)
    AMPC_TRY(place(entry, op.args()->Get(i), kernel.arg_bytes()->Get(i),
                   kernel.arg_written()->Get(i),
                   fmt::format("{}: argument {}", at, i), loop));
  return {};
}

Expected<void> PlanVerifier::contraction(const fb::Entry &entry,
                                         const fb::Contraction &op,
                                         const fb::Instruction *next,
                                         std::string_view at) const {
  auto small = [](fb::DType type) {
    return type == fb::DType::F32 || type == fb::DType::F16 ||
           type == fb::DType::BF16;
  };
  bool wide = op.dtype_a() == fb::DType::F64 &&
              op.dtype_b() == fb::DType::F64 && op.dtype_c() == fb::DType::F64;
  if (!wide &&
      !(small(op.dtype_a()) && small(op.dtype_b()) && small(op.dtype_c())))
    return error(fmt::format(
        "{}: a contraction takes f64 alone or f32, f16 and bf16, got types "
        "{}, {} and {}",
        at, int(op.dtype_a()), int(op.dtype_b()), int(op.dtype_c())));
  struct Operand {
    const char *name;
    const fb::Place *place;
    fb::DType type;
    uint64_t rows, columns, stride;
  };
  const Operand operands[] = {
      {"A", op.a(), op.dtype_a(), op.m(), op.k(), op.stride_a()},
      {"B", op.b(), op.dtype_b(), op.k(), op.n(), op.stride_b()},
      {"C", op.c(), op.dtype_c(), op.m(), op.n(), op.stride_c()}};
  uint64_t bytes[3];
  for (int i = 0; i < 3; ++i) {
    const Operand &operand = operands[i];
    bool written = i == 2;
    std::optional<uint64_t> matrix = product(operand.rows, operand.columns);
    std::optional<uint64_t> last =
        product(op.batch() ? op.batch() - 1 : 0, operand.stride);
    if (!matrix || !last || operand.rows > kMaxExtent ||
        operand.columns > kMaxExtent || op.batch() > kMaxExtent)
      return error(
          fmt::format("{}: the extents of {} overflow", at, operand.name));
    if (written && op.batch() > 1 && operand.stride < *matrix)
      return error(
          fmt::format("{}: the batch stride {} of C is below its {} elements",
                      at, operand.stride, *matrix));
    uint64_t elements = op.batch() == 0 || *matrix == 0 ? 0 : *last + *matrix;
    size_t size = sizeOf(DType(operand.type));
    bytes[i] = elements * size;
    std::string what = fmt::format("{}: operand {}", at, operand.name);
    AMPC_TRY(place(entry, operand.place, bytes[i], written, what));
    if (operand.place->offset() % size)
      return error(
          fmt::format("{} starts at byte {}, expected a multiple of {}", what,
                      operand.place->offset(), size));
  }
  for (int i = 0; i < 2; ++i)
    if (overlap(*operands[i].place, bytes[i], *operands[2].place, bytes[2]))
      return error(
          fmt::format("{}: C overlaps operand {}", at, operands[i].name));
  if (op.init())
    AMPC_TRY(contractionInit(entry, op, bytes[2], at));
  return op.bias() || op.relu() ? contractionEpilogue(entry, op, next, at)
                                : Expected<void>();
}

Expected<void> PlanVerifier::contractionEpilogue(const fb::Entry &entry,
                                                 const fb::Contraction &op,
                                                 const fb::Instruction *next,
                                                 std::string_view at) const {
  if (op.init() || op.batch() != 1 || op.dtype_c() == fb::DType::F64 ||
      (op.bias() && op.dtype_c() != fb::DType::F32))
    return error(fmt::format("{}: bias and relu need one matrix without init, "
                             "relu a C of at most 32 bits, bias one of f32, "
                             "got {} matrices{} and type {}",
                             at, op.batch(), op.init() ? " with init" : "",
                             int(op.dtype_c())));
  const fb::Place &c = *op.c();
  uint64_t bytes = op.m() * op.n() * sizeOf(DType(op.dtype_c())),
           biasBytes = op.n() * sizeof(float);
  if (const fb::Place *bias = op.bias()) {
    std::string what = fmt::format("{}: operand bias", at);
    AMPC_TRY(place(entry, bias, biasBytes, false, what));
    if (bias->offset() % sizeof(float))
      return error(fmt::format("{} starts at byte {}, expected a multiple of 4",
                               what, bias->offset()));
    if (overlap(*bias, biasBytes, c, bytes))
      return error(fmt::format("{}: C overlaps the bias", at));
  }
  const fb::Launch *behind = next ? next->op_as_Launch() : nullptr;
  if (!behind)
    return error(fmt::format("{}: bias or relu, and no launch behind it", at));
  AMPC_TRY(launch(entry, *behind, fmt::format("{}, launch behind it", at)));
  // A device that tries both runs the launch on memory of its own.
  const fb::Kernel &kernel = *plan.kernels()->Get(behind->kernel());
  bool writesC = false;
  for (unsigned i = 0; i < sizeOfVector(behind->args()); ++i) {
    const fb::Place &argument = *behind->args()->Get(i);
    uint64_t touched = kernel.arg_bytes()->Get(i);
    bool isWritten = kernel.arg_written()->Get(i);
    bool isC = isSamePlace(argument, c) && touched <= bytes;
    bool isBias = op.bias() && isSamePlace(argument, *op.bias()) &&
                  touched <= biasBytes && !isWritten;
    if (!isC && !isBias)
      return error(fmt::format("{}: the launch behind it has argument {} "
                               "beside C and the bias",
                               at, i));
    writesC |= isC && isWritten;
  }
  return writesC ? Expected<void>()
                 : error(fmt::format("{}: the launch behind it does not write "
                                     "C",
                                     at));
}

Expected<void> PlanVerifier::contractionInit(const fb::Entry &entry,
                                             const fb::Contraction &op,
                                             uint64_t bytes,
                                             std::string_view at) const {
  std::string what = fmt::format("{}: operand init", at);
  if (op.dtype_c() != fb::DType::F32 && op.dtype_c() != fb::DType::F64)
    return error(fmt::format("{}: C must be f32 or f64, got type {}", what,
                             int(op.dtype_c())));
  AMPC_TRY(place(entry, op.init(), bytes, false, what));
  const fb::Place &init = *op.init(), &c = *op.c();
  size_t size = sizeOf(DType(op.dtype_c()));
  if (init.offset() % size)
    return error(fmt::format("{} starts at byte {}, expected a multiple of {}",
                             what, init.offset(), size));
  if (overlap(init, bytes, c, bytes) && init.offset() != c.offset())
    return error(fmt::format("{}: C overlaps init", at));
  return {};
}

Expected<void> PlanVerifier::copy(const fb::Entry &entry, const fb::Copy &op,
                                  std::string_view at) const {
  AMPC_TRY(place(entry, op.src(), op.bytes(), false,
                 fmt::format("{}: the source", at)));
  AMPC_TRY(place(entry, op.dst(), op.bytes(), true,
                 fmt::format("{}: the destination", at)));
  if (overlap(*op.src(), op.bytes(), *op.dst(), op.bytes()))
    return error(fmt::format("{}: source and destination overlap", at));
  return {};
}

Expected<void> PlanVerifier::fill(const fb::Entry &entry, const fb::Fill &op,
                                  std::string_view at) const {
  unsigned width = op.width();
  if (width != 1 && width != 2 && width != 4 && width != 8)
    return error(fmt::format("{}: pattern of {} bytes, expected 1, 2, 4 or 8",
                             at, width));
  AMPC_TRY(place(entry, op.dst(), op.bytes(), true,
                 fmt::format("{}: the destination", at)));
  if (op.bytes() % width || op.dst()->offset() % width)
    return error(
        fmt::format("{}: bytes {} + {} are no multiples of the pattern's {}",
                    at, op.dst()->offset(), op.bytes(), width));
  return {};
}

Expected<void> PlanVerifier::entry(const fb::Entry &entry) const {
  AMPC_TRY(ports(entry, entry.inputs(), true));
  AMPC_TRY(ports(entry, entry.outputs(), false));
  if (entry.arena_bytes() > kMaxBytes)
    return error(fmt::format("entry '{}': arena of {} bytes, at most 2^52",
                             entry.name()->string_view(), entry.arena_bytes()));
  for (unsigned i = 0; i < sizeOfVector(entry.instructions()); ++i) {
    const fb::Instruction &instruction = *entry.instructions()->Get(i);
    std::string at = fmt::format("entry '{}', instruction {}",
                                 entry.name()->string_view(), i);
    AMPC_TRY(source(instruction.source(), at));
    if (!instruction.op())
      return error(fmt::format("{} is empty", at));
    switch (instruction.op_type()) {
    case fb::Op::Launch:
      AMPC_TRY(launch(entry, *instruction.op_as_Launch(), at));
      break;
    case fb::Op::Contraction:
      AMPC_TRY(contraction(entry, *instruction.op_as_Contraction(),
                           i + 1 < entry.instructions()->size()
                               ? entry.instructions()->Get(i + 1)
                               : nullptr,
                           at));
      break;
    case fb::Op::Copy:
      AMPC_TRY(copy(entry, *instruction.op_as_Copy(), at));
      break;
    case fb::Op::Fill:
      AMPC_TRY(fill(entry, *instruction.op_as_Fill(), at));
      break;
    case fb::Op::Foreach:
      AMPC_TRY(foreach (entry, *instruction.op_as_Foreach(), at));
      break;
    default:
      return error(fmt::format("{} is of unknown kind {}", at,
                               int(instruction.op_type())));
    }
  }
  return {};
}

} // namespace ampc::rt
