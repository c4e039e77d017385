// Values of a group's body at a point of its loops.
#include "codegen/kernel/BodyEmitter.h"

#include "codegen/kernel/GatherEmitter.h"
#include "codegen/kernel/PrimitiveEmitter.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

static Value indexConstant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

/// Index arithmetic never wraps: extents are below 2^48.
static Value multiply(OpBuilder &builder, Location loc, Value value,
                      int64_t factor) {
  if (factor == 1)
    return value;
  return arith::MulIOp::create(builder, loc, value,
                               indexConstant(builder, loc, factor),
                               arith::IntegerOverflowFlags::nsw);
}

static Value sum(OpBuilder &builder, Location loc, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return arith::AddIOp::create(builder, loc, lhs, rhs,
                               arith::IntegerOverflowFlags::nsw);
}

BodyEmitter::BodyEmitter(GroupOp group, const GroupSpace &space,
                         ArrayRef<KernelArgument> arguments,
                         ValueRange pointers)
    : group(group), space(space) {
  operandPointers.resize(group.getNumOperands());
  resultPointers.resize(group.getNumResults());
  for (auto [argument, pointer] : llvm::zip(arguments, pointers)) {
    for (unsigned i : argument.operands)
      operandPointers[i] = pointer;
    for (unsigned i : argument.results)
      resultPointers[i] = pointer;
  }
  ValueRange rest = pointers.drop_front(arguments.size());
  if (!rest.empty())
    for (auto [site, pointer] : llvm::zip_equal(siteWords(group), rest))
      sitePointers[site.op] = pointer;
}

void BodyEmitter::moveTo(Point next) {
  point = std::move(next);
  computed.clear();
}

Value BodyEmitter::offset(OpBuilder &builder, Location loc, AxisSet axes,
                          ArrayRef<Value> coordinates) {
  Value total;
  int64_t stride = 1;
  bool lanes = false; // the lane axes' part is in `total`
  for (int64_t axis = space.extents().size() - 1; axis >= 0; --axis) {
    if (!(axes >> axis & 1))
      continue;
    if (coordinates[axis]) {
      total = sum(builder, loc,
                  multiply(builder, loc, coordinates[axis], stride), total);
    } else if (!lanes) {
      // All lane axes are covered and innermost: their linear index has
      // stride 1.
      total = sum(builder, loc, point.laneBase, total);
      lanes = true;
    }
    stride *= space.extents()[axis];
  }
  return total ? total : indexConstant(builder, loc, 0);
}

SmallVector<Value> BodyEmitter::laneCoordinates(OpBuilder &builder,
                                                Location loc, int64_t lane) {
  SmallVector<Value> coordinates = point.coordinates;
  Value rest =
      sum(builder, loc, point.laneBase, indexConstant(builder, loc, lane));
  for (int64_t axis = space.extents().size() - 1; axis >= 0; --axis) {
    if (!(point.laneAxes >> axis & 1))
      continue;
    Value extent = indexConstant(builder, loc, space.extents()[axis]);
    coordinates[axis] = arith::RemUIOp::create(builder, loc, rest, extent);
    rest = arith::DivUIOp::create(builder, loc, rest, extent);
  }
  return coordinates;
}

Value BodyEmitter::load(OpBuilder &builder, BlockArgument argument,
                        const AxisMap &map) {
  Location loc = argument.getLoc();
  Value pointer = operandPointers[argument.getArgNumber()];
  Type element = tensorType(argument).getElementType();
  Type stored = storageTypeFor(element);
  AxisSet axes = space.loopAxes(map.covered);
  AxisSet lanes = axes & point.laneAxes;
  Value value;
  if (!lanes) {
    value = memref::LoadOp::create(
        builder, loc, pointer, offset(builder, loc, axes, point.coordinates));
  } else if (lanes == point.laneAxes) {
    value = vector::LoadOp::create(
        builder, loc, VectorType::get({point.lanes}, stored), pointer,
        offset(builder, loc, axes, point.coordinates));
  } else if (!(space.extents()[llvm::Log2_64(point.laneAxes)] % point.lanes)) {
    // Varies along some of the lane axes only, and all lanes lie in one row of
    // the last of them (lanes start at multiples of their number).
    SmallVector<Value> first = laneCoordinates(builder, loc, 0);
    Value index = offset(builder, loc, axes, first);
    auto type = VectorType::get({point.lanes}, stored);
    if (lanes >> llvm::Log2_64(point.laneAxes) & 1)
      value = vector::LoadOp::create(builder, loc, type, pointer, index);
    else
      value = vector::BroadcastOp::create(
          builder, loc, type,
          memref::LoadOp::create(builder, loc, pointer, index));
  } else {
    // Rows end between the lanes: element by element.
    SmallVector<Value> elements;
    for (int64_t lane = 0; lane < point.lanes; ++lane)
      elements.push_back(memref::LoadOp::create(
          builder, loc, pointer,
          offset(builder, loc, axes, laneCoordinates(builder, loc, lane))));
    value = vector::FromElementsOp::create(
        builder, loc, VectorType::get({point.lanes}, stored), elements);
  }
  return fromStorage(builder, loc, value, element);
}

