// Moves ops to where fewer bytes are needed at once.
//
// The order of a block is the schedule. From the beginning on, an op that ends
// more bytes than it makes goes up to its last operand; then, from the end on,
// one whose results are larger than what it alone still keeps goes down to its
// first reader. A move that raises the peak is not made. Each looks at the op's
// neighbours and at a profile of live bytes: O(n log n) in all.
#include "passes/memory/BestFit.h"
#include "passes/memory/LiveRanges.h"
#include "passes/memory/Passes.h"
#include "passes/memory/PeakProfile.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_ORDERSCHEDULE
#include "passes/memory/Passes.h.inc"

namespace {

/// Distance of labels at first. An op that moves takes this share of a gap on
/// the side where none follows it. Where a gap is below kLeastGap, labels
/// around it are spread until they are kNewGap apart.
constexpr Moment kSpacing = Moment(1) << 38;
constexpr Moment kShare = 8;
constexpr Moment kLeastGap = kShare, kNewGap = Moment(1) << 24;

/// Labels that are spread at once on each side, at first.
constexpr unsigned kSpreadNodes = 16;

/// A value with more readers than this is kept at least as long as it was at
/// first: a scalar that every update reads.
constexpr size_t kManyReaders = 64;

/// Rounds over all ops, up and down.
constexpr unsigned kRounds = 4;

/// The ops of a block that take time, in an order that may change.
class Schedule {
public:
  explicit Schedule(Block &block) : block(block) {
    addNodes();
    addVariableOrder();
    for (unsigned node = 1; node < nodes.size(); ++node)
      for (auto *list : {&nodes[node].before, &nodes[node].after}) {
        llvm::sort(*list);
        list->erase(llvm::unique(*list), list->end());
      }
    Moment label = 0;
    for (unsigned node = nodes[0].next; node; node = nodes[node].next)
      nodes[node].label = label += kSpacing;
    for (const ScheduledValue &value : values)
      profile.add(nodes[value.maker].label, nodes[value.last].label,
                  value.bytes);
  }

  int64_t peak() const { return profile.peak(); }

  /// Moves ops; whether any was.
  bool improve() {
    bool moved = false;
    for (unsigned round = 0; round < kRounds; ++round) {
      bool again = false;
      for (unsigned node = nodes[0].next; node;) {
        unsigned next = nodes[node].next;
        again |= hoist(node);
        node = next;
      }
      for (unsigned node = nodes[0].previous; node;) {
        unsigned next = nodes[node].previous;
        again |= sink(node);
        node = next;
      }
      moved |= again;
      if (!again)
        break;
    }
    return moved;
  }

  /// The values' live ranges in this order.
  SmallVector<BufferRange> buffers() const {
    SmallVector<BufferRange> buffers;
    for (const ScheduledValue &value : values)
      buffers.push_back(
          {value.bytes, nodes[value.maker].label, nodes[value.last].label});
    return buffers;
  }

  /// Puts the block in this order; what takes no time stands before its first
  /// reader.
  void apply() {
    SmallVector<Operation *> rest;
    for (Operation &op : block.without_terminator())
      if (!numbers.contains(&op))
        rest.push_back(&op);
    Operation *end = block.getTerminator();
    llvm::DenseSet<Operation *> done;
    for (unsigned node = nodes[0].next; node; node = nodes[node].next)
      moveTo(end, nodes[node].op, done);
    for (Operation *op : rest)
      moveTo(end, op, done);
  }

private:
  struct Node {
    Operation *op = nullptr;
    Moment label = 0;
    unsigned previous = 0, next = 0;
    SmallVector<unsigned, 4> before, after; ///< what it waits for, what waits
    SmallVector<unsigned, 4> reads;         ///< values
    SmallVector<unsigned, 2> makes;
  };
  struct ScheduledValue {
    int64_t bytes;
    unsigned maker, last; ///< nodes
    SmallVector<unsigned, 4> readers;
  };

  /// Whether `op` takes no time and stands anywhere: a view, a constant, a read
  /// of a variable that the entry does not write.
  bool isFree(Operation *op) const {
    auto read = dyn_cast<ReadOp>(op);
    return isView(op) || isa<ConstantOp>(op) ||
           (read && !written.contains(read.getVariable()));
  }

  void addEdge(unsigned from, unsigned to) {
    if (from == to)
      return;
    nodes[from].after.push_back(to);
    nodes[to].before.push_back(from);
  }

