// Memory, and what the threads of a warp or block say to each other.
#include "codegen/cuda/KernelPrinter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace ampc;

int64_t ampc::knownDivisor(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument == loop.getInductionVar())
      return std::gcd(knownDivisor(loop.getLowerBound()),
                      knownDivisor(loop.getStep()));
    return 1;
  }
  if (auto constant = dyn_cast<arith::ConstantIndexOp>(op))
    return std::abs(constant.value());
  if (isa<arith::MulIOp>(op)) {
    int64_t a = knownDivisor(op->getOperand(0)),
            b = knownDivisor(op->getOperand(1)), product = 0;
    return llvm::MulOverflow(a, b, product) ? 1 : product;
  }
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp>(op))
    return std::gcd(knownDivisor(op->getOperand(0)),
                    knownDivisor(op->getOperand(1)));
  if (isa<arith::RemUIOp>(op))
    return std::gcd(knownDivisor(op->getOperand(0)),
                    knownDivisor(op->getOperand(1)));
  if (isa<arith::DivUIOp>(op)) {
    int64_t a = knownDivisor(op->getOperand(0)),
            b = knownDivisor(op->getOperand(1));
    auto constant = op->getOperand(1).getDefiningOp<arith::ConstantIndexOp>();
    return constant && b != 0 && a % b == 0 ? a / b : 1;
  }
  return 1;
}

/// Whether `type` is memory of the block.
static bool isShared(MemRefType type) {
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  return space && space.getValue() == gpu::AddressSpace::Workgroup;
}

bool KernelPrinter::isMemoryStatement(Operation *op) {
  return isa<memref::StoreOp, vector::StoreOp, memref::AllocaOp, gpu::BarrierOp,
             NVVM::SyncWarpOp>(op);
}

std::string KernelPrinter::access(StringRef function, VectorType type,
                                  Value memory, Value index) {
  int64_t count = type.getNumElements();
  std::string text = function.str();
  if (knownDivisor(index) % count != 0)
    text += "_each";
  if (function == "ampc_load")
    text += "<" + std::to_string(count) + ">";
  std::string at = use(index, Precedence::Sum);
  return text + "(" + use(memory) + (at == "0" ? "" : " + " + at);
}

LogicalResult KernelPrinter::printMemoryStatement(Operation *op) {
  if (auto array = dyn_cast<memref::AllocaOp>(op)) {
    MemRefType type = array.getType();
    std::string element = cudaTypeName(type.getElementType());
    if (element.empty() || type.getRank() != 1 || !type.hasStaticShape())
      return op->emitOpError()
             << "of " << type << " in CUDA text is not available yet";
    std::string name = nameLike(isShared(type) ? "shared" : "local");
    if (isShared(type))
      os.indent(indent) << "AMPC_SHARED(" << element << ", " << name << ", "
                        << type.getNumElements() << ");\n";
    else
      os.indent(indent) << element << " " << name << "["
                        << type.getNumElements() << "];\n";
    values[array] = {name};
    return success();
  }
  printLine(op->getLoc());
  os.indent(indent);
  if (auto store = dyn_cast<memref::StoreOp>(op))
    os << use(store.getMemRef()) << "[" << use(store.getIndices()[0])
       << "] = " << use(store.getValueToStore());
  else if (auto store = dyn_cast<vector::StoreOp>(op))
    os << access("ampc_store", store.getVectorType(), store.getBase(),
                 store.getIndices()[0])
       << ", " << use(store.getValueToStore()) << ")";
  else if (isa<gpu::BarrierOp>(op))
    os << "__syncthreads()";
  else
    os << "__syncwarp()";
  os << ";\n";
  return success();
}

std::optional<Expression> KernelPrinter::orderedExpression(Operation *op) {
  using Found = std::optional<Expression>;
  auto isAll = [](Value mask) {
    auto constant = mask.getDefiningOp<arith::ConstantOp>();
    auto elements =
        constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : nullptr;
    return elements && elements.getSplatValue<bool>();
  };
  return TypeSwitch<Operation *, Found>(op)
      .Case([&](memref::LoadOp load) -> Found {
        return Expression{use(load.getMemRef()) + "[" +
                          use(load.getIndices()[0]) + "]"};
      })
      .Case([&](vector::LoadOp load) -> Found {
        return Expression{access("ampc_load", load.getVectorType(),
                                 load.getBase(), load.getIndices()[0]) +
                          ")"};
      })
      .Case([&](vector::GatherOp gather) -> Found {
        std::string text = "ampc_gather(" + use(gather.getBase()) + ", " +
                           use(gather.getIndices());
        if (!isAll(gather.getMask()))
          text += ", " + use(gather.getMask());
        return Expression{text + ")"};
      })
      .Case([&](gpu::ShuffleOp shuffle) -> Found {
        bool isDown = shuffle.getMode() == gpu::ShuffleMode::DOWN;
        if (!isDown && shuffle.getMode() != gpu::ShuffleMode::IDX)
          return std::nullopt;
        return Expression{(isDown ? "ampc_shuffle_down(" : "ampc_shuffle(") +
                          use(shuffle.getValue()) + ", " +
                          use(shuffle.getOffset()) + ")"};
      })
      .Case([&](NVVM::VoteSyncOp vote) -> Found {
        if (vote.getKind() != NVVM::VoteSyncKind::ballot)
          return std::nullopt;
        return Expression{"ampc_ballot(" + use(vote.getPred()) + ")"};
      })
      .Default([](Operation *) { return std::nullopt; });
}
