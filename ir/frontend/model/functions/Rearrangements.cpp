// Functions that move elements: transpose, permute, concat, stack, chunk,
// split, pad.
#include "ir/dialect/ops/Concatenate.h"
#include "ir/frontend/model/functions/Support.h"

using namespace mlir;

namespace ampc::model {
namespace {

Value reorder(Elaborator &e, Call &call, const TensorData &x,
              llvm::ArrayRef<int64_t> order) {
  llvm::SmallVector<llvm::StringRef> names = axisNames(x);
  return e.tensor(permuted(e, e.location(call), x.value, order), x.element,
                  call.expr->loc,
                  reordered(llvm::ArrayRef<llvm::StringRef>(names), order));
}

/// transpose(x, a, b): exchanges two axes.
Value transpose(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  int64_t a = 0, b = 0;
  if (!e.tensorArg(call, 0, x) || !axisArg(e, call, 1, *x, a) ||
      !axisArg(e, call, 2, *x, b))
    return Value::poison();
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, shapeOf(*x).size()));
  std::swap(order[a], order[b]);
  return reorder(e, call, *x, order);
}

/// permute(x, order): axis i of the result is axis order[i] of x.
Value permute(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  llvm::SmallVector<int64_t> given, order;
  if (!e.tensorArg(call, 0, x) || !intsArg(e, call, 1, given))
    return Value::poison();
  for (int64_t axis : given) {
    if (!e.axisInRange(call, 1, axis, *x, axis))
      return Value::poison();
    if (llvm::is_contained(order, axis))
      return e.fail(call.args[1].loc,
                    "'permute': axis " + llvm::Twine(axis) + " is given twice");
    order.push_back(axis);
  }
  if (order.size() != shapeOf(*x).size())
    return e.fail(call.args[1].loc,
                  "'permute': 'order' must name every axis of " + typeText(*x) +
                      ", got " + llvm::Twine(order.size()) + " axes");
  return reorder(e, call, *x, order);
}

/// Reports that two tensors of a list differ where they must not; `axis` may
/// differ.
bool sameBut(Elaborator &e, Call &call, const TensorData &first,
             const TensorData &other, int64_t axis) {
  llvm::ArrayRef<int64_t> a = shapeOf(first), b = shapeOf(other);
  std::string text = ("'" + call.name() + "': shapes " + namedTypeText(first) +
                      " and " + namedTypeText(other) + " do not match")
                         .str();
  bool same = a.size() == b.size();
  for (int64_t i = 0; same && i < int64_t(a.size()); ++i) {
    if (i == axis || a[i] == b[i])
      continue;
    same = false;
    text += " in axis " + std::to_string(i) + " (" + std::to_string(a[i]) +
            " and " + std::to_string(b[i]) + ")";
  }
  if (same)
    return true;
  e.error(call.expr->loc, text)
      .note(other.origin, namedTypeText(other) + " is made here");
  return false;
}

/// The tensors joined along `axis`; `addsAxis`: a new one, of extent 1 in each.
Value join(Elaborator &e, Call &call,
           llvm::ArrayRef<const TensorData *> tensors, int64_t axis,
           bool addsAxis) {
  const TensorData &first = *tensors.front();
  ElemType element = first.element;
  for (const TensorData *x : tensors) {
    if (!sameBut(e, call, first, *x, addsAxis ? -1 : axis))
      return Value::poison();
    element = promote(element, x->element);
  }
  Location loc = e.location(call);
  llvm::SmallVector<mlir::Value> parts;
  llvm::SmallVector<int64_t> shape(shapeOf(first));
  llvm::SmallVector<llvm::StringRef> names = axisNames(first);
  if (addsAxis) {
    shape.insert(shape.begin() + axis, 1);
    names.insert(names.begin() + axis, llvm::StringRef());
  }
  int64_t total = 0;
  for (const TensorData *x : tensors) {
    mlir::Value part = e.emitter.cast(loc, x->value, element);
    parts.push_back(addsAxis ? e.emitter.reshape(loc, part, shape) : part);
    total += addsAxis ? 1 : shapeOf(*x)[axis];
  }
  shape[axis] = total;
  if (tensors.size() > 1)
    names[axis] = {};
  if (!e.checkShape(shape, element, call.expr->loc))
    return Value::poison();
  return e.tensor(amp::concatenate(e.emitter.builder, loc, parts, axis),
                  element, call.expr->loc, names);
}