Value BodyEmitter::elementNumbers(OpBuilder &builder, Location loc,
                                  AxisSet axes) {
  Type i64 = builder.getI64Type();
  AxisSet lanes = axes & point.laneAxes;
  if (!lanes || lanes == point.laneAxes) {
    Value first = arith::IndexCastOp::create(
        builder, loc, i64, offset(builder, loc, axes, point.coordinates));
    if (!lanes)
      return first;
    auto type = VectorType::get({point.lanes}, i64);
    SmallVector<int64_t> steps =
        llvm::to_vector(llvm::seq<int64_t>(0, point.lanes));
    Value step = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(type, ArrayRef(steps)));
    Value firsts = vector::BroadcastOp::create(builder, loc, type, first);
    return arith::AddIOp::create(builder, loc, firsts, step);
  }
  SmallVector<Value> numbers;
  for (int64_t lane = 0; lane < point.lanes; ++lane)
    numbers.push_back(arith::IndexCastOp::create(
        builder, loc, i64,
        offset(builder, loc, axes, laneCoordinates(builder, loc, lane))));
  return vector::FromElementsOp::create(
      builder, loc, VectorType::get({point.lanes}, i64), numbers);
}

Value BodyEmitter::widen(OpBuilder &builder, Location loc, Value value,
                         const AxisMap &map) {
  if (!(space.loopAxes(map.covered) & point.laneAxes) ||
      isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      builder, loc, VectorType::get({point.lanes}, value.getType()), value);
}

FailureOr<Value> BodyEmitter::emitConstant(OpBuilder &builder, ConstantOp op,
                                           const AxisMap &map) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements || !elements.isSplat())
    return op->emitOpError() << "inside a group must be a splat";
  Type element = elements.getElementType();
  auto scalar = cast<TypedAttr>(elements.getSplatValue<Attribute>());
  if (Type compute = computeTypeFor(element); compute != element) {
    // Every narrow float is an f32: the conversion is exact.
    APFloat number = elements.getSplatValue<APFloat>();
    bool losesInfo = false;
    number.convert(cast<FloatType>(compute).getFloatSemantics(),
                   APFloat::rmNearestTiesToEven, &losesInfo);
    scalar = FloatAttr::get(compute, number);
  }
  Location loc = op.getLoc();
  return widen(builder, loc, arith::ConstantOp::create(builder, loc, scalar),
               map);
}

Value BodyEmitter::emitIota(OpBuilder &builder, IotaOp op, const AxisMap &map) {
  Location loc = op.getLoc();
  Value number = elementNumbers(builder, loc, space.loopAxes(map.covered));
  Type element = tensorType(op.getResult()).getElementType();
  Type type = typeLike(element, number.getType());
  if (isa<FloatType>(element))
    return arith::SIToFPOp::create(builder, loc, type, number);
  return element.isInteger(64)
             ? number
             : arith::TruncIOp::create(builder, loc, type, number);
}

/// The operands that a body computes before `op`: not those of a reduction,
/// which an earlier pass computed, nor what is read at other elements.
static SmallVector<unsigned> computedOperands(Operation *op) {
  SmallVector<unsigned> numbers;
  if (isa<ReduceOp>(op))
    return numbers;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (!cast<Fusible>(op).readsElsewhere(i))
      numbers.push_back(i);
  return numbers;
}

FailureOr<Value> BodyEmitter::emitOp(OpBuilder &builder, Operation *op,
                                     ValueRange operands, const AxisMap &map) {
  Location loc = op->getLoc();
  if (isa<ReduceOp, MatmulOp>(op)) {
    Value complete = completeValues.lookup(op);
    if (!complete)
      return op->emitOpError() << "is used before it is complete";
    return widen(builder, loc, complete, map);
  }
  if (auto constant = dyn_cast<ConstantOp>(op))
    return emitConstant(builder, constant, map);
  if (auto random = dyn_cast<RandomOp>(op)) {
    if (random.getKey().empty())
      return op->emitOpError() << "has no seed, index and micro operands";
    Value numbers = elementNumbers(builder, loc, space.loopAxes(map.covered));
    Value site;
    if (Value pointer = sitePointers.lookup(op))
      site = memref::LoadOp::create(builder, loc, pointer,
                                    indexConstant(builder, loc, 0));
    return emitRandom(builder, random, operands[0], operands[1], operands[2],
                      numbers, site);
  }
  if (auto iota = dyn_cast<IotaOp>(op))
    return emitIota(builder, iota, map);
  if (isGather(op)) {
    GatherSite site{op, map, operands.empty() ? Value() : operands[0], {}};
    for (OpOperand &use : op->getOpOperands()) {
      bool isRead = cast<Fusible>(op).readsElsewhere(use.getOperandNumber());
      site.pointers.push_back(
          isRead
              ? operandPointers[cast<BlockArgument>(use.get()).getArgNumber()]
              : Value());
    }
    return emitGather(builder, space, point, site);
  }
  if (isa<BroadcastOp, ReshapeOp>(op))
    return operands[0];
  return emitPrimitive(builder, op, operands);
}

