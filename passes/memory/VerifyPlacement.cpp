// Refuses a placement in which bytes are clobbered: the verifier of stage
// placed. It walks the schedule and keeps, for each byte range, who owns it; it
// shares no code with the planner.
#include "passes/memory/Passes.h"

#include <map>

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_VERIFYPLACEMENT
#include "passes/memory/Passes.h.inc"

namespace {

int64_t bytesOf(Value value) {
  RankedTensorType type = cast<RankedTensorType>(value.getType());
  int64_t bits = type.getElementType().getIntOrFloatBitWidth();
  return type.getNumElements() * ((bits + 7) / 8);
}

class EntryChecker {
public:
  explicit EntryChecker(func::FuncOp func) : func(func) {}

  LogicalResult run() {
    if (failed(collectPlaces()))
      return failure();
    collectLastUses();
    unsigned position = 0;
    for (Operation &op : func.front()) {
      expire(position);
      if (failed(checkOperands(&op)) || failed(define(&op, position)))
        return failure();
      ++position;
    }
    return success();
  }

private:
  /// placement_c1 to placement_c3, placement_c6.
  LogicalResult collectPlaces() {
    auto bytes = func->getAttrOfType<IntegerAttr>(kArenaBytesAttr);
    if (!bytes || bytes.getInt() < 0)
      return func.emitOpError() << "has no amp.arena_bytes";
    arenaBytes = bytes.getInt();
    for (BlockArgument argument : func.getArguments()) {
      auto place =
          func.getArgAttrOfType<PlaceAttr>(argument.getArgNumber(), kPlaceAttr);
      if (!place || place.getSpace() != Space::input ||
          place.getIndex() != argument.getArgNumber())
        return func.emitOpError() << "argument " << argument.getArgNumber()
                                  << " must stand in its input's bytes";
      places[argument] = place;
    }
    for (Operation &op : func.front()) {
      auto attribute = op.getAttrOfType<ArrayAttr>(kPlaceAttr);
      if (op.getNumResults() > 0 && !attribute)
        return op.emitOpError() << "has no amp.place";
      for (auto [i, result] : llvm::enumerate(op.getResults())) {
        places[result] = cast<PlaceAttr>(attribute[i]);
        if (failed(checkPlace(&op, result)))
          return failure();
      }
    }
    return success();
  }

  LogicalResult checkPlace(Operation *op, Value result) {
    PlaceAttr place = places.lookup(result);
    if (auto read = dyn_cast<ReadOp>(op)) {
      if (place.getSpace() != Space::variable ||
          place.getVariable() != read.getVariableAttr())
        return op->emitOpError() << "must stand in the bytes of "
                                 << read.getVariableAttr() << ", got " << place;
      return success();
    }
    if (isa<ReshapeOp>(op)) {
      if (place != places.lookup(op->getOperand(0)))
        return op->emitOpError()
               << "must stand where its input does, got " << place;
      return success();
    }
    if (isa<ConstantOp>(op)) {
      if (place.getSpace() != Space::constant)
        return op->emitOpError()
               << "must stand in the constant section, got " << place;
      return success();
    }
    if (place.getSpace() == Space::input || place.getSpace() == Space::constant)
      return op->emitOpError() << "cannot write " << place;
    if (place.getSpace() == Space::scratch || place.getSpace() == Space::slice)
      return op->emitOpError() << "cannot stand in " << place
                               << ", which only the body of amp.foreach has";
    if (place.getSpace() == Space::output &&
        (place.getIndex() < 0 ||
         place.getIndex() >= static_cast<int64_t>(func.getNumResults())))
      return op->emitOpError() << "names no output of this entry: " << place;
    // placement_c9: the bytes of an output hold what the entry returns there,
    // so that the copies at the return never overwrite one another's source.
    if (place.getSpace() == Space::output &&
        !leadsTo(result,
                 func.front().getTerminator()->getOperand(place.getIndex())))
      return op->emitOpError() << "is not what the entry returns in " << place;
    if (place.getSpace() != Space::arena)
      return success();
    if (place.getIndex() % 64 != 0)
      return op->emitOpError()
             << "offset must be a multiple of 64, got " << place.getIndex();
    if (place.getIndex() < 0 || place.getIndex() + bytesOf(result) > arenaBytes)
      return op->emitOpError()
             << "ends at byte " << place.getIndex() + bytesOf(result)
             << " of an arena of " << arenaBytes;
    return success();
  }

