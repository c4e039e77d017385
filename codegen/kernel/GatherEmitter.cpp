// Movements and lookups at a point of the loops.
#include "codegen/kernel/GatherEmitter.h"

#include "codegen/kernel/BodyEmitter.h"
#include "codegen/kernel/PrimitiveEmitter.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

bool ampc::isGather(Operation *op) {
  auto fusible = dyn_cast<Fusible>(op);
  return fusible && fusible.fusionKind() == FusionKind::gather;
}

/// Row-major strides of `shape`.
static SmallVector<int64_t> stridesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return tensorType(value).getShape();
}

/// How far apart in `input` two neighbours along each dimension of the result
/// are; none for dimensions that are not walked in equal steps.
static SmallVector<std::optional<int64_t>> stepsOf(Operation *op, Value input) {
  SmallVector<int64_t> strides = stridesOf(shapeOf(input));
  SmallVector<std::optional<int64_t>> steps;
  size_t rank = shapeOf(op->getResult(0)).size();
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    for (int64_t axis : transpose.getPerm())
      steps.push_back(strides[axis]);
  } else if (auto slice = dyn_cast<SliceOp>(op)) {
    for (auto [stride, step] : llvm::zip(strides, slice.getSteps()))
      steps.push_back(stride * step);
  } else if (auto take = dyn_cast<TakeOp>(op)) {
    size_t axis = take.getAxis(), chosen = shapeOf(take.getIndex()).size();
    for (size_t dim = 0; dim < rank; ++dim) {
      if (dim < axis)
        steps.push_back(strides[dim]);
      else if (dim < axis + chosen)
        steps.push_back(std::nullopt);
      else
        steps.push_back(strides[dim + 1 - chosen]);
    }
  } else {
    steps.assign(strides.begin(), strides.end());
    if (auto concat = dyn_cast<ConcatOp>(op)) {
      steps[concat.getAxis()] = std::nullopt;
    } else if (auto gather = dyn_cast<GatherOp>(op)) {
      steps[gather.getAxis()] = std::nullopt;
    } else if (auto pad = dyn_cast<PadOp>(op)) {
      for (size_t dim = 0; dim < rank; ++dim)
        if (shapeOf(op->getResult(0))[dim] != shapeOf(input)[dim])
          steps[dim] = std::nullopt;
    }
  }
  return steps;
}

bool ampc::takesAsOne(Operation *op, int64_t dim, int64_t next) {
  if (auto take = dyn_cast<TakeOp>(op)) {
    int64_t axis = take.getAxis(), chosen = shapeOf(take.getIndex()).size();
    if (dim >= axis && next < axis + chosen)
      return true; // the index tensor alone is read
  }
  int64_t extent = shapeOf(op->getResult(0))[next];
  // Each input of a concatenation has its own strides; empty ones are not read.
  for (auto [i, input] : llvm::enumerate(op->getOperands())) {
    if (!cast<Fusible>(op).readsElsewhere(i) ||
        tensorType(input).getNumElements() == 0)
      continue;
    SmallVector<std::optional<int64_t>> steps = stepsOf(op, input);
    if (!steps[dim] || !steps[next] || *steps[dim] != extent * *steps[next])
      return false;
  }
  return true;
}

namespace {

/// An index at each lane l: scalar + step * l + vector[l]; absent parts are 0.
struct LaneIndex {
  Value scalar;
  int64_t step = 0;
  Value vector = {};

  bool varies() const { return step != 0 || vector; }
};

/// Builds the elements that one op reads at one point.
class Gatherer {
public:
  Gatherer(OpBuilder &builder, const GroupSpace &space, const Point &point,
           const GatherSite &site)
      : builder(builder), loc(site.op->getLoc()), space(space), point(point),
        site(site) {
    element = tensorType(site.op->getResult(0)).getElementType();
    compute = computeTypeFor(element);
    for (size_t dim = 0; dim < site.map.dims.size(); ++dim)
      coordinates.push_back(coordinate(dim));
  }

