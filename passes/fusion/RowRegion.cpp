// Finds what is made of a product row by row; see RowRegion.h.
#include "passes/fusion/RowRegion.h"

#include "passes/fusion/LoopNest.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

/// Whether `axes` are the first ones.
static bool areFirst(ArrayRef<int64_t> axes) {
  for (auto [i, axis] : llvm::enumerate(axes))
    if (axis != int64_t(i))
      return false;
  return true;
}

/// Whether `op` computes each element from the operands' elements in its place.
static bool isElementwise(Operation *op) {
  if (fusionKindOf(op) != FusionKind::map || isa<BroadcastOp, RandomOp>(op) ||
      op->getNumResults() != 1 || op->getNumOperands() == 0)
    return false;
  ArrayRef<int64_t> shape = tensorType(op->getResult(0)).getShape();
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return tensorType(operand).getShape() == shape;
  });
}

static bool isWide(ArrayRef<int64_t> shape, int64_t rows, int64_t columns) {
  return shape.size() >= 2 && shape.back() == columns &&
         elementCount(shape.drop_back()) == rows;
}

/// Whether the wide `value` can be made row by row once what is added to
/// `needed` can.
static bool isMadeByRowOf(Value value, int64_t rows, int64_t columns,
                          SmallVectorImpl<Value> &needed) {
  Operation *op = value.getDefiningOp();
  if (!op || isa<ReadOp>(op))
    return true; // its bytes stand somewhere anyway
  if (auto constant = dyn_cast<ConstantOp>(op))
    return constant.getValue().isSplat();
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    ArrayRef<int64_t> from = tensorType(broadcast.getInput()).getShape(),
                      to = tensorType(value).getShape();
    return from.empty() ||
           (areFirst(broadcast.getAxes()) && from == to.drop_back()) ||
           (broadcast.getAxes().size() == 1 &&
            broadcast.getAxes()[0] == int64_t(to.size()) - 1);
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    needed.push_back(reshape.getInput());
    return isWide(tensorType(reshape.getInput()).getShape(), rows, columns);
  }
  if (auto product = dyn_cast<MatmulOp>(op))
    return tensorType(value).getRank() == 2 && !product.getTransposeA() &&
           !product.getInit();
  llvm::append_range(needed, op->getOperands());
  return isElementwise(op);
}

bool RowRegion::isMadeByRow(Value value) const {
  SmallVector<Value> needed{value};
  llvm::DenseSet<Value> seen;
  while (!needed.empty()) {
    Value next = needed.pop_back_val();
    if (seen.insert(next).second &&
        !isMadeByRowOf(next, rows(), columns(), needed))
      return false;
  }
  return true;
}

std::optional<RowForm> RowRegion::form(Value value) const {
  auto found = forms.find(value);
  if (found == forms.end() || !members.contains(value.getDefiningOp()))
    return std::nullopt;
  return found->second;
}

bool RowRegion::isWideShape(ArrayRef<int64_t> shape) const {
  return isWide(shape, rows(), columns());
}

bool RowRegion::readsWide(Operation *op) const {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    auto found = forms.find(operand);
    return found != forms.end() && found->second == RowForm::wide;
  });
}

RowRole RowRegion::classifyProduct(MatmulOp op) const {
  bool left = forms.contains(op.getLhs()), right = forms.contains(op.getRhs());
  if (op.getInit() || left == right || !readsWide(op) ||
      tensorType(op.getResult()).getRank() != 2)
    return RowRole::other;
  if (left)
    return op.getTransposeA() ? RowRole::sums : RowRole::product;
  return op.getTransposeB() ? RowRole::other : RowRole::sums;
}

