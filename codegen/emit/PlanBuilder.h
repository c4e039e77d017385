// The plan under construction. Private to codegen/emit.
#ifndef AMPC_CODEGEN_EMIT_PLANBUILDER_H
#define AMPC_CODEGEN_EMIT_PLANBUILDER_H

#include "codegen/cpu/CpuLevel.h"
#include "codegen/cuda/CudaText.h"
#include "ir/dialect/Dialect.h"
#include "runtime/plan/PlanFile.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace ampc {

/// The nested module of kernels with its functions built, in a copy of a placed
/// module.
struct BuiltKernels {
  mlir::OwningOpRef<mlir::ModuleOp>
      placed;             ///< the copy: groups carry their kernel's symbol
  mlir::ModuleOp kernels; ///< inside of `placed`
};

/// Copies `placed` and builds its kernels, for the threads of a GPU or as
/// vectors.
llvm::FailureOr<BuiltKernels> buildKernelsOf(mlir::ModuleOp placed,
                                             bool threads);

/// The level that `name` asks for; an error at `module` when there is none.
llvm::FailureOr<const CpuLevel *> levelNamed(mlir::ModuleOp module,
                                             llvm::StringRef name);

/// The plan's number of an element type of the dialect.
rt::fb::DType planType(mlir::Type element);
/// A tensor type as the plan writes it.
std::unique_ptr<rt::fb::TensorTypeT>
planTensorType(mlir::RankedTensorType type);

/// Collects the parts of one plan.
class PlanBuilder {
public:
  PlanBuilder(mlir::ModuleOp placed, mlir::ModuleOp kernels)
      : module(placed), kernels(kernels) {}

  /// The target and its kernels, without their object.
  llvm::LogicalResult addCpuKernels(const CpuLevel &level);
  /// The target and its kernels, with their text.
  void addCudaKernels(CudaText text);
  /// Everything else.
  llvm::LogicalResult build();

  rt::fb::PlanT plan;
  rt::PlanSections sections;

private:
  llvm::LogicalResult addVariables();
  /// The kernel of `func`, run in `tiles`.
  rt::fb::KernelT &addKernel(mlir::func::FuncOp func, int64_t tiles);
  llvm::LogicalResult addEntry(mlir::func::FuncOp func, amp::Entry kind);
  llvm::LogicalResult addInstruction(rt::fb::EntryT &entry,
                                     mlir::func::FuncOp func,
                                     mlir::Operation *op);
  /// The launch of a group's kernel, which `label` gets the name of; null: its
  /// results are empty.
  llvm::FailureOr<std::unique_ptr<rt::fb::LaunchT>>
  planLaunch(amp::GroupOp group, llvm::StringRef &label);
  llvm::LogicalResult addLaunch(rt::fb::EntryT &entry, amp::GroupOp group);
  llvm::LogicalResult addForeach(rt::fb::EntryT &entry, amp::ForeachOp loop);
  llvm::LogicalResult addContraction(rt::fb::EntryT &entry,
                                     amp::MatmulOp matmul);
  llvm::LogicalResult addConstant(rt::fb::EntryT &entry,
                                  amp::ConstantOp constant);
  /// A copy of `value` to `destination`, unless it stands there.
  llvm::LogicalResult addCopy(rt::fb::EntryT &entry, mlir::Operation *op,
                              mlir::Value value, amp::PlaceAttr destination);
  /// Puts `value` at `offset` of the constant section; bytes already given must
  /// be equal.
  llvm::LogicalResult placeConstant(mlir::Operation *op,
                                    mlir::ElementsAttr value, int64_t offset);
  /// The place of a random op's word in the constant section.
  rt::fb::Place placeSite(uint32_t word);
  llvm::LogicalResult
  addPort(std::vector<std::unique_ptr<rt::fb::PortT>> &ports,
          mlir::func::FuncOp func, unsigned number, bool isInput);
  /// What an op asks of an input's elements, as the plan writes it.
  std::unique_ptr<rt::fb::IndexCheckT> planCheck(amp::IndexRangeAttr range);
  void addSettings();

  /// Number of a location in the source map, -1 when it names no file.
  int sourceOf(mlir::Location loc);
  /// A place as the plan writes it; an error at `op` where it names no variable
  /// of the module.
  llvm::FailureOr<rt::fb::Place> planPlace(mlir::Operation *op,
                                           amp::PlaceAttr place);
  rt::fb::InstructionT &addInstruction(rt::fb::EntryT &entry,
                                       mlir::Operation *op,
                                       llvm::StringRef label);

  mlir::ModuleOp module;
  mlir::ModuleOp kernels;
  llvm::StringMap<uint64_t> variableOffsets;
  llvm::StringMap<std::pair<unsigned, uint64_t>>
      kernelNumbers; ///< name -> number, tiles
  llvm::DenseMap<mlir::Attribute, int> sourceNumbers;
  llvm::DenseMap<int64_t, mlir::ElementsAttr> constantsAt;
  std::map<uint32_t, uint64_t> sitesAt; ///< words of random ops -> offset
};

/// The bytes of a constant as the runtime stores it (i1: one byte each), or
/// failure with an error at `op` for a form of constant that has none here.
llvm::FailureOr<std::vector<uint8_t>> bytesOf(mlir::Operation *op,
                                              mlir::ElementsAttr value);

} // namespace ampc

#endif // AMPC_CODEGEN_EMIT_PLANBUILDER_H
