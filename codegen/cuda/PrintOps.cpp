// Pure ops as C++ expressions.
#include "codegen/cuda/KernelPrinter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace ampc;

/// A float in decimal where few digits give it exactly, else its bit pattern.
static Expression floatText(const APFloat &value, bool isDouble) {
  APInt bits = value.bitcastToAPInt();
  std::string suffix = isDouble ? "" : "f";
  if (value.isFinite() && !value.isNegZero()) {
    SmallString<32> text;
    value.toString(text, /*FormatPrecision=*/9, /*FormatMaxPadding=*/6);
    // Exact: the decimal's value in much wider arithmetic is the float's.
    APFloat wide(APFloat::IEEEquad()), same = value;
    bool loses = false;
    same.convert(APFloat::IEEEquad(), APFloat::rmNearestTiesToEven, &loses);
    auto status = wide.convertFromString(text, APFloat::rmNearestTiesToEven);
    bool exact = false;
    if (status)
      exact = *status == APFloat::opOK && wide.bitwiseIsEqual(same);
    else
      llvm::consumeError(status.takeError());
    if (exact) {
      if (!StringRef(text).contains_insensitive('e') &&
          !StringRef(text).contains('.'))
        text += ".0";
      return {(text + suffix).str(),
              value.isNegative() ? Precedence::Unary : Precedence::Primary};
    }
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << (isDouble ? "ampc_f64(0x" : "ampc_f32(0x")
     << llvm::format_hex_no_prefix(bits.getZExtValue(), isDouble ? 16 : 8)
     << (isDouble ? "ull)" : "u)");
  return {text};
}

static FailureOr<Expression> constantText(arith::ConstantOp op) {
  if (auto number = dyn_cast<FloatAttr>(op.getValue());
      number && (op.getType().isF32() || op.getType().isF64()))
    return floatText(number.getValue(), op.getType().isF64());
  auto number = dyn_cast<IntegerAttr>(op.getValue());
  if (!number)
    return op.emitOpError() << "of type " << op.getType()
                            << " in CUDA text is not available yet";
  if (op.getType().isInteger(1))
    return Expression{number.getValue().isZero() ? "false" : "true"};
  int64_t value = number.getValue().getSExtValue();
  std::string suffix = op.getType().isInteger(64) ? "ll" : "";
  std::string text = std::to_string(value) + suffix;
  // The least value has no literal of its own.
  if (value == INT64_MIN || (value == INT32_MIN && !op.getType().isInteger(64)))
    return Expression{"(" + std::to_string(value + 1) + suffix + " - 1)"};
  if (op.getType().isInteger(8))
    return Expression{"(signed char)" + text, Precedence::Unary};
  return Expression{text, value < 0 ? Precedence::Unary : Precedence::Primary};
}

FailureOr<Expression> KernelPrinter::compareExpression(Operation *op) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    switch (compare.getPredicate()) {
    case F::OEQ:
      return infix(op, "==", Precedence::Equality);
    case F::UNE:
      return infix(op, "!=", Precedence::Equality);
    case F::OLT:
      return infix(op, "<", Precedence::Relation);
    case F::OLE:
      return infix(op, "<=", Precedence::Relation);
    case F::OGT:
      return infix(op, ">", Precedence::Relation);
    case F::OGE:
      return infix(op, ">=", Precedence::Relation);
    case F::UNO:
      return call("ampc_unordered", op->getOperands());
    default:
      return op->emitOpError()
             << "of this predicate in CUDA text is not available yet";
    }
  }
  auto compare = cast<arith::CmpIOp>(op);
  StringRef symbol;
  bool isUnsigned = false;
  switch (compare.getPredicate()) {
  case I::eq:
    return infix(op, "==", Precedence::Equality);
  case I::ne:
    return infix(op, "!=", Precedence::Equality);
  case I::ult:
    isUnsigned = true;
    [[fallthrough]];
  case I::slt:
    symbol = "<";
    break;
  case I::ule:
    isUnsigned = true;
    [[fallthrough]];
  case I::sle:
    symbol = "<=";
    break;
  case I::ugt:
    isUnsigned = true;
    [[fallthrough]];
  case I::sgt:
    symbol = ">";
    break;
  case I::uge:
    isUnsigned = true;
    [[fallthrough]];
  case I::sge:
    symbol = ">=";
    break;
  }
  // bool compares as 0 and 1 already.
  if (!isUnsigned || compare.getLhs().getType().isInteger(1))
    return infix(op, symbol, Precedence::Relation);
  return Expression{"ampc_u(" + use(compare.getLhs()) + ") " + symbol.str() +
                        " ampc_u(" + use(compare.getRhs()) + ")",
                    Precedence::Relation};
}

