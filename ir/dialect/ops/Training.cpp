// Variables: verification, and the symbols that reads and writes name.
#include "ir/dialect/Dialect.h"

using namespace mlir;
using namespace ampc::amp;

//===----------------------------------------------------------------------===//
// `[a, b]` with every bit: what is printed is read back exactly
//===----------------------------------------------------------------------===//

ParseResult ampc::amp::parseFloats(OpAsmParser &parser,
                                   DenseF64ArrayAttr &values) {
  SmallVector<double> parsed;
  auto parseOne = [&]() -> ParseResult {
    APFloat value(APFloat::IEEEdouble());
    if (parser.parseFloat(APFloat::IEEEdouble(), value))
      return failure();
    parsed.push_back(value.convertToDouble());
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  values = parser.getBuilder().getDenseF64ArrayAttr(parsed);
  return success();
}

void ampc::amp::printFloats(OpAsmPrinter &printer, Operation *,
                            DenseF64ArrayAttr values) {
  printer << "[";
  llvm::interleaveComma(values.asArrayRef(), printer, [&](double value) {
    printer.printFloat(APFloat(value));
  });
  printer << "]";
}

unsigned VariableOp::argumentsOf(InitKind init) {
  switch (init) {
  case InitKind::constant:
    return 1;
  case InitKind::uniform:
  case InitKind::normal:
    return 2;
  case InitKind::trunc_normal:
  case InitKind::padded_normal:
    return 4;
  default:
    return 0;
  }
}

bool VariableOp::isDrawn(InitKind init) { return argumentsOf(init) > 1; }

LogicalResult VariableOp::verify() {
  InitKind init = getInit();
  bool drawn = isDrawn(init);
  // variable_c1
  size_t expected = argumentsOf(init);
  size_t given = getInitArgs() ? getInitArgs()->size() : 0;
  if (given != expected)
    return emitOpError() << "init " << stringifyInitKind(init) << " takes "
                         << expected << " arguments, got " << given;
  // variable_c2
  if ((init == InitKind::data) != getValue().has_value())
    return emitOpError()
           << "a value belongs to init data and only there, got init "
           << stringifyInitKind(init);
  if (getValue() && getValue()->getType() != getType())
    return emitOpError() << "value must have the variable's type " << getType()
                         << ", got " << getValue()->getType();
  // variable_c3
  if (drawn && !isa<FloatType>(tensorType().getElementType()))
    return emitOpError() << "init " << stringifyInitKind(init)
                         << " fills floats, got "
                         << tensorType().getElementType();
  // variable_c4
  int64_t site = getSite() ? static_cast<int64_t>(*getSite()) : 0;
  if (site < 0 || site >= (int64_t(1) << 30))
    return emitOpError() << "site must be in [0, 2^30), got " << site;
  // variable_c5
  bool copy = getRole() == VariableRole::copy16;
  if (copy != getCopyOf().has_value())
    return emitOpError()
           << "copy_of belongs to role copy16 and only there, got role "
           << stringifyVariableRole(getRole());
  if (copy && !isa<BFloat16Type, Float16Type>(tensorType().getElementType()))
    return emitOpError() << "a 16-bit copy is bf16 or f16, got "
                         << tensorType().getElementType();
  if (copy && init != InitKind::zeros)
    return emitOpError() << "a 16-bit copy has init zeros, got init "
                         << stringifyInitKind(init);
  return success();
}

LogicalResult VariableOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FlatSymbolRefAttr name = getCopyOfAttr();
  if (!name)
    return success();
  // variable_c6
  auto source = symbols.lookupNearestSymbolFrom<VariableOp>(*this, name);
  if (!source)
    return emitOpError() << "copy_of names no variable: " << name;
  if (source.getRole() == VariableRole::parameter &&
      source.tensorType() == tensorType().clone(Float32Type::get(getContext())))
    return success();
  InFlightDiagnostic diagnostic =
      emitOpError() << "of type " << getType()
                    << " must be a copy of an f32 parameter of its shape, but "
                    << name << " has type " << source.getType() << " and role "
                    << stringifyVariableRole(source.getRole());
  diagnostic.attachNote(source.getLoc()) << "declared here";
  return diagnostic;
}

/// read_c1, write_c1: `name` is a variable of type `type`.
static LogicalResult verifyVariableUse(Operation *op, FlatSymbolRefAttr name,
                                       Type type,
                                       SymbolTableCollection &symbols) {
  auto variable = symbols.lookupNearestSymbolFrom<VariableOp>(op, name);
  if (!variable)
    return op->emitOpError() << "names no variable: " << name;
  if (variable.getType() == type)
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError()
                                  << "has type " << type << " but variable "
                                  << name << " holds " << variable.getType();
  diagnostic.attachNote(variable.getLoc()) << "declared here";
  return diagnostic;
}

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyVariableUse(*this, getVariableAttr(), getResult().getType(),
                           symbols);
}

LogicalResult WriteOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyVariableUse(*this, getVariableAttr(), getInput().getType(),
                           symbols);
}

#define GET_OP_CLASSES
#include "ir/dialect/ops/Training.cpp.inc"