  Value emit() {
    if (auto concat = dyn_cast<ConcatOp>(site.op))
      return emitConcat(concat);
    if (auto pad = dyn_cast<PadOp>(site.op))
      return emitPad(pad);
    if (auto take = dyn_cast<TakeOp>(site.op))
      return emitLookup(take.getInput(), take.getAxis());
    if (auto gather = dyn_cast<GatherOp>(site.op))
      return emitLookup(gather.getInput(), gather.getAxis());
    LaneIndex offset = walked(site.op->getOperand(0));
    if (auto slice = dyn_cast<SliceOp>(site.op)) {
      SmallVector<int64_t> strides = stridesOf(shapeOf(slice.getInput()));
      int64_t start = 0;
      for (auto [from, stride] : llvm::zip(slice.getStarts(), strides))
        start += from * stride;
      offset = plus(offset, start);
    }
    return load(0, offset, Value());
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  VectorType lanesOf(Type type) { return VectorType::get({point.lanes}, type); }
  Value spread(Value scalar) {
    return vector::BroadcastOp::create(builder, loc, lanesOf(scalar.getType()),
                                       scalar);
  }
  Value splat(int64_t value) {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(lanesOf(builder.getIndexType()),
                               builder.getIndexAttr(value)));
  }
  template <typename Op>
  Value binary(Value a, Value b) {
    return Op::create(builder, loc, a, b);
  }

  LaneIndex plus(LaneIndex a, const LaneIndex &b) {
    auto join = [&](Value x, Value y) {
      return !x ? y : !y ? x : binary<arith::AddIOp>(x, y);
    };
    return {join(a.scalar, b.scalar), a.step + b.step,
            join(a.vector, b.vector)};
  }
  LaneIndex plus(LaneIndex a, int64_t b) {
    return b == 0 ? a : plus(a, LaneIndex{constant(b)});
  }
  LaneIndex times(LaneIndex a, int64_t factor) {
    if (factor == 1)
      return a;
    if (a.scalar)
      a.scalar = binary<arith::MulIOp>(a.scalar, constant(factor));
    if (a.vector)
      a.vector = binary<arith::MulIOp>(a.vector, splat(factor));
    a.step *= factor;
    return a;
  }
  /// The index as one value: a scalar, or a vector when it varies.
  Value valueOf(const LaneIndex &index) {
    Value scalar = index.scalar ? index.scalar : constant(0);
    if (!index.varies())
      return scalar;
    Value total = spread(scalar);
    if (index.step) {
      SmallVector<Attribute> steps;
      for (int64_t lane = 0; lane < point.lanes; ++lane)
        steps.push_back(builder.getIndexAttr(lane * index.step));
      total = binary<arith::AddIOp>(
          total,
          arith::ConstantOp::create(
              builder, loc,
              DenseElementsAttr::get(lanesOf(builder.getIndexType()), steps)));
    }
    return index.vector ? binary<arith::AddIOp>(total, index.vector) : total;
  }
  LaneIndex indexOf(Value value) {
    if (isa<VectorType>(value.getType()))
      return {Value(), 0, value};
    return {value};
  }
  /// Whether 0 <= index < limit, a scalar or a vector.
  Value isBelow(Value index, int64_t limit) {
    Value bound =
        isa<VectorType>(index.getType()) ? splat(limit) : constant(limit);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, index,
                                 bound);
  }
  /// Both of two conditions, either of which may be null or a scalar.
  Value both(Value a, Value b) {
    if (!a || !b)
      return a ? a : b;
    bool wide = isa<VectorType>(a.getType()) || isa<VectorType>(b.getType());
    return binary<arith::AndIOp>(widen(a, wide), widen(b, wide));
  }
  Value widen(Value value, bool wide) {
    return wide && !isa<VectorType>(value.getType()) ? spread(value) : value;
  }