/// concat(xs, axis = 0).
Value concat(Elaborator &e, Call &call) {
  llvm::SmallVector<const TensorData *> tensors;
  int64_t axis = 0;
  if (!tensorListArg(e, call, 0, tensors) ||
      !axisArg(e, call, 1, *tensors.front(), axis))
    return Value::poison();
  return join(e, call, tensors, axis, /*addsAxis=*/false);
}

/// stack(xs, axis = 0): along a new axis that comes to stand at `axis`.
Value stack(Elaborator &e, Call &call) {
  llvm::SmallVector<const TensorData *> tensors;
  int64_t axis = 0;
  if (!tensorListArg(e, call, 0, tensors) || !e.intArg(call, 1, axis))
    return Value::poison();
  int64_t rank = shapeOf(*tensors.front()).size() + 1;
  int64_t at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank)
    return e.fail(call.args[1].loc, "'stack': axis " + llvm::Twine(axis) +
                                        " is outside the result of " +
                                        llvm::Twine(rank) + " axes");
  return join(e, call, tensors, at, /*addsAxis=*/true);
}

/// Consecutive parts of `x` of these extents along `axis`, as a list.
Value parts(Elaborator &e, Call &call, const TensorData &x, int64_t axis,
            llvm::ArrayRef<int64_t> extents, llvm::StringRef name = {}) {
  Location loc = e.location(call);
  llvm::SmallVector<int64_t> starts(shapeOf(x).size(), 0),
      steps(shapeOf(x).size(), 1), shape(shapeOf(x));
  llvm::SmallVector<llvm::StringRef> names = axisNames(x);
  if (extents.size() != 1)
    names[axis] = name;
  llvm::SmallVector<Value> made;
  for (int64_t extent : extents) {
    shape[axis] = extent;
    mlir::Value part = x.value;
    if (extents.size() != 1)
      part = amp::SliceOp::create(e.emitter.builder, loc, part, starts, shape,
                                  steps);
    made.push_back(e.tensor(part, x.element, call.expr->loc, names));
    if (e.stopped())
      return Value::poison();
    starts[axis] += extent;
  }
  return e.list(made, call.expr->loc);
}

std::string axisText(const TensorData &x, int64_t axis) {
  return "axis " + std::to_string(axis) + " of " + namedTypeText(x);
}

/// chunk(x, n, axis = 0): n equal parts.
Value chunk(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  int64_t n = 0, axis = 0;
  if (!e.tensorArg(call, 0, x) || !e.intArg(call, 1, n) ||
      !axisArg(e, call, 2, *x, axis))
    return Value::poison();
  int64_t extent = shapeOf(*x)[axis];
  if (n < 1 || n > kMaxListLength)
    return e.fail(call.args[1].loc, "'chunk': 'n' must be from 1 to 1000000, "
                                    "got " +
                                        llvm::Twine(n));
  if (extent % n != 0)
    return e.fail(call.args[1].loc, "'chunk': " + axisText(*x, axis) +
                                        " does not divide into " +
                                        llvm::Twine(n) + " equal parts");
  return parts(e, call, *x, axis,
               llvm::SmallVector<int64_t>(size_t(n), extent / n));
}

