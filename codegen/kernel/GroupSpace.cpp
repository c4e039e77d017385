// The iteration space of a group: axes of values, and which axes join into one
// loop.
#include "codegen/kernel/GroupSpace.h"

#include "codegen/kernel/GatherEmitter.h"

#include <map>
#include <set>

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

/// Extents of `shape` that are not 1.
static SmallVector<int64_t> withoutUnits(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> kept;
  llvm::copy_if(shape, std::back_inserter(kept),
                [](int64_t extent) { return extent != 1; });
  return kept;
}

AxisMap GroupSpace::mapOf(ArrayRef<int64_t> dimAxes,
                          ArrayRef<int64_t> extents) const {
  AxisMap map;
  for (auto [axis, extent] : llvm::zip(dimAxes, extents)) {
    bool unit = extent == 1 || axis < 0;
    map.dims.push_back(unit ? -1 : axis);
    if (!unit)
      map.covered |= AxisSet(1) << axis;
  }
  return map;
}

AxisMap GroupSpace::fullMap() const {
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  return mapOf(axes, shape);
}

AxisMap GroupSpace::keptMap() const {
  SmallVector<int64_t> extents;
  for (int64_t dim : keptDims)
    extents.push_back(shape[dim]);
  return mapOf(keptDims, extents);
}

FailureOr<AxisMap> GroupSpace::operandMap(Operation *op, unsigned i,
                                          const AxisMap &map) const {
  if (isa<ReduceOp>(op))
    return fullMap();
  // The key of a random op is three scalars, whatever the result's shape.
  if (isa<RandomOp>(op))
    return AxisMap();
  ArrayRef<int64_t> extents = tensorType(op->getOperand(i)).getShape();
  if (auto take = dyn_cast<TakeOp>(op))
    return mapOf(ArrayRef(map.dims).slice(take.getAxis(), extents.size()),
                 extents);
  if (elementCount(extents) == 1 && isa<BroadcastOp, ReshapeOp>(op)) {
    AxisMap scalar;
    scalar.dims.assign(extents.size(), -1);
    return scalar;
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    if (map.flat)
      return op->emitOpError()
             << "under a reshape inside a group is not available yet";
    SmallVector<int64_t> axes;
    for (int64_t axis : broadcast.getAxes())
      axes.push_back(map.dims[axis]);
    return mapOf(axes, extents);
  }
  if (isa<ReshapeOp>(op)) {
    AxisMap result;
    result.covered = map.covered;
    ArrayRef<int64_t> outer = tensorType(op->getResult(0)).getShape();
    result.flat = map.flat || withoutUnits(extents) != withoutUnits(outer);
    if (result.flat)
      return result;
    SmallVector<int64_t> axes;
    llvm::copy_if(map.dims, std::back_inserter(axes),
                  [](int64_t axis) { return axis >= 0; });
    size_t next = 0;
    for (int64_t extent : extents)
      result.dims.push_back(extent == 1 ? -1 : axes[next++]);
    return result;
  }
  return map;
}

void GroupSpace::findReducedAxes(GroupOp group) {
  SmallVector<int64_t> axes;
  group.walk([&](ReduceOp reduce) {
    axes.assign(reduce.getAxes().begin(), reduce.getAxes().end());
  });
  for (int64_t dim = 0, rank = shape.size(); dim < rank; ++dim) {
    if (!llvm::is_contained(axes, dim))
      keptDims.push_back(dim);
    else if (shape[dim] != 1)
      reduced |= AxisSet(1) << dim;
  }
}