  /// The coordinate of a dimension of the result; of those in one loop the last
  /// carries it.
  LaneIndex coordinate(size_t dim) {
    int64_t axis = site.map.dims[dim];
    if (axis < 0 || !space.endsLoop(axis))
      return {};
    int64_t loop = space.loopOf(axis);
    if (Value known = point.coordinates[loop])
      return {known};
    if (point.laneAxes == AxisSet(1) << loop)
      return {point.laneBase, 1};
    // Several lane axes: the lanes' linear index taken apart.
    ArrayRef<int64_t> extents = space.extents();
    int64_t inner = 1, last = llvm::Log2_64(point.laneAxes);
    for (int64_t other = last; other > loop; --other)
      if (point.laneAxes >> other & 1)
        inner *= extents[other];
    bool oneRow = extents[last] % point.lanes == 0;
    auto part = [&](Value linear) {
      bool wide = isa<VectorType>(linear.getType());
      auto number = [&](int64_t n) { return wide ? splat(n) : constant(n); };
      if (inner != 1)
        linear = binary<arith::DivUIOp>(linear, number(inner));
      return binary<arith::RemUIOp>(linear, number(extents[loop]));
    };
    if (oneRow)
      return {part(point.laneBase), loop == last ? 1 : 0};
    return {Value(), 0, part(valueOf({point.laneBase, 1}))};
  }

  /// The offset in `input` that the dimensions walked in equal steps give.
  LaneIndex walked(Value input) {
    LaneIndex offset;
    for (auto [place, step] : llvm::zip(coordinates, stepsOf(site.op, input)))
      if (step)
        offset = plus(offset, times(place, *step));
    return offset;
  }