RowRole RowRegion::classify(Operation *op, RowForm &form) const {
  if (auto product = dyn_cast<MatmulOp>(op))
    return classifyProduct(product);
  if (op->getNumResults() != 1)
    return RowRole::other;
  ArrayRef<int64_t> to = tensorType(op->getResult(0)).getShape();
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    int64_t last = tensorType(reduce.getInput()).getRank() - 1;
    ArrayRef<int64_t> axes = reduce.getAxes();
    form = RowForm::row;
    if (!readsWide(op))
      return RowRole::other;
    if (axes.size() == 1 && axes[0] == last)
      return RowRole::keeps;
    bool sumsRows = areFirst(axes) && int64_t(axes.size()) == last &&
                    reduce.getKind() == ReduceKind::sum &&
                    isa<FloatType>(reduce.getAccumulation());
    return sumsRows ? RowRole::columnSums : RowRole::other;
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    form = RowForm::wide;
    bool spreads =
        !readsWide(op) && isWideShape(to) && areFirst(broadcast.getAxes()) &&
        tensorType(broadcast.getInput()).getShape() == to.drop_back();
    return spreads ? RowRole::keeps : RowRole::other;
  }
  form = readsWide(op) ? RowForm::wide : RowForm::row;
  if (isa<ReshapeOp>(op))
    return form == RowForm::row || isWideShape(to) ? RowRole::keeps
                                                   : RowRole::other;
  // Elementwise: what is formed among the operands has one form.
  return isElementwise(op) && llvm::none_of(op->getOperands(),
                                            [&](Value operand) {
                                              auto found = forms.find(operand);
                                              return found != forms.end() &&
                                                     found->second != form;
                                            })
             ? RowRole::keeps
             : RowRole::other;
}

bool RowRegion::checkOperands(const llvm::DenseSet<Operation *> &derived,
                              Blocked &blocked) const {
  for (Operation *op : inside)
    for (Value operand : op->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      if (op == root || (maker && members.contains(maker)))
        continue;
      if (maker && derived.contains(maker)) {
        blocked = {op, "it waits for all rows"};
        return false;
      }
      // A wide one beside those of the region is made where it is read.
      if (roles.lookup(op) == RowRole::keeps && isElementwise(op) &&
          readsWide(op) && !isMadeByRow(operand)) {
        blocked = {op, "what it reads besides stands for all rows"};
        return false;
      }
    }
  return true;
}

bool RowRegion::collect(Blocked &blocked) {
  llvm::DenseSet<Operation *> derived;
  SmallVector<Operation *> order; // of all that is derived
  bool reducesRows = false;
  Block *block = root->getBlock();
  forms[root.getResult()] = RowForm::wide;
  roles[root] = RowRole::keeps;
  derived.insert(root);
  order.push_back(root);
  for (auto it = std::next(root->getIterator()); it != block->end(); ++it) {
    Operation *op = &*it;
    if (llvm::none_of(op->getOperands(), [&](Value operand) {
          return operand.getDefiningOp() &&
                 derived.contains(operand.getDefiningOp());
        }))
      continue;
    derived.insert(op);
    order.push_back(op);
    bool reads = llvm::any_of(op->getOperands(), [&](Value operand) {
      return forms.contains(operand);
    });
    RowForm form = RowForm::row;
    RowRole role = reads ? classify(op, form) : RowRole::other;
    roles[op] = role;
    if (role == RowRole::keeps)
      forms[op->getResult(0)] = form;
    reducesRows |= isa<ReduceOp>(op) && role == RowRole::keeps;
    if (role == RowRole::other && readsWide(op) && blocked.reason.empty())
      blocked = {op, op->hasTrait<OpTrait::IsTerminator>()
                         ? "the entry returns it"
                         : "all rows are read at once"};
  }
  bool isReturned = blocked.op && blocked.op == block->getTerminator();
  if (!reducesRows) {
    if (!isReturned)
      blocked = {};
    return false;
  }
  if (blocked.op)
    return false;

  // Of what has one element a row only what leads to something wide.
  for (Operation *op : llvm::reverse(order)) {
    bool isWide = op == root || readsWide(op) ||
                  (roles.lookup(op) == RowRole::keeps &&
                   forms.lookup(op->getResult(0)) == RowForm::wide);
    bool isNeeded = roles.lookup(op) == RowRole::keeps &&
                    llvm::any_of(op->getUsers(), [&](Operation *user) {
                      return members.contains(user);
                    });
    if (roles.lookup(op) != RowRole::other && (isWide || isNeeded)) {
      members.insert(op);
      inside.push_back(op);
    }
  }
  std::reverse(inside.begin(), inside.end());
  for (Operation *op : order) {
    if (op == inside.back())
      break;
    if (members.contains(op))
      continue;
    if (!isPure(op)) {
      blocked = {op, "it stands between its rows"};
      return false;
    }
    behind.push_back(op);
  }
  return checkOperands(derived, blocked);
}

std::optional<RowRegion> RowRegion::find(MatmulOp product, Blocked &blocked) {
  RowRegion region(product);
  if (region.columns() < 2 || product.getTransposeA() || product.getInit())
    return std::nullopt;
  if (!region.collect(blocked))
    return std::nullopt;
  return region;
}

} // namespace ampc