  /// The sums that `op`, a product or the group of one, goes on from: operand
  /// of type `type` that a product's init is; null where there is none.
  static Value sumsBefore(Operation *op, Type type) {
    auto product = dyn_cast<MatmulOp>(op);
    auto group = dyn_cast<GroupOp>(op);
    if (group && group.getKind() == GroupKind::contraction)
      product = *group.getBody().getOps<MatmulOp>().begin();
    Value init = product ? product.getInit() : Value();
    auto argument = dyn_cast_or_null<BlockArgument>(init);
    if (group && argument && argument.getOwner() == &group.getBody().front())
      init = argument.hasOneUse() ? group.getOperand(argument.getArgNumber())
                                  : Value();
    return init && init.getType() == type ? init : Value();
  }

  /// Whether `result` of `op` takes the bytes of what it goes on from.
  Value takenOver(Operation *op, Value result) const {
    Value init = sumsBefore(op, result.getType());
    return init && places.lookup(source(init)) == places.lookup(result)
               ? source(init)
               : Value();
  }

  /// The op that made the bytes of `value`: reshapes make none.
  static Value source(Value value) {
    while (auto reshape = value.getDefiningOp<ReshapeOp>())
      value = reshape.getInput();
    return value;
  }

  /// Whether `returned` is `result`, or goes on from it in the same bytes.
  static bool leadsTo(Value result, Value returned) {
    for (Value value = source(returned); value;) {
      if (value == result)
        return true;
      Operation *op = value.getDefiningOp();
      Value init = op ? sumsBefore(op, value.getType()) : Value();
      value = init ? source(init) : Value();
    }
    return false;
  }

  static bool isRead(Value value) {
    return isa_and_nonnull<ReadOp>(value.getDefiningOp());
  }

  void collectLastUses() {
    for (auto write : func.front().getOps<WriteOp>())
      stores.insert({source(write.getInput()), write.getVariableAttr()});
    unsigned position = 0;
    for (Operation &op : func.front()) {
      if (!isa<ReshapeOp>(op))
        for (Value operand : op.getOperands())
          lastUse[source(operand)] = position;
      for (Value result : op.getResults())
        lastUse.try_emplace(result, position);
      ++position;
    }
  }

  /// Frees the arena bytes of values whose last use lies before `position`.
  void expire(unsigned position) {
    while (!ends.empty() && ends.begin()->first < position) {
      arena.erase(ends.begin()->second);
      ends.erase(ends.begin());
    }
  }

  /// placement_c5 for variables, placement_c4 for outputs: what is read is
  /// still there.
  LogicalResult checkOperands(Operation *op) {
    if (isa<ReshapeOp>(op))
      return success();
    for (Value operand : op->getOperands()) {
      Value value = source(operand);
      PlaceAttr place = places.lookup(value);
      auto owner = owners.find(place);
      if (owner == owners.end() || owner->second == value)
        continue;
      // Two reads of an unwritten variable see the same bytes.
      if (isRead(value) && isRead(owner->second))
        continue;
      InFlightDiagnostic diagnostic = op->emitOpError()
                                      << "reads " << place
                                      << " after its bytes were overwritten";
      diagnostic.attachNote(owner->second.getLoc()) << "overwritten here";
      return diagnostic;
    }
    return success();
  }

  LogicalResult define(Operation *op, unsigned position) {
    if (auto write = dyn_cast<WriteOp>(op)) {
      defineWrite(write);
      return success();
    }
    if (isa<ReshapeOp, ConstantOp>(op))
      return success();
    for (Value result : op->getResults()) {
      PlaceAttr place = places.lookup(result);
      if (bytesOf(result) == 0)
        continue;
      if (place.getSpace() == Space::arena) {
        if (failed(defineArena(op, result, place, position)))
          return failure();
        continue;
      }
      if (isa<ReadOp>(op)) {
        owners.try_emplace(place, result);
        continue;
      }
      if (place.getSpace() == Space::variable &&
          failed(checkUpdate(op, result, place)))
        return failure();
      owners[place] = result;
    }
    return success();
  }