/// split(x, size or sizes, axis = 0): parts of that size, the last one what is
/// left; or parts of these sizes, which must fill the axis.
Value split(Elaborator &e, Call &call) {
  const TensorData *x = nullptr;
  int64_t axis = 0;
  llvm::SmallVector<int64_t> sizes;
  if (!e.tensorArg(call, 0, x) || !intsArg(e, call, 1, sizes) ||
      !axisArg(e, call, 2, *x, axis))
    return Value::poison();
  int64_t extent = shapeOf(*x)[axis];
  bool isList = call[1].is(ValueKind::List);
  for (int64_t size : sizes)
    if (size < (isList ? 0 : 1))
      return e.fail(call.args[1].loc, "'split': a size must be at least " +
                                          llvm::Twine(isList ? 0 : 1) +
                                          ", got " + llvm::Twine(size));
  if (!isList) {
    int64_t size = sizes.front();
    int64_t count = extent == 0 ? 1 : (extent - 1) / size + 1;
    if (count > kMaxListLength)
      return e.fail(call.args[1].loc, "a list has at most 1000000 items");
    sizes.assign(size_t(count), size);
    sizes.back() = extent - (count - 1) * size;
    return parts(e, call, *x, axis, sizes, call[1].dimName());
  }
  __int128 total = 0;
  for (int64_t size : sizes)
    total += size;
  if (total != extent)
    return e.fail(call.args[1].loc,
                  "'split': the sizes sum to " +
                      (total > kMaxElements ? std::string("more")
                                            : std::to_string(int64_t(total))) +
                      ", " + axisText(*x, axis) + " has " +
                      llvm::Twine(extent));
  return parts(e, call, *x, axis, sizes);
}

/// The element that stands at `position` of an axis of `extent` elements, seen
/// beyond its ends: mirrored without the end itself (reflect), the end
/// (replicate) or from the other end on (circular).
int64_t sourceOf(llvm::StringRef mode, int64_t position, int64_t extent) {
  if (mode == "replicate")
    return std::clamp<int64_t>(position, 0, extent - 1);
  if (mode == "circular")
    return position < 0 ? position + extent : position % extent;
  int64_t distance = std::abs(position);
  return distance < extent ? distance : 2 * (extent - 1) - distance;
}

/// How much `mode` can add on a side of an axis of `extent` elements.
int64_t mostAdded(llvm::StringRef mode, int64_t extent) {
  return mode == "reflect"    ? std::max<int64_t>(extent - 1, 0)
         : mode == "circular" ? extent
         : extent > 0         ? kMaxElements
                              : 0;
}

/// `value` with `low` and `high` elements more along each axis, taken from its
/// own; the caller has checked that there are as many.
mlir::Value padded(Elaborator &e, Location loc, mlir::Value value,
                   llvm::StringRef mode, llvm::ArrayRef<int64_t> low,
                   llvm::ArrayRef<int64_t> high) {
  for (size_t axis = 0; axis < low.size(); ++axis) {
    if (low[axis] == 0 && high[axis] == 0)
      continue;
    int64_t extent = amp::tensorType(value).getDimSize(axis);
    std::vector<Value> positions;
    for (int64_t i = -low[axis]; i < extent + high[axis]; ++i)
      positions.push_back(Value::of(sourceOf(mode, i, extent)));
    mlir::Value indices = e.emitter.constant(
        loc, ElemType::I64, {int64_t(positions.size())}, positions);
    value = amp::TakeOp::create(e.emitter.builder, loc, value, indices, axis);
  }
  return value;
}

