// Expressions. Operators are walked with an explicit stack (trees may be 4,096
// operators deep); recursion happens only through calls, lists and indexing,
// whose nesting is limited.
#include "ir/frontend/model/Elaborator.h"

using namespace mlir;

namespace ampc::model {

Value Elaborator::eval(const Expr *root) {
  if (root->kind != ExprKind::Unary && root->kind != ExprKind::Binary)
    return evalAtom(root);
  struct Frame {
    const Expr *expr;
    unsigned step = 0; // operands that have been evaluated
  };
  llvm::SmallVector<Frame, 4> frames{{root}};
  llvm::SmallVector<Value, 4> values;
  while (!frames.empty()) {
    ++work;
    Frame &frame = frames.back();
    const Expr *expr = frame.expr;
    if (const auto *unary = dyn_cast<UnaryExpr>(expr)) {
      if (frame.step++ == 0) {
        frames.push_back({unary->operand});
        continue;
      }
      Value operand = values.pop_back_val();
      values.push_back(applyUnary(unary, operand));
    } else if (const auto *binary = dyn_cast<BinaryExpr>(expr)) {
      if (frame.step == 0) {
        frame.step = 1;
        frames.push_back({binary->left});
        continue;
      }
      bool logical = binary->op == Tok::And || binary->op == Tok::Or;
      if (frame.step == 1) {
        bool left = false;
        bool decided = false;
        if (logical) {
          if (!conditionOf(values.back(), binary->left->loc, left,
                           binary->op)) {
            values.back() = Value::poison();
            decided = true;
          } else {
            decided = left ==
                      (binary->op == Tok::Or); // the right side does not matter
          }
        }
        if (!decided) {
          frame.step = 2;
          frames.push_back({binary->right});
          continue;
        }
      } else {
        Value right = values.pop_back_val(), left = values.pop_back_val();
        bool truth = false;
        if (!logical)
          values.push_back(applyBinary(binary, left, right));
        else
          values.push_back(
              conditionOf(right, binary->right->loc, truth, binary->op)
                  ? Value::of(truth)
                  : Value::poison());
      }
    } else {
      values.push_back(evalAtom(expr));
    }
    frames.pop_back();
  }
  return values.back();
}

Value Elaborator::evalAtom(const Expr *expr) {
  ++work;
  switch (expr->kind) {
  case ExprKind::Int:
    return Value::of(cast<IntExpr>(expr)->value);
  case ExprKind::Float:
    return Value::of(cast<FloatExpr>(expr)->value);
  case ExprKind::String:
    return Value::of(cast<TextExpr>(expr)->text);
  case ExprKind::Bool:
    return Value::of(cast<BoolExpr>(expr)->value);
  case ExprKind::None:
    return Value::none();
  case ExprKind::ElemType:
    return Value::of(cast<ElemTypeExpr>(expr)->value);
  case ExprKind::Name:
    return evalName(cast<TextExpr>(expr));
  case ExprKind::Path:
    return evalPath(cast<TextExpr>(expr));
  default:
    break;
  }
  if (stopped() || !enterNesting(expr->loc))
    return Value::poison();
  Value value;
  if (const auto *call = dyn_cast<CallExpr>(expr))
    value = evalCall(call);
  else if (const auto *items = dyn_cast<ListExpr>(expr))
    value = evalList(items);
  else
    value = evalIndex(cast<IndexExpr>(expr));
  leaveNesting();
  return value;
}

Value Elaborator::evalName(const TextExpr *expr) {
  bool hiddenOuter = false;
  if (const Binding *binding = find(expr->text, hiddenOuter))
    return binding->value;
  if (hiddenOuter)
    return fail(expr->loc, "'" + expr->text +
                               "' can be rebound and is not visible in a def; "
                               "pass it as an argument");
  Nearest nearest(expr->text);
  for (const auto &entry : scope().names)
    nearest.consider(entry.first());
  if (scope().def)
    for (const auto &entry : modelScope.names)
      if (entry.second.isFixed() && entry.second.sequence < scope().sequence)
        nearest.consider(entry.first());
  return fail(expr->loc, "unknown name '" + expr->text + "'" + nearest.hint());
}

/// A parameter, looked up from the current scope path outward.
Value Elaborator::evalPath(const TextExpr *expr) {
  llvm::StringRef prefix = paths.scope();
  for (;;) {
    std::string full =
        prefix.empty() ? expr->text.str() : (prefix + "." + expr->text).str();
    if (auto it = parameters.find(full); it != parameters.end())
      return it->second.tensor ? Value::of(it->second.tensor) : Value::poison();
    if (prefix.empty())
      break;
    prefix =
        prefix.contains('.') ? prefix.rsplit('.').first : llvm::StringRef();
  }
  // A failed statement may have been the one that makes it.
  if (diagnostics.failed())
    return Value::poison();
  Nearest nearest(expr->text);
  for (const auto &entry : parameters)
    nearest.consider(entry.first());
  return fail(expr->loc, "no parameter '" + expr->text + "'" + nearest.hint());
}

Value Elaborator::evalList(const ListExpr *expr) {
  return evalExprs(expr->items, expr->loc);
}

/// Several expressions as a list.
Value Elaborator::evalExprs(llvm::ArrayRef<const Expr *> exprs, Loc loc) {
  llvm::SmallVector<Value, 8> items;
  for (const Expr *expr : exprs)
    items.push_back(eval(expr));
  return list(items, loc);
}

bool Elaborator::conditionOf(const Value &value, Loc loc, bool &result,
                             Tok op) {
  if (value.is(ValueKind::Bool)) {
    result = value.asBool();
    return true;
  }
  if (value.isPoison())
    return false;
  llvm::StringRef hint = !value.isTensor() ? ""
                         : op == Tok::And  ? "; use logical_and"
                         : op == Tok::Or   ? "; use logical_or"
                         : op == Tok::Not  ? "; use logical_not"
                                           : "";
  error(loc, "expected a compile-time bool, got " + value.describe() + hint);
  return false;
}

Value Elaborator::applyUnary(const UnaryExpr *expr, const Value &operand) {
  if (operand.isPoison())
    return operand;
  if (expr->op == Tok::Not) {
    bool truth = false;
    return conditionOf(operand, expr->operand->loc, truth, Tok::Not)
               ? Value::of(!truth)
               : Value::poison();
  }
  if (!operand.isTensor())
    return checked(computeNegation(operand), expr->loc);
  const TensorData &x = operand.asTensor();
  if (x.element == ElemType::Bool)
    return fail(expr->loc,
                "'neg': 'x' must be a tensor of numbers, got " + typeText(x));
  Location loc = emitter.location(expr->loc);
  std::optional<std::string> path = operatorPath("neg", expr->loc);
  if (!path)
    return Value::poison();
  Emitter::Naming naming(emitter, *path);
  mlir::Value result;
  if (isFloat(x.element)) {
    result = amp::NegOp::create(emitter.builder, loc, x.value);
  } else {
    mlir::Value zero =
        emitter.constant(loc, x.element, shapeOf(x), Value::of(int64_t(0)));
    result = amp::SubOp::create(emitter.builder, loc, zero, x.value);
  }
  return tensor(result, x.element, expr->loc, x.axisNames);
}

Value Elaborator::applyBinary(const BinaryExpr *expr, const Value &left,
                              const Value &right) {
  if (left.isPoison() || right.isPoison())
    return Value::poison();
  // Lists are joined with what failed in them: each item stands for itself.
  if (expr->op != Tok::Plus && (left.holdsPoison() || right.holdsPoison()))
    return Value::poison();
  countWork(left);
  countWork(right);
  bool identity = (expr->op == Tok::Eq || expr->op == Tok::Ne) &&
                  (left.isNone() || right.isNone());
  if ((!left.isTensor() && !right.isTensor()) || identity)
    return checked(computeBinary(expr->op, left, right), expr->loc);
  static constexpr std::pair<Tok, const char *> kNames[] = {
      {Tok::Plus, "add"},
      {Tok::Minus, "sub"},
      {Tok::Star, "mul"},
      {Tok::Slash, "div"},
      {Tok::SlashSlash, "floor_div"},
      {Tok::Percent, "remainder"},
      {Tok::StarStar, "pow"},
      {Tok::Eq, "eq"},
      {Tok::Ne, "ne"},
      {Tok::Lt, "lt"},
      {Tok::Le, "le"},
      {Tok::Gt, "gt"},
      {Tok::Ge, "ge"}};
  const auto *entry = llvm::find_if(
      kNames, [&](const auto &pair) { return pair.first == expr->op; });
  return tensorBinary(expr->op, entry->second, left, right, expr->loc);
}

} // namespace ampc::model