  /// Ends the time of `before`, which `op` goes on from in the same bytes.
  LogicalResult endBefore(Operation *op, Value before, unsigned position) {
    if (lastUse.lookup(before) != position)
      return op->emitOpError() << "goes on in " << places.lookup(before)
                               << ", whose sums are read later";
    int64_t begin = places.lookup(before).getIndex();
    for (auto [it, end] = ends.equal_range(position); it != end; ++it)
      if (it->second == begin) {
        ends.erase(it);
        break;
      }
    arena.erase(begin);
    return success();
  }

  /// placement_c4: no live value overlaps [offset, offset + bytes).
  LogicalResult defineArena(Operation *op, Value result, PlaceAttr place,
                            unsigned position) {
    int64_t begin = place.getIndex(), end = begin + bytesOf(result);
    Value before = takenOver(op, result);
    if (before && failed(endBefore(op, before, position)))
      return failure();
    auto next = arena.lower_bound(begin);
    Value other;
    if (next != arena.end() && next->first < end)
      other = next->second;
    else if (next != arena.begin()) {
      auto previous = std::prev(next);
      if (previous->first + bytesOf(previous->second) > begin)
        other = previous->second;
    }
    if (other) {
      InFlightDiagnostic diagnostic =
          op->emitOpError()
          << "overlaps a value that is still needed: " << place;
      diagnostic.attachNote(other.getLoc())
          << "that value is made here, at " << places.lookup(other);
      return diagnostic;
    }
    arena[begin] = result;
    ends.emplace(lastUse.lookup(result), begin);
    return success();
  }

  /// placement_c7, placement_c8: an op that writes a variable's bytes.
  LogicalResult checkUpdate(Operation *op, Value result, PlaceAttr place) {
    bool stored = stores.contains({result, place.getVariable()});
    if (!stored)
      return op->emitOpError() << "writes the bytes of " << place.getVariable()
                               << " but no amp.write stores its value there";
    auto group = dyn_cast<GroupOp>(op);
    for (OpOperand &operand : op->getOpOperands()) {
      if (places.lookup(source(operand.get())) != place)
        continue;
      ArrayRef<int64_t> shape =
          cast<RankedTensorType>(operand.get().getType()).getShape();
      bool walkedOnce = group && (group.getKind() == GroupKind::map ||
                                  group.getKind() == GroupKind::contraction);
      bool afterSpace = group && walkedOnce == (shape == group.getSpace());
      bool pointwise =
          afterSpace && operand.get().getType() == result.getType();
      if (pointwise)
        for (Operation *user :
             group.getBody().getArgument(operand.getOperandNumber()).getUsers())
          pointwise &= isa<YieldOp>(user) ||
                       (!isa<BroadcastOp>(user) &&
                        cast<Fusible>(user).fusionKind() == FusionKind::map);
      if (!pointwise)
        return op->emitOpError() << "overwrites " << place.getVariable()
                                 << " while it reads other elements of it";
    }
    return success();
  }

  void defineWrite(WriteOp write) {
    Value value = source(write.getInput());
    auto place = PlaceAttr::get(func.getContext(), Space::variable, 0,
                                write.getVariableAttr());
    owners[place] = value;
  }

  func::FuncOp func;
  int64_t arenaBytes = 0;
  llvm::DenseMap<Value, PlaceAttr> places;
  llvm::DenseMap<Value, unsigned> lastUse;
  std::map<int64_t, Value> arena;                     // offset -> live value
  std::multimap<unsigned, int64_t> ends;              // last use -> offset
  llvm::DenseSet<std::pair<Value, Attribute>> stores; // what writes store
  llvm::DenseMap<PlaceAttr, Value> owners;            // variables and outputs
};

/// Checks the body of a loop over slices: what it makes for itself does not
/// overlap while it is needed, and what it yields stands in its result's slice.
class LoopChecker {
public:
  explicit LoopChecker(ForeachOp loop)
      : loop(loop), body(loop.getBody().front()) {}