  void addNodes() {
    llvm::DenseSet<Value> elsewhere; // in variables and outputs
    for (Operation &op : block) {
      if (auto write = dyn_cast<WriteOp>(op)) {
        written.insert(write.getVariable());
        elsewhere.insert(storageRoot(write.getInput()));
      }
      if (&op == block.getTerminator())
        for (Value operand : op.getOperands())
          elsewhere.insert(storageRoot(operand));
    }
    nodes.resize(1); // 0: both ends
    for (Operation &op : block.without_terminator()) {
      if (isFree(&op))
        continue;
      unsigned node = nodes.size();
      numbers[&op] = node;
      nodes.emplace_back();
      nodes[node].op = &op;
      linkBehind(node, nodes[0].previous);
      for (Value operand : op.getOperands()) {
        Value viewed = viewedValue(operand);
        if (auto maker = numbers.find(viewed.getDefiningOp());
            viewed.getDefiningOp() && maker != numbers.end())
          addEdge(maker->second, node);
        if (auto found = valueOf.find(storageRoot(operand));
            found != valueOf.end())
          addRead(found->second, node);
      }
      if (!producesBytes(&op))
        continue;
      for (Value result : op.getResults())
        if (storageRoot(result) == result && !elsewhere.contains(result)) {
          valueOf[result] = values.size();
          nodes[node].makes.push_back(values.size());
          values.push_back(
              {alignBytes(storageBytes(tensorType(result))), node, node, {}});
        }
    }
  }

  void addRead(unsigned value, unsigned node) {
    if (values[value].last == node)
      return;
    values[value].last = node;
    values[value].readers.push_back(node);
    nodes[node].reads.push_back(value);
  }

  /// What reads a variable's old value stays before the update, which may take
  /// the variable's bytes; reads and writes of one stay in order.
  void addVariableOrder() {
    llvm::StringMap<unsigned> lastWrite;
    llvm::StringMap<SmallVector<ReadOp>> reads;
    for (Operation &op : block.without_terminator()) {
      if (auto read = dyn_cast<ReadOp>(op)) {
        if (isFree(read))
          continue;
        auto before = lastWrite.find(read.getVariable());
        if (before != lastWrite.end())
          addEdge(before->second, numbers.lookup(read));
        reads[read.getVariable()].push_back(read);
        continue;
      }
      auto write = dyn_cast<WriteOp>(op);
      if (!write)
        continue;
      unsigned node = numbers.lookup(write);
      auto [before, isNew] = lastWrite.try_emplace(write.getVariable(), node);
      if (!isNew)
        addEdge(before->second, node);
      before->second = node;
      Operation *maker = storageRoot(write.getInput()).getDefiningOp();
      unsigned update = maker ? numbers.lookup(maker) : 0;
      for (ReadOp read : reads[write.getVariable()]) {
        addEdge(numbers.lookup(read), node);
        eachReader(read, [&](Operation *reader) {
          unsigned other = numbers.lookup(reader);
          // Labels are not given yet: numbers are the order.
          if (other && other < node)
            addEdge(other, node);
          if (other && update && other < update)
            addEdge(other, update);
        });
      }
    }
  }

  /// The ops that read the bytes of `value`, through views too.
  void eachReader(Value value, function_ref<void(Operation *)> see) {
    for (Operation *user : value.getUsers()) {
      if (isView(user))
        eachReader(user->getResult(0), see);
      else
        see(user);
    }
  }

  void linkBehind(unsigned node, unsigned place) {
    nodes[node].previous = place;
    nodes[node].next = nodes[place].next;
    nodes[nodes[place].next].previous = node;
    nodes[place].next = node;
  }
  void unlink(unsigned node) {
    nodes[nodes[node].previous].next = nodes[node].next;
    nodes[nodes[node].next].previous = nodes[node].previous;
  }

  /// Gives `node` another label; its order stays.
  void relabel(unsigned node, Moment label) {
    Moment old = std::exchange(nodes[node].label, label);
    for (unsigned value : nodes[node].makes) {
      profile.moveFirst(old, label, values[value].bytes);
      if (values[value].last == node) // never read
        profile.moveLast(old, label, values[value].bytes);
    }
    for (unsigned value : nodes[node].reads)
      if (values[value].last == node)
        profile.moveLast(old, label, values[value].bytes);
  }

  /// Makes room behind `place`: labels around it get equal distances, of as
  /// many as are needed.
  void spreadAround(unsigned place) {
    unsigned first = place ? place : nodes[0].next, last = first;
    Moment low = 0, high = 0, count = 1;
    for (unsigned side = kSpreadNodes;; side *= 2) {
      for (unsigned i = 0; i < side; ++i) {
        if (unsigned before = nodes[first].previous) {
          first = before;
          ++count;
        }
        if (unsigned behind = nodes[last].next) {
          last = behind;
          ++count;
        }
      }
      low = nodes[nodes[first].previous].label; // 0 at the beginning
      bool isEnd = nodes[last].next == 0;
      high =
          isEnd ? low + (count + 1) * kSpacing : nodes[nodes[last].next].label;
      if (isEnd || (high - low) / (count + 1) >= kNewGap)
        break;
    }
    Moment gap = (high - low) / (count + 1);
    for (unsigned node = first; count > 0; node = nodes[node].next, --count)
      relabel(node, low += gap);
  }