void BodyEmitter::endPass() {
  for (auto &[value, kept] : keptValues)
    if (kept.state == Kept::State::computed)
      kept.state = Kept::State::stored;
}

BodyEmitter::Kept *BodyEmitter::keptAt(Value value, const AxisMap &map) {
  auto found = keptValues.find(value);
  if (found == keptValues.end() || !point.laneAxes || map != space.fullMap())
    return nullptr;
  return &found->second;
}

Value BodyEmitter::indexOf(OpBuilder &builder, Location loc, const Kept &kept) {
  return sum(builder, loc, kept.base, point.laneBase);
}

FailureOr<Value> BodyEmitter::compute(OpBuilder &builder, Value value,
                                      const AxisMap &map) {
  // Depth first with a stack of its own: a body may be a chain of any length.
  struct Frame {
    Value value;
    AxisMap map;
    SmallVector<Value, 3> operands; // those computed so far
  };
  auto known = [&](Value value, const AxisMap &map) {
    auto found = computed.find({value.getAsOpaquePointer(), map});
    return found == computed.end() ? Value() : found->second;
  };
  if (Value found = known(value, map))
    return found;
  std::vector<Frame> stack;
  stack.push_back({value, map, {}});
  while (true) {
    Frame &frame = stack.back();
    FailureOr<Value> result;
    Kept *kept = keptAt(frame.value, frame.map);
    Location loc = frame.value.getLoc();
    if (kept && kept->state == Kept::State::stored) {
      Type element = computeTypeFor(tensorType(frame.value).getElementType());
      result = Value(vector::LoadOp::create(
          builder, loc, VectorType::get({point.lanes}, element), kept->scratch,
          indexOf(builder, loc, *kept)));
    } else if (auto argument = dyn_cast<BlockArgument>(frame.value)) {
      result = load(builder, argument, frame.map);
    } else {
      Operation *op = frame.value.getDefiningOp();
      SmallVector<unsigned> needed = computedOperands(op);
      if (frame.operands.size() < needed.size()) {
        unsigned i = needed[frame.operands.size()];
        FailureOr<AxisMap> operandMap = space.operandMap(op, i, frame.map);
        if (failed(operandMap))
          return failure();
        if (Value found = known(op->getOperand(i), *operandMap))
          frame.operands.push_back(
              isa<RandomOp>(op) || isGather(op)
                  ? found // a key or an index for all lanes stays a scalar
                  : widen(builder, op->getLoc(), found, frame.map));
        else
          stack.push_back({op->getOperand(i), std::move(*operandMap), {}});
        continue;
      }
      result = emitOp(builder, op, frame.operands, frame.map);
      if (kept && succeeded(result)) {
        Value wide = widen(builder, loc, *result, frame.map);
        vector::StoreOp::create(builder, loc, wide, kept->scratch,
                                indexOf(builder, loc, *kept));
        kept->state = Kept::State::computed;
      }
    }
    if (failed(result))
      return failure();
    computed[{frame.value.getAsOpaquePointer(), frame.map}] = *result;
    if (stack.size() == 1)
      return *result;
    stack.pop_back();
  }
}

LogicalResult BodyEmitter::storeResults(OpBuilder &builder,
                                        ArrayRef<unsigned> numbers) {
  ValueRange yielded = group.getBody().front().getTerminator()->getOperands();
  SmallVector<Value> stored;
  for (unsigned i : numbers) {
    FailureOr<Value> value = compute(builder, yielded[i], space.resultMap(i));
    if (failed(value))
      return failure();
    Value wide =
        widen(builder, yielded[i].getLoc(), *value, space.resultMap(i));
    stored.push_back(toStorage(builder, yielded[i].getLoc(), wide,
                               tensorType(yielded[i]).getElementType()));
  }
  for (auto [i, value] : llvm::zip(numbers, stored)) {
    Location loc = yielded[i].getLoc();
    Value index =
        offset(builder, loc, space.loopAxes(space.resultMap(i).covered),
               point.coordinates);
    if (isa<VectorType>(value.getType()))
      vector::StoreOp::create(builder, loc, value, resultPointers[i], index);
    else
      memref::StoreOp::create(builder, loc, value, resultPointers[i], index);
  }
  return success();
}