FailureOr<Expression> KernelPrinter::castExpression(Operation *op) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  Value input = op->getOperand(0);
  std::string name =
      to.isIndex() ? (wide ? "long long" : "int") : cudaTypeName(to);
  if (name.empty())
    return op->emitOpError()
           << "to " << to << " in CUDA text is not available yet";
  auto isNarrow = [](Type type) {
    return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
  };
  if (isa<arith::BitcastOp>(op))
    return call("ampc_bitcast<" + name + ">", input);
  if (isa<arith::ExtFOp>(op) && isNarrow(from)) {
    Expression single = call("ampc_to_f32", input);
    return to.isF64() ? Expression{"(double)" + single.text, Precedence::Unary}
                      : single;
  }
  if (isa<arith::TruncFOp>(op) && isNarrow(to)) {
    std::string operand = use(input);
    if (from.isF64())
      operand = "ampc_round_to_odd(" + operand + ")";
    // ampc_bf16 is made by ampc_to_bf16.
    return Expression{
        "ampc_to_" +
        StringRef(name).drop_front(StringRef("ampc_").size()).str() + "(" +
        operand + ")"};
  }
  if (isa<arith::ExtUIOp>(op) && !from.isInteger(1))
    return Expression{"(" + name + ")ampc_u(" + use(input) + ")",
                      Precedence::Unary};
  return Expression{"(" + name + ")" + use(input, Precedence::Unary),
                    Precedence::Unary};
}

FailureOr<Expression> KernelPrinter::expressionOf(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return constantText(constant);
  if (isa<arith::CmpFOp, arith::CmpIOp>(op))
    return compareExpression(op);
  if (isa<arith::BitcastOp, arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp,
          arith::FPToSIOp, arith::IndexCastOp, arith::SIToFPOp, arith::TruncFOp,
          arith::TruncIOp, arith::UIToFPOp>(op))
    return castExpression(op);
  if (isa<arith::SelectOp>(op))
    return Expression{use(op->getOperand(0), Precedence::Or) + " ? " +
                          use(op->getOperand(1), Precedence::Or) + " : " +
                          use(op->getOperand(2), Precedence::Or),
                      Precedence::Conditional};
  if (isa<arith::NegFOp>(op))
    return Expression{"-" + use(op->getOperand(0), Precedence::Primary),
                      Precedence::Unary};
  bool isIndex = op->getResult(0).getType().isIndex();
  ValueRange operands = op->getOperands();
  std::optional<Expression> found =
      TypeSwitch<Operation *, std::optional<Expression>>(op)
          .Case([&](arith::AddFOp) { return infix(op, "+", Precedence::Sum); })
          .Case([&](arith::SubFOp) { return infix(op, "-", Precedence::Sum); })
          .Case([&](arith::MulFOp) {
            return infix(op, "*", Precedence::Product);
          })
          .Case([&](arith::DivFOp) {
            return infix(op, "/", Precedence::Product);
          })
          .Case(
              [&](arith::MaximumFOp) { return call("ampc_maximum", operands); })
          .Case(
              [&](arith::MinimumFOp) { return call("ampc_minimum", operands); })
          .Case([&](math::SqrtOp) { return call("ampc_sqrt", operands); })
          .Case([&](math::FmaOp) { return call("ampc_fma", operands); })
          .Case([&](math::AbsFOp) { return call("ampc_abs", operands); })
          .Case([&](math::FloorOp) { return call("ampc_floor", operands); })
          .Case(
              [&](math::RoundEvenOp) { return call("ampc_nearest", operands); })
          // Of indices, where it counts not below 0.
          .Case([&](arith::DivUIOp) {
            return infix(op, "/", Precedence::Product);
          })
          .Case([&](arith::RemUIOp) {
            return infix(op, "%", Precedence::Product);
          })
          // No divisor is 0, no quotient overflows.
          .Case([&](arith::DivSIOp) {
            return infix(op, "/", Precedence::Product);
          })
          // Indices stay within their type; program integers wrap.
          .Case([&](arith::AddIOp) {
            return isIndex ? infix(op, "+", Precedence::Sum)
                           : call("ampc_add", operands);
          })
          .Case([&](arith::SubIOp) {
            return isIndex ? infix(op, "-", Precedence::Sum)
                           : call("ampc_sub", operands);
          })
          .Case([&](arith::MulIOp) {
            return isIndex ? infix(op, "*", Precedence::Product)
                           : call("ampc_mul", operands);
          })
          .Case([&](arith::MaxSIOp) { return call("ampc_max", operands); })
          .Case([&](arith::MinSIOp) { return call("ampc_min", operands); })
          .Case([&](arith::AndIOp) { return infix(op, "&", Precedence::And); })
          .Case([&](arith::OrIOp) { return infix(op, "|", Precedence::Or); })
          .Case([&](arith::XOrIOp) { return infix(op, "^", Precedence::Xor); })
          .Case([&](arith::ShLIOp) { return call("ampc_shl", operands); })
          .Case([&](arith::ShRUIOp) { return call("ampc_shr", operands); })
          .Case([&](arith::ShRSIOp) {
            return infix(op, ">>", Precedence::Shift);
          })
          .Default([](Operation *) { return std::nullopt; });
  if (!found)
    return op->emitOpError() << "in CUDA text is not available yet";
  return std::move(*found);
}