  /// Moves `node` behind `place`, down or up, unless that raises the peak.
  bool move(unsigned node, unsigned place, bool down) {
    unsigned from = nodes[node].previous;
    int64_t before = profile.peak();
    relocate(node, place, down);
    if (profile.peak() <= before)
      return true;
    relocate(node, from, down);
    return false;
  }

  void relocate(unsigned node, unsigned place, bool down) {
    unlink(node);
    linkBehind(node, place);
    unsigned behind = nodes[node].next;
    auto room = [&] {
      return (behind ? nodes[behind].label
                     : nodes[place].label + 2 * kSpacing) -
             nodes[place].label;
    };
    if (room() < kLeastGap) {
      unlink(node);
      spreadAround(place);
      linkBehind(node, place);
    }
    Moment old = nodes[node].label, share = room() / kShare;
    // Others that go down come behind it, others that go up before it.
    Moment label =
        down ? nodes[place].label + share : nodes[place].label + room() - share;
    nodes[node].label = label;
    for (unsigned value : nodes[node].makes) {
      profile.moveFirst(old, label, values[value].bytes);
      if (values[value].last == node)
        profile.moveLast(old, label, values[value].bytes);
    }
    for (unsigned number : nodes[node].reads) {
      ScheduledValue &value = values[number];
      Moment before = value.last == node ? old : nodes[value.last].label;
      findLast(value, node);
      profile.moveLast(before, nodes[value.last].label, value.bytes);
    }
  }

  /// What reads `value` last, after `node`, which reads it, moved.
  void findLast(ScheduledValue &value, unsigned node) {
    if (value.readers.size() > kManyReaders) {
      if (nodes[node].label > nodes[value.last].label)
        value.last = node;
      return;
    }
    unsigned last = value.readers.front();
    for (unsigned reader : value.readers)
      if (nodes[reader].label > nodes[last].label)
        last = reader;
    value.last = last;
  }

  int64_t made(unsigned node) const {
    int64_t bytes = 0;
    for (unsigned value : nodes[node].makes)
      bytes += values[value].bytes;
    return bytes;
  }
  /// Bytes that nothing reads after `node`.
  int64_t ended(unsigned node) const {
    int64_t bytes = 0;
    for (unsigned value : nodes[node].reads)
      if (values[value].last == node)
        bytes += values[value].bytes;
    return bytes;
  }
  /// A value that many read ends where it did: what reads it last stays.
  bool isFixed(unsigned node) const {
    return llvm::any_of(nodes[node].reads, [&](unsigned value) {
      return values[value].readers.size() > kManyReaders &&
             values[value].last == node;
    });
  }

  bool sink(unsigned node) {
    if (nodes[node].after.empty() || isFixed(node) || made(node) <= ended(node))
      return false;
    unsigned first = nodes[node].after.front();
    for (unsigned other : nodes[node].after)
      if (nodes[other].label < nodes[first].label)
        first = other;
    unsigned place = nodes[first].previous;
    return place != node && move(node, place, /*down=*/true);
  }

  bool hoist(unsigned node) {
    if (isFixed(node) || made(node) >= ended(node))
      return false;
    unsigned last = 0;
    for (unsigned other : nodes[node].before)
      if (nodes[other].label > nodes[last].label)
        last = other;
    return last != 0 && last != nodes[node].previous &&
           move(node, last, /*down=*/false);
  }

  void moveTo(Operation *end, Operation *op,
              llvm::DenseSet<Operation *> &done) {
    if (!done.insert(op).second)
      return;
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp())
        moveTo(end, maker, done);
    op->moveBefore(end);
  }

  Block &block;
  llvm::StringSet<llvm::MallocAllocator> written;
  std::vector<Node> nodes;
  std::vector<ScheduledValue> values;
  llvm::DenseMap<Operation *, unsigned> numbers;
  llvm::DenseMap<Value, unsigned> valueOf;
  PeakProfile profile;
};

class OrderSchedulePass : public impl::OrderScheduleBase<OrderSchedulePass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, Stage::fused, getArgument())))
      return signalPassFailure();
    for (auto func : module.getOps<func::FuncOp>())
      if (func.getBody().hasOneBlock())
        order(func);
  }

  static void order(func::FuncOp func) {
    Schedule schedule(func.front());
    int64_t peak = schedule.peak();
    SmallVector<BufferRange> before = schedule.buffers();
    if (!schedule.improve() || schedule.peak() >= peak)
      return;
    auto placed = [](ArrayRef<BufferRange> buffers) {
      return placeBestFit(buffers, PlacementEffort::quick).bytes;
    };
    if (placed(schedule.buffers()) >= placed(before))
      return; // more gaps take back what the peak gave
    schedule.apply();
    remark::passed(
        func.getLoc(),
        remark::RemarkOpts::name("order").category("memory").function(
            func.getName()))
        << remark::add("another order of the kernels needs {0} bytes at once, "
                       "not {1}",
                       schedule.peak(), peak);
  }
};

} // namespace
} // namespace ampc
