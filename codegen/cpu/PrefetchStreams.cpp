// Prefetches of what loops walk through.
//
// The hardware sees streams by itself, but starts anew on every page of 4 KiB,
// and where a loop computes much a line the processor cannot look far enough
// ahead. So each load and store of a large argument that moves by whole lines
// fetches the line that is 4 KiB, or one step of the loop, ahead. Where several
// loops read the same argument one after another (the passes over a row) all
// but the first find it in the cache: only the last fetches, and what it
// fetches is the next row, while the memory would else be idle. No value
// changes.
#include "codegen/cpu/CpuSteps.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace ampc;

static constexpr uint64_t kLineBytes = 64;
/// Smaller arguments stay in the second level of cache from kernel to kernel.
static constexpr uint64_t kLargeBytes = uint64_t(1) << 20;
/// How far ahead: memory takes some hundred cycles, a line at least ten.
static constexpr uint64_t kAheadBytes = 4096;
/// What is further ahead would drive its like out of the first level of cache,
/// or of the second.
static constexpr uint64_t kFirstLevelBytes = uint64_t(1) << 14,
                          kSecondLevelBytes = uint64_t(1) << 19;

namespace {

/// A load or store that moves through an argument with a loop.
struct Stream {
  Instruction *access;
  const Argument *base;
  const SCEVAddRecExpr *address;
  uint64_t step; ///< of the loop, in bytes

  bool isWrite() const { return isa<StoreInst>(access); }
  const Loop *loop() const { return address->getLoop(); }
};

/// The loops that read, or that write, one argument inside another loop.
struct Sweeps {
  const Loop *last = nullptr;
  unsigned count = 0;
};

} // namespace

/// The constant step of `address` with `loop`, in bytes; 0 where it has none.
static uint64_t stepOf(const SCEV *address, const Loop *loop,
                       ScalarEvolution &evolution) {
  auto *moving = dyn_cast<SCEVAddRecExpr>(address);
  if (!moving || moving->getLoop() != loop || !moving->isAffine())
    return 0;
  auto *step = dyn_cast<SCEVConstant>(moving->getStepRecurrence(evolution));
  return step && step->getAPInt().isStrictlyPositive()
             ? step->getAPInt().getZExtValue()
             : 0;
}

static std::optional<Stream> streamOf(Instruction &access, const Loop *loop,
                                      ScalarEvolution &evolution) {
  Value *pointer = getLoadStorePointerOperand(&access);
  if (!pointer)
    return std::nullopt;
  auto *base = dyn_cast<Argument>(getUnderlyingObject(pointer));
  if (!base || base->getDereferenceableBytes() < kLargeBytes)
    return std::nullopt;
  const SCEV *address = evolution.getSCEV(pointer);
  uint64_t step = stepOf(address, loop, evolution);
  if (step < kLineBytes / 2) // none, or what vectors leave over
    return std::nullopt;
  return Stream{&access, base, cast<SCEVAddRecExpr>(address), step};
}

/// Whether the loop of `stream`, or the one around it going on where it ends,
/// comes to what is `ahead` bytes ahead.
static bool reaches(const Stream &stream, uint64_t ahead,
                    ScalarEvolution &evolution) {
  uint64_t most = evolution.getSmallConstantMaxTripCount(stream.loop());
  if (most == 0 || most * stream.step > ahead)
    return true;
  const Loop *around = stream.loop()->getParentLoop();
  return around && stepOf(stream.address->getStart(), around, evolution) ==
                       most * stream.step;
}

/// Fetches the lines of `stream` that are `ahead` bytes ahead.
static void prefetch(const Stream &stream, uint64_t ahead) {
  if (ahead > kSecondLevelBytes)
    return;
  IRBuilder<> builder(stream.access);
  const DataLayout &layout = stream.access->getDataLayout();
  uint64_t bytes =
      layout.getTypeStoreSize(getLoadStoreType(stream.access)).getFixedValue();
  constexpr unsigned kFirstLevel = 3, kSecondLevel = 2, kData = 1;
  for (uint64_t line = 0; line < bytes; line += kLineBytes) {
    Value *address = builder.CreateConstGEP1_64(
        builder.getInt8Ty(), getLoadStorePointerOperand(stream.access),
        ahead + line);
    builder.CreateIntrinsic(
        Intrinsic::prefetch, {address->getType()},
        {address, builder.getInt32(stream.isWrite()),
         builder.getInt32(ahead <= kFirstLevelBytes ? kFirstLevel
                                                    : kSecondLevel),
         builder.getInt32(kData)});
  }
}

PreservedAnalyses PrefetchStreams::run(Function &function,
                                       FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  SmallVector<Stream> streams;
  DenseMap<std::pair<const Argument *, const Loop *>, Sweeps> reads, writes;
  auto sweepsOf = [&](const Stream &stream) -> Sweeps & {
    return (stream.isWrite()
                ? writes
                : reads)[{stream.base, stream.loop()->getParentLoop()}];
  };
  // Loops in the order of the program.
  for (Loop *loop : loops.getLoopsInPreorder())
    for (BasicBlock *block : loop->blocks()) {
      if (loops.getLoopFor(block) != loop)
        continue;
      for (Instruction &access : *block) {
        std::optional<Stream> stream = streamOf(access, loop, evolution);
        if (!stream)
          continue;
        streams.push_back(*stream);
        Sweeps &sweeps = sweepsOf(*stream);
        sweeps.count += sweeps.last != loop;
        sweeps.last = loop;
      }
    }
  DenseSet<const SCEV *> fetched;
  // Stores first: an update in place fetches its line once, to write.
  for (bool isWrite : {true, false})
    for (const Stream &stream : streams) {
      const Sweeps &sweeps = sweepsOf(stream);
      if (stream.isWrite() != isWrite || sweeps.last != stream.loop() ||
          !fetched.insert(stream.address).second)
        continue;
      uint64_t row = sweeps.count > 1
                         ? stepOf(stream.address->getStart(),
                                  stream.loop()->getParentLoop(), evolution)
                         : 0;
      uint64_t ahead = std::max({kAheadBytes, stream.step, row});
      if (row != 0 || reaches(stream, ahead, evolution))
        prefetch(stream, ahead);
    }
  return fetched.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