  /// The element of operand `number` at `offset`, where `mask` (a vector, null
  /// for all lanes) holds; unspecified elsewhere.
  Value load(unsigned number, const LaneIndex &offset, Value mask) {
    Value pointer = site.pointers[number];
    Type stored = storageTypeFor(element);
    Value value;
    if (!mask && !offset.varies()) {
      value = memref::LoadOp::create(builder, loc, pointer, valueOf(offset));
    } else if (!mask && offset.step == 1 && !offset.vector) {
      value = vector::LoadOp::create(builder, loc, lanesOf(stored), pointer,
                                     valueOf({offset.scalar}));
    } else {
      Value indices = widen(valueOf(offset), true);
      VectorType type = lanesOf(stored);
      if (!mask)
        mask = arith::ConstantOp::create(
            builder, loc,
            DenseElementsAttr::get(lanesOf(builder.getI1Type()), true));
      Value zeros = arith::ConstantOp::create(builder, loc, type,
                                              builder.getZeroAttr(type));
      value = vector::GatherOp::create(builder, loc, type, pointer,
                                       ValueRange(constant(0)), indices, mask,
                                       zeros);
    }
    return fromStorage(builder, loc, value, element);
  }
  /// `fill` where `condition` fails, else what `load` gives. A scalar condition
  /// guards the load.
  Value guarded(Value condition, Value fill, unsigned number,
                const LaneIndex &offset) {
    if (isa<VectorType>(condition.getType())) {
      Value value = load(number, offset, condition);
      return arith::SelectOp::create(builder, loc, condition, value,
                                     widen(fill, true));
    }
    bool wide = offset.varies() || isa<VectorType>(fill.getType());
    Type type = wide ? Type(lanesOf(compute)) : compute;
    auto choice = scf::IfOp::create(builder, loc, TypeRange(type), condition,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(builder, loc,
                         widen(load(number, offset, Value()), wide));
    builder.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(builder, loc, widen(fill, wide));
    return choice.getResult(0);
  }

  Value fillOf(double value) {
    if (isa<FloatType>(element)) {
      // Rounded to the element type, then exact in the compute type.
      bool losesInfo = false;
      APFloat number(value);
      for (Type type : {element, compute})
        number.convert(cast<FloatType>(type).getFloatSemantics(),
                       APFloat::rmNearestTiesToEven, &losesInfo);
      return arith::ConstantOp::create(builder, loc,
                                       FloatAttr::get(compute, number));
    }
    int64_t whole = static_cast<int64_t>(value);
    return arith::ConstantOp::create(
        builder, loc,
        IntegerAttr::get(compute, element.isInteger(1) ? whole != 0 : whole));
  }

  Value emitConcat(ConcatOp op) {
    size_t axis = op.getAxis();
    Value place = valueOf(coordinates[axis]);
    Value result;
    int64_t from = 0;
    SmallVector<std::pair<unsigned, int64_t>> parts; // operand, first index
    for (auto [i, input] : llvm::enumerate(op.getInputs())) {
      if (tensorType(input).getNumElements() != 0)
        parts.push_back({i, from});
      from += shapeOf(input)[axis];
    }
    // From the last part down: each is behind the test of those before it.
    for (auto [number, first] : llvm::reverse(parts)) {
      Value input = op.getInputs()[number];
      int64_t extent = shapeOf(input)[axis];
      int64_t stride = stridesOf(shapeOf(input))[axis];
      LaneIndex offset =
          plus(walked(input), times(plus(coordinates[axis], -first), stride));
      if (parts.size() == 1)
        return load(number, offset, Value());
      bool wide = isa<VectorType>(place.getType());
      Value local =
          binary<arith::SubIOp>(place, wide ? splat(first) : constant(first));
      Value inside = isBelow(local, extent);
      Value otherwise = result ? result : fillOf(0.0);
      result = guarded(inside, otherwise, number, offset);
    }
    return result;
  }

  Value emitPad(PadOp op) {
    Value fill = fillOf(op.getValue().convertToDouble());
    Value input = op.getInput();
    if (tensorType(input).getNumElements() == 0)
      return fill;
    SmallVector<int64_t> strides = stridesOf(shapeOf(input));
    LaneIndex offset = walked(input);
    Value condition;
    for (size_t dim = 0; dim < strides.size(); ++dim) {
      int64_t extent = shapeOf(input)[dim], low = op.getLow()[dim],
              spacing = op.getInterior()[dim] + 1;
      if (shapeOf(op.getResult())[dim] == extent)
        continue;
      LaneIndex shifted = plus(coordinates[dim], -low);
      Value place = valueOf(shifted);
      bool wide = isa<VectorType>(place.getType());
      condition = both(condition, isBelow(place, (extent - 1) * spacing + 1));
      if (spacing > 1) {
        Value divisor = wide ? splat(spacing) : constant(spacing);
        Value rest = binary<arith::RemUIOp>(place, divisor);
        condition = both(condition, isBelow(rest, 1));
        shifted = indexOf(binary<arith::DivUIOp>(place, divisor));
      }
      offset = plus(offset, times(shifted, strides[dim]));
    }
    return condition ? guarded(condition, fill, 0, offset)
                     : load(0, offset, Value());
  }

  Value emitLookup(Value input, int64_t axis) {
    int64_t extent = shapeOf(input)[axis];
    Value fill = fillOf(NAN);
    if (extent == 0)
      return fill;
    Type index = typeLike(builder.getIndexType(), site.index.getType());
    Value chosen = arith::IndexCastOp::create(builder, loc, index, site.index);
    bool wide = isa<VectorType>(index);
    // In the index's own type, which a target's index type may not hold.
    auto own = cast<IntegerType>(getElementTypeOrSelf(site.index));
    APInt limit(64, extent);
    if (own.getWidth() < 64)
      limit = llvm::APIntOps::umin(
                  limit, APInt::getSignedMinValue(own.getWidth()).zext(64))
                  .trunc(own.getWidth());
    Value bound = constantLike(builder, loc, IntegerAttr::get(own, limit),
                               site.index.getType());
    Value inside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, site.index, bound);
    // A load at element 0 in the place of one out of bounds: the loop keeps no
    // branch.
    Value safe = arith::SelectOp::create(builder, loc, inside, chosen,
                                         wide ? splat(0) : constant(0));
    LaneIndex offset = plus(
        walked(input), times(indexOf(safe), stridesOf(shapeOf(input))[axis]));
    Value value = load(0, offset, Value());
    bool varies = isa<VectorType>(value.getType());
    return arith::SelectOp::create(builder, loc, inside, value,
                                   widen(fill, varies));
  }

  OpBuilder &builder;
  Location loc;
  const GroupSpace &space;
  const Point &point;
  const GatherSite &site;
  Type element, compute;
  SmallVector<LaneIndex> coordinates;
};

} // namespace

Value ampc::emitGather(OpBuilder &builder, const GroupSpace &space,
                       const Point &point, const GatherSite &site) {
  return Gatherer(builder, space, point, site).emit();
}