LogicalResult GroupSpace::traceUses(GroupOp group) {
  Block &block = group.getBody().front();
  arguments.resize(block.getNumArguments());
  readElsewhere.assign(block.getNumArguments(), false);
  std::set<std::pair<const void *, AxisMap>> seen;
  SmallVector<std::pair<Value, AxisMap>> work;
  if (reduced)
    uses.push_back(reduced);
  // Rows of a product and its columns stay apart.
  if (group.getKind() == GroupKind::contraction)
    uses.push_back(AxisSet(1) << (shape.size() - 1));
  for (Value value : block.getTerminator()->getOperands()) {
    ArrayRef<int64_t> extents = tensorType(value).getShape();
    AxisMap full = fullMap(), kept = keptMap(), map;
    SmallVector<int64_t> keptShape;
    for (int64_t dim : keptDims)
      keptShape.push_back(shape[dim]);
    int64_t count = elementCount(extents);
    if (extents == ArrayRef(shape))
      map = full;
    else if (extents == ArrayRef(keptShape))
      map = kept;
    else if (count == elementCount(shape) || count == elementCount(keptShape)) {
      map.flat = true;
      map.covered = count == elementCount(shape) ? full.covered : kept.covered;
    } else {
      return group.emitOpError()
             << "result of type " << value.getType()
             << " lies neither over the space [" << shape
             << "] nor over what its reductions keep [" << keptShape << "]";
    }
    results.push_back(map);
    uses.push_back(map.covered);
    work.push_back({value, map});
  }
  // Reductions whose result nobody yields are dead; what is reached from the
  // results is all.
  while (!work.empty()) {
    auto [value, map] = work.pop_back_val();
    if (!seen.insert({value.getAsOpaquePointer(), map}).second)
      continue;
    uses.push_back(map.covered);
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      arguments[argument.getArgNumber()].push_back(map);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (isa<ReduceOp>(op) && map.covered != keptMap().covered)
      return op->emitOpError()
             << "result is read along other axes than the reduction keeps";
    if (isGather(op) && failed(splitAxes(op, map)))
      return failure();
    for (unsigned i = 0; i < op->getNumOperands(); ++i) {
      if (cast<Fusible>(op).readsElsewhere(i)) {
        auto argument = cast<BlockArgument>(op->getOperand(i));
        readElsewhere[argument.getArgNumber()] = true;
        continue;
      }
      FailureOr<AxisMap> operand = operandMap(op, i, map);
      if (failed(operand))
        return failure();
      work.push_back({op->getOperand(i), *operand});
    }
  }
  return success();
}

LogicalResult GroupSpace::splitAxes(Operation *op, const AxisMap &map) {
  if (map.flat)
    return op->emitOpError()
           << "under a reshape inside a group is not available yet";
  int64_t previous = -1;
  for (int64_t dim = 0, rank = map.dims.size(); dim < rank; ++dim) {
    if (map.dims[dim] < 0)
      continue;
    // A set that ends with the axis keeps it apart from the next.
    if (previous >= 0 && !takesAsOne(op, previous, dim))
      uses.push_back((AxisSet(2) << map.dims[previous]) - 1);
    previous = dim;
  }
  return success();
}

bool GroupSpace::endsLoop(int64_t axis) const {
  int64_t loop = loopOfAxis[axis];
  return llvm::none_of(ArrayRef(loopOfAxis).drop_front(axis + 1),
                       [&](int64_t other) { return other == loop; });
}

void GroupSpace::joinAxes() {
  loopOfAxis.assign(shape.size(), -1);
  int64_t previous = -1;
  for (int64_t axis = 0, rank = shape.size(); axis < rank; ++axis) {
    if (shape[axis] == 1)
      continue;
    bool joins = previous >= 0 && llvm::all_of(uses, [&](AxisSet use) {
                   return (use >> previous & 1) == (use >> axis & 1);
                 });
    if (joins)
      loopExtents.back() *= shape[axis];
    else
      loopExtents.push_back(shape[axis]);
    loopOfAxis[axis] = loopExtents.size() - 1;
    previous = axis;
  }
}

FailureOr<GroupSpace> GroupSpace::create(GroupOp group) {
  GroupSpace space;
  space.shape.assign(group.getSpace().begin(), group.getSpace().end());
  if (space.shape.size() > 64)
    return group.emitOpError() << "has a space of rank " << space.shape.size()
                               << "; at most 64 is supported";
  space.findReducedAxes(group);
  if (failed(space.traceUses(group)))
    return failure();
  space.joinAxes();
  return space;
}

AxisSet GroupSpace::loopAxes(AxisSet axes) const {
  AxisSet loops = 0;
  for (auto [axis, loop] : llvm::enumerate(loopOfAxis))
    if (loop >= 0 && (axes >> axis & 1))
      loops |= AxisSet(1) << loop;
  return loops;
}

int64_t GroupSpace::count(AxisSet loops) const {
  int64_t count = 1;
  for (auto [loop, extent] : llvm::enumerate(loopExtents))
    if (loops >> loop & 1)
      count *= extent;
  return count;
}