/// pad(x, [left, right, ...], mode = "constant", value = 0): pairs, the last
/// axis first; a negative amount cuts off.
Value pad(Elaborator &e, Call &call) {
  enum { X, Amounts, Mode, Fill };
  const TensorData *x = nullptr;
  llvm::SmallVector<int64_t> amounts;
  llvm::StringRef mode;
  double fill = 0;
  if (!e.tensorArg(call, X, x) || !intsArg(e, call, Amounts, amounts) ||
      !e.stringArg(call, Mode, mode) || !e.floatArg(call, Fill, fill))
    return Value::poison();
  bool isConstant = mode == "constant";
  if (!isConstant && mode != "reflect" && mode != "replicate" &&
      mode != "circular")
    return e.fail(call.args[Mode].loc,
                  "'pad': 'mode' must be \"constant\", \"reflect\", "
                  "\"replicate\" or \"circular\", got \"" +
                      mode + "\"");
  if (!isConstant && fill != 0)
    return e.fail(call.args[Fill].loc,
                  "'pad': 'value' is for mode \"constant\"");
  if (!fits(e, call[Fill], x->element))
    return e.fail(call.args[Fill].loc,
                  "'pad': 'value' does not fit in " + elemTypeName(x->element));
  size_t rank = shapeOf(*x).size();
  if (amounts.size() % 2 != 0 || amounts.size() > 2 * rank)
    return e.fail(call.args[Amounts].loc,
                  "'pad' takes two numbers an axis, the last axis first: at "
                  "most " +
                      llvm::Twine(2 * rank) + " for " + typeText(*x) +
                      ", got " + llvm::Twine(amounts.size()));
  llvm::SmallVector<int64_t> low(rank, 0), high(rank, 0), starts(rank, 0),
      steps(rank, 1), cut(shapeOf(*x)), shape(shapeOf(*x));
  llvm::SmallVector<llvm::StringRef> names = axisNames(*x);
  for (size_t i = 0; i < amounts.size(); i += 2) {
    size_t axis = rank - 1 - i / 2;
    int64_t left = amounts[i], right = amounts[i + 1], extent = cut[axis];
    if (std::max(std::abs(left), std::abs(right)) > kMaxElements ||
        extent + std::min<int64_t>(left, 0) + std::min<int64_t>(right, 0) < 0)
      return e.fail(call.args[Amounts].loc, "'pad': " + llvm::Twine(left) +
                                                " and " + llvm::Twine(right) +
                                                " do not fit " +
                                                axisText(*x, axis));
    starts[axis] = std::max<int64_t>(-left, 0);
    cut[axis] -= starts[axis] + std::max<int64_t>(-right, 0);
    low[axis] = std::max<int64_t>(left, 0);
    high[axis] = std::max<int64_t>(right, 0);
    int64_t added = std::max(low[axis], high[axis]);
    if (!isConstant && added > mostAdded(mode, cut[axis]))
      return e.fail(call.args[Amounts].loc,
                    "'pad': mode \"" + mode + "\" adds at most " +
                        llvm::Twine(mostAdded(mode, cut[axis])) +
                        " on a side of " + axisText(*x, axis) + ", got " +
                        llvm::Twine(added));
    shape[axis] = cut[axis] + low[axis] + high[axis];
    if (left != 0 || right != 0)
      names[axis] = {};
  }
  if (!e.checkShape(shape, x->element, call.args[Amounts].loc))
    return Value::poison();
  Location loc = e.location(call);
  mlir::Value result = x->value;
  if (llvm::ArrayRef<int64_t>(cut) != shapeOf(*x))
    result = amp::SliceOp::create(e.emitter.builder, loc, result, starts, cut,
                                  steps);
  if (cut != shape && !isConstant)
    result = padded(e, loc, result, mode, low, high);
  else if (cut != shape)
    result = amp::PadOp::create(e.emitter.builder, loc, result, low, high,
                                llvm::SmallVector<int64_t>(rank, 0), fill);
  return e.tensor(result, x->element, call.expr->loc, names);
}

} // namespace

llvm::ArrayRef<FunctionLine> rearrangementFunctions() {
  static constexpr FunctionLine lines[] = {
      {"transpose(x, a, b)", transpose, FunctionLine::Op},
      {"permute(x, order)", permute, FunctionLine::Op},
      {"concat(xs, axis = 0)", concat, FunctionLine::Op},
      {"stack(xs, axis = 0)", stack, FunctionLine::Op},
      {"chunk(x, n, axis = 0)", chunk, FunctionLine::Op},
      {"split(x, sizes, axis = 0)", split, FunctionLine::Op},
      {"pad(x, amounts, mode = \"constant\", value = 0)", pad,
       FunctionLine::Op},
  };
  return lines;
}

} // namespace ampc::model
