// Pure ops as C++ expressions.
#include "codegen/cuda/KernelPrinter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
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

/// One number of `type`; failure where it has no text.
static FailureOr<Expression> numberText(Attribute attribute, Type type,
                                        bool wide) {
  if (auto number = dyn_cast<FloatAttr>(attribute);
      number && (type.isF32() || type.isF64()))
    return floatText(number.getValue(), type.isF64());
  // Zero bits of a type that is only stored.
  if (auto number = dyn_cast<FloatAttr>(attribute);
      number && number.getValue().isPosZero() && !cudaTypeName(type).empty())
    return Expression{cudaTypeName(type) + "{0}"};
  auto number = dyn_cast<IntegerAttr>(attribute);
  if (!number)
    return failure();
  if (type.isInteger(1))
    return Expression{number.getValue().isZero() ? "false" : "true"};
  int64_t value = number.getValue().getSExtValue();
  bool isLong = type.isInteger(64) || (type.isIndex() && wide);
  std::string suffix = isLong ? "ll" : "";
  std::string text = std::to_string(value) + suffix;
  // The least value has no literal of its own.
  if (value == INT64_MIN || (value == INT32_MIN && !isLong))
    return Expression{"(" + std::to_string(value + 1) + suffix + " - 1)"};
  if (type.isInteger(8))
    return Expression{"(signed char)" + text, Precedence::Unary};
  return Expression{text, value < 0 ? Precedence::Unary : Precedence::Primary};
}

FailureOr<Expression> KernelPrinter::constantExpression(Operation *op) {
  auto constant = cast<arith::ConstantOp>(op);
  Type type = getElementTypeOrSelf(constant.getType());
  auto unprintable = [&] {
    return op->emitOpError() << "of type " << constant.getType()
                             << " in CUDA text is not available yet";
  };
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!elements) {
    FailureOr<Expression> number = numberText(constant.getValue(), type, wide);
    return failed(number) ? unprintable() : number;
  }
  if (elements.isSplat()) {
    FailureOr<Expression> number =
        numberText(elements.getSplatValue<Attribute>(), type, wide);
    if (failed(number))
      return unprintable();
    splats[op->getResult(0)] = *number;
    return Expression{"ampc_splat<" + std::to_string(elements.size()) + ">(" +
                      number->text + ")"};
  }
  std::string text = typeName(constant.getType()) + "{{", separator;
  for (Attribute element : elements.getValues<Attribute>()) {
    FailureOr<Expression> number = numberText(element, type, wide);
    if (failed(number))
      return unprintable();
    text += separator + number->text;
    separator = ", ";
  }
  return Expression{text + "}}"};
}

std::optional<Expression> KernelPrinter::vectorExpression(Operation *op) {
  auto lane = [](ArrayRef<int64_t> position) -> std::string {
    return position.size() == 1 && !ShapedType::isDynamic(position[0])
               ? std::to_string(position[0])
               : "";
  };
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    if (isa<VectorType>(broadcast.getSource().getType()))
      return std::nullopt;
    splats[op->getResult(0)] = values[broadcast.getSource()];
    return Expression{
        "ampc_splat<" +
        std::to_string(broadcast.getResultVectorType().getNumElements()) +
        ">(" + use(broadcast.getSource()) + ")"};
  }
  if (isa<vector::FromElementsOp>(op)) {
    std::string text = typeName(op->getResult(0).getType()) + "{{", separator;
    for (Value element : op->getOperands()) {
      text += separator + use(element);
      separator = ", ";
    }
    return Expression{text + "}}"};
  }
  if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
    std::string number = lane(extract.getStaticPosition());
    if (number.empty())
      return std::nullopt;
    return Expression{use(extract.getSource(), Precedence::Primary) + ".e[" +
                      number + "]"};
  }
  if (auto insert = dyn_cast<vector::InsertOp>(op)) {
    std::string number = lane(insert.getStaticPosition());
    if (number.empty())
      return std::nullopt;
    return Expression{"ampc_insert<" + number + ">(" + use(insert.getDest()) +
                      ", " + use(insert.getValueToStore()) + ")"};
  }
  return std::nullopt;
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
      return call("ampc_unordered", op);
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
  if (!isUnsigned || getElementTypeOrSelf(compare.getLhs()).isInteger(1))
    return infix(op, symbol, Precedence::Relation);
  // A literal takes the type of what it is compared to.
  std::string bound = useLane(op, 1);
  bool isLiteral = llvm::all_of(bound, llvm::isDigit) && !wide;
  return Expression{"ampc_u(" + useLane(op, 0) + ") " + symbol.str() + " " +
                        (isLiteral ? bound + "u" : "ampc_u(" + bound + ")"),
                    Precedence::Relation};
}