  LogicalResult run() {
    auto bytes = loop->getAttrOfType<IntegerAttr>(kScratchBytesAttr);
    if (!bytes || bytes.getInt() < 0)
      return loop.emitOpError() << "has no amp.scratch_bytes";
    scratch = bytes.getInt();
    unsigned position = 0;
    for (Operation &op : body) {
      if (!isa<ReshapeOp>(op))
        for (Value operand : op.getOperands())
          lastUse[source(operand)] = position;
      ++position;
    }
    for (Operation &op : body.without_terminator())
      if (failed(isa<ReshapeOp, ConstantOp>(op) ? checkFixed(&op)
                                                : checkMade(&op)))
        return failure();
    for (OpOperand &operand : body.getTerminator()->getOpOperands()) {
      PlaceAttr place = placeOf(source(operand.get()));
      int64_t slice = body.getNumArguments() + operand.getOperandNumber();
      if (!place || place.getSpace() != Space::slice ||
          place.getIndex() != slice)
        return loop.emitOpError()
               << "yields result " << operand.getOperandNumber()
               << ", which must stand in slice " << slice;
    }
    return success();
  }

private:
  static Value source(Value value) {
    while (auto reshape = value.getDefiningOp<ReshapeOp>())
      value = reshape.getInput();
    return value;
  }
  static PlaceAttr placeOf(Value value) {
    auto result = dyn_cast<OpResult>(value);
    auto places = result
                      ? result.getOwner()->getAttrOfType<ArrayAttr>(kPlaceAttr)
                      : ArrayAttr();
    return places ? dyn_cast<PlaceAttr>(places[result.getResultNumber()])
                  : PlaceAttr();
  }

  /// A view, which stands where its source does, or a constant.
  LogicalResult checkFixed(Operation *op) {
    Value value = op->getResult(0);
    PlaceAttr place = placeOf(value), wanted = placeOf(source(value));
    if (auto argument = dyn_cast<BlockArgument>(source(value)))
      wanted = PlaceAttr::get(op->getContext(), Space::slice,
                              argument.getArgNumber(), {});
    if (!place || place != wanted ||
        (isa<ConstantOp>(op) && place.getSpace() != Space::constant))
      return op->emitOpError()
             << "must stand where its bytes are, got " << place;
    return success();
  }

  /// placement_c10, placement_c11
  LogicalResult checkMade(Operation *op) {
    for (Value result : op->getResults()) {
      PlaceAttr place = placeOf(result);
      if (place && place.getSpace() == Space::slice &&
          isYieldedAt(result, place.getIndex()))
        continue;
      if (!place || place.getSpace() != Space::scratch)
        return op->emitOpError()
               << "must stand in scratch memory or in the slice of what it "
                  "yields, got "
               << place;
      int64_t begin = place.getIndex(), end = begin + bytesOf(result);
      if (begin % 64 != 0 || end > scratch)
        return op->emitOpError() << "takes bytes " << begin << " to " << end
                                 << " of " << scratch << " of scratch memory";
      for (auto &[other, from] : made)
        if (from < end && begin < from + bytesOf(other) &&
            isNeeded(other, op)) {
          InFlightDiagnostic diagnostic =
              op->emitOpError()
              << "overlaps a value that is still needed: " << place;
          diagnostic.attachNote(other.getLoc()) << "that value is made here";
          return diagnostic;
        }
      made.push_back({result, begin});
    }
    return success();
  }

  bool isYieldedAt(Value value, int64_t slice) {
    int64_t number = slice - body.getNumArguments();
    Operation *yield = body.getTerminator();
    return number >= 0 && number < int64_t(yield->getNumOperands()) &&
           source(yield->getOperand(number)) == value;
  }

  /// Whether `op` or what follows it reads `value`, or `op` makes it too.
  bool isNeeded(Value value, Operation *op) {
    auto last = lastUse.find(value);
    unsigned position = std::distance(body.begin(), Block::iterator(op));
    return value.getDefiningOp() == op ||
           (last != lastUse.end() && last->second >= position);
  }

  ForeachOp loop;
  Block &body;
  int64_t scratch = 0;
  llvm::DenseMap<Value, unsigned> lastUse;
  SmallVector<std::pair<Value, int64_t>> made; // and where
};

class VerifyPlacementPass
    : public impl::VerifyPlacementBase<VerifyPlacementPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (stageOf(module) != Stage::placed) {
      module.emitOpError() << "is not in stage placed";
      return signalPassFailure();
    }
    for (auto func : module.getOps<func::FuncOp>()) {
      if (!func.getBody().hasOneBlock()) {
        func.emitOpError() << "must have a body of one block";
        return signalPassFailure();
      }
      if (failed(EntryChecker(func).run()))
        return signalPassFailure();
      for (auto loop : func.front().getOps<ForeachOp>())
        if (failed(LoopChecker(loop).run()))
          return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace ampc
