// The amp dialect: what a training step means (Dialect.td, ops/*.td).
#ifndef AMPC_IR_DIALECT_DIALECT_H
#define AMPC_IR_DIALECT_DIALECT_H

#include "ir/dialect/Attrs.h"
#include "ir/dialect/Interfaces.h"
#include "ir/dialect/TypeFacts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/dialect/Dialect.h.inc"

namespace ampc::amp {

/// Reads and writes `[a, b]` without losing a bit (the format of initial
/// values).
mlir::ParseResult parseFloats(mlir::OpAsmParser &parser,
                              mlir::DenseF64ArrayAttr &values);
void printFloats(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                 mlir::DenseF64ArrayAttr values);

} // namespace ampc::amp

#define GET_OP_CLASSES
#include "ir/dialect/Ops.h.inc"

namespace ampc::amp {

/// The stage attribute of a module, or none when it carries none.
std::optional<Stage> stageOf(mlir::ModuleOp module);

/// Refuses a module that is not in `stage`, which `pass` takes.
llvm::LogicalResult expectStage(mlir::ModuleOp module, Stage stage,
                                llvm::StringRef pass);

/// The function of `module` that is entry `entry`, or null.
mlir::func::FuncOp findEntry(mlir::ModuleOp module, Entry entry);

/// The entry attribute of a function, or none.
std::optional<Entry> entryOf(mlir::func::FuncOp func);

} // namespace ampc::amp

#endif // AMPC_IR_DIALECT_DIALECT_H