FailureOr<Expression> KernelPrinter::castExpression(Operation *op) {
  Value input = op->getOperand(0);
  bool isVector = isa<VectorType>(input.getType());
  Type from = getElementTypeOrSelf(input),
       to = getElementTypeOrSelf(op->getResult(0));
  std::string name = typeName(to);
  if (name.empty())
    return op->emitOpError()
           << "to " << to << " in CUDA text is not available yet";
  auto isNarrow = [](Type type) {
    return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
  };
  auto converted = [&](const Expression &value) {
    if (isVector)
      return Expression{"ampc_cast<" + name + ">(" + value.text + ")"};
    bool binds = value.precedence >= Precedence::Unary;
    return Expression{"(" + name + ")" +
                          (binds ? value.text : "(" + value.text + ")"),
                      Precedence::Unary};
  };
  if (isa<arith::BitcastOp>(op))
    return call("ampc_bitcast<" + name + ">", op);
  if (isa<arith::ExtFOp>(op) && isNarrow(from)) {
    Expression single = call("ampc_to_f32", op);
    return to.isF64() ? converted(single) : single;
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
  if (isa<arith::IndexCastOp>(op) && name == typeName(from))
    return values[input];
  if (isa<arith::ExtUIOp>(op) && !from.isInteger(1))
    return converted(call("ampc_u", op));
  return converted(values[input]);
}

Expression KernelPrinter::indexExpression(Operation *op, StringRef symbol,
                                          Precedence precedence,
                                          StringRef neutral) {
  auto isNumber = [&](unsigned i, StringRef number) {
    return StringRef(values[op->getOperand(i)].text).rtrim('l') == number;
  };
  bool isProduct = neutral == "1";
  for (unsigned i : {0, 1}) {
    if (isProduct && isNumber(i, "0"))
      return values[op->getOperand(i)];
    if (isNumber(i, neutral))
      return values[op->getOperand(1 - i)];
  }
  return infix(op, symbol, precedence);
}

FailureOr<Expression> KernelPrinter::expressionOf(Operation *op) {
  if (isa<arith::ConstantOp>(op))
    return constantExpression(op);
  if (std::optional<Expression> vector = vectorExpression(op))
    return std::move(*vector);
  if (isa<gpu::LaneIdOp>(op))
    return Expression{"ampc_lane()"};
  if (isa<gpu::SubgroupIdOp>(op))
    return Expression{"ampc_warp()"};
  if (auto thread = dyn_cast<gpu::ThreadIdOp>(op);
      thread && thread.getDimension() == gpu::Dimension::x)
    return Expression{"ampc_thread()"};
  if (isa<arith::CmpFOp, arith::CmpIOp>(op))
    return compareExpression(op);
  if (isa<arith::BitcastOp, arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp,
          arith::FPToSIOp, arith::IndexCastOp, arith::SIToFPOp, arith::TruncFOp,
          arith::TruncIOp, arith::UIToFPOp>(op))
    return castExpression(op);
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Value condition = select.getCondition();
    auto same = splats.find(condition); // one condition for all elements
    if (isa<VectorType>(condition.getType()) && same == splats.end())
      return call("ampc_select", op);
    std::string test = same == splats.end()
                           ? use(condition, Precedence::Or)
                           : inParentheses(same->second, Precedence::Or);
    return Expression{test + " ? " + use(op->getOperand(1), Precedence::Or) +
                          " : " + use(op->getOperand(2), Precedence::Or),
                      Precedence::Conditional};
  }
  // The first factor says how many elements there are.
  if (isa<math::FmaOp>(op))
    return Expression{"ampc_fma(" + use(op->getOperand(0)) + ", " +
                      useLane(op, 1) + ", " + useLane(op, 2) + ")"};
  if (isa<arith::NegFOp>(op))
    return Expression{"-" + use(op->getOperand(0), Precedence::Primary),
                      Precedence::Unary};
  bool isIndex = getElementTypeOrSelf(op->getResult(0)).isIndex();
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
          .Case([&](arith::MaximumFOp) { return call("ampc_maximum", op); })
          .Case([&](arith::MinimumFOp) { return call("ampc_minimum", op); })
          .Case([&](math::SqrtOp) { return call("ampc_sqrt", op); })
          .Case([&](math::CountTrailingZerosOp) {
            return call("ampc_trailing_zeros", op);
          })
          .Case([&](math::AbsFOp) { return call("ampc_abs", op); })
          .Case([&](math::FloorOp) { return call("ampc_floor", op); })
          .Case([&](math::RoundEvenOp) { return call("ampc_nearest", op); })
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
            return isIndex ? indexExpression(op, "+", Precedence::Sum, "0")
                           : call("ampc_add", op);
          })
          .Case([&](arith::SubIOp) {
            return isIndex ? infix(op, "-", Precedence::Sum)
                           : call("ampc_sub", op);
          })
          .Case([&](arith::MulIOp) {
            return isIndex ? indexExpression(op, "*", Precedence::Product, "1")
                           : call("ampc_mul", op);
          })
          .Case([&](arith::MaxSIOp) { return call("ampc_max", op); })
          .Case([&](arith::MinSIOp) { return call("ampc_min", op); })
          .Case([&](arith::AndIOp) { return infix(op, "&", Precedence::And); })
          .Case([&](arith::OrIOp) { return infix(op, "|", Precedence::Or); })
          .Case([&](arith::XOrIOp) { return infix(op, "^", Precedence::Xor); })
          .Case([&](arith::ShLIOp) { return call("ampc_shl", op); })
          .Case([&](arith::ShRUIOp) { return call("ampc_shr", op); })
          .Case([&](arith::ShRSIOp) {
            return infix(op, ">>", Precedence::Shift);
          })
          .Default([](Operation *) { return std::nullopt; });
  if (!found)
    return op->emitOpError() << "in CUDA text is not available yet";
  return std::move(*found);
}
