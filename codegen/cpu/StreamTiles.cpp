// Loads of a matrix unit's tiles that leave the first level of cache alone.
//
// A block of sums reads a panel of each operand; one of them is read again by
// the next block. What comes of memory that the first level of cache does not
// hold would drive that one out: it is loaded by the form that hints at it
// (`tileloaddt1`). No value changes.
#include "codegen/cpu/CpuSteps.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"

using namespace llvm;
using namespace ampc;

/// What the first level of cache keeps while another operand passes through.
static constexpr uint64_t kKeptBytes = 40 << 10;

/// Bytes of the object that `pointer` points into; 0 if not known.
static uint64_t objectBytes(const Value *pointer, const DataLayout &layout) {
  const Value *object = getUnderlyingObject(pointer, /*MaxLookup=*/0);
  if (auto *argument = dyn_cast<Argument>(object))
    return argument->getDereferenceableBytes();
  if (auto *alloca = dyn_cast<AllocaInst>(object))
    if (std::optional<TypeSize> size = alloca->getAllocationSize(layout))
      return size->getFixedValue();
  return 0;
}

PreservedAnalyses StreamTiles::run(Function &function,
                                   FunctionAnalysisManager &analyses) {
  const DataLayout &layout = function.getDataLayout();
  bool changed = false;
  for (Instruction &instruction : instructions(function)) {
    auto *load = dyn_cast<IntrinsicInst>(&instruction);
    if (!load ||
        load->getIntrinsicID() != Intrinsic::x86_tileloadd64_internal ||
        objectBytes(load->getArgOperand(2), layout) <= kKeptBytes)
      continue;
    load->setCalledFunction(Intrinsic::getOrInsertDeclaration(
        function.getParent(), Intrinsic::x86_tileloaddt164_internal));
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
