// The frame of a kernel: signature, loops, statements.
#include "codegen/cuda/KernelPrinter.h"

#include "codegen/kernel/ThreadForm.h"
#include "codegen/kernel/Tiling.h"
#include "ir/dialect/Locations.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;
using namespace ampc;

/// Longest text that is written where it is used.
static constexpr size_t kInlineLength = 70;

std::string ampc::cudaTypeName(Type type) {
  if (isa<Float64Type>(type))
    return "double";
  if (isa<Float32Type>(type))
    return "float";
  if (isa<Float16Type>(type))
    return "ampc_f16";
  if (isa<BFloat16Type>(type))
    return "ampc_bf16";
  if (isa<Float8E4M3FNType>(type))
    return "ampc_f8e4m3";
  if (isa<Float8E5M2Type>(type))
    return "ampc_f8e5m2";
  if (type.isInteger(1))
    return "bool";
  if (type.isInteger(8))
    return "signed char";
  if (type.isInteger(32))
    return "int";
  if (type.isInteger(64))
    return "long long";
  return {};
}

std::string KernelPrinter::nameLike(StringRef wish) {
  return names.uniqueFor(identifierFrom(wish));
}

/// The last part of a location's name path: `weight` of `fc1.weight`;
/// `fallback` without one.
static StringRef leafName(const std::string &path, StringRef fallback) {
  StringRef leaf = StringRef(path).rsplit('.').second;
  if (leaf.empty())
    leaf = path;
  // A number or a name that begins with one says nothing alone.
  bool says = !leaf.empty() && !llvm::isDigit(leaf.front()) &&
              !identifierFrom(leaf).empty();
  return says ? leaf : fallback;
}

std::string KernelPrinter::typeName(Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    std::string element = typeName(vector.getElementType());
    if (element.empty() || vector.getRank() != 1)
      return {};
    return "ampc_vec<" + element + ", " +
           std::to_string(vector.getNumElements()) + ">";
  }
  if (type.isIndex())
    return wide ? "long long" : "int";
  return cudaTypeName(type);
}

std::string KernelPrinter::wishFor(Value value, StringRef fallback) {
  return leafName(amp::namePathOf(value.getLoc()), fallback).str();
}

std::string ampc::inParentheses(const Expression &expression,
                                Precedence least) {
  if (expression.precedence < least)
    return "(" + expression.text + ")";
  return expression.text;
}

std::string KernelPrinter::use(Value value, Precedence least) {
  return inParentheses(values[value], least);
}

std::string KernelPrinter::useLane(Operation *op, unsigned i,
                                   Precedence least) {
  Value value = op->getOperand(i);
  auto splat = splats.find(value);
  if (splat == splats.end())
    return use(value, least);
  bool besideVector = llvm::any_of(op->getOperands(), [&](Value other) {
    return isa<VectorType>(other.getType()) && !splats.contains(other);
  });
  return besideVector ? inParentheses(splat->second, least) : use(value, least);
}

Expression KernelPrinter::infix(Operation *op, StringRef symbol,
                                Precedence precedence) {
  auto tighter = static_cast<Precedence>(static_cast<int>(precedence) + 1);
  return {useLane(op, 0, precedence) + " " + symbol.str() + " " +
              useLane(op, 1, tighter),
          precedence};
}

Expression KernelPrinter::call(StringRef function, Operation *op) {
  std::string text = function.str() + "(";
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    text += (i ? ", " : "") + useLane(op, i);
  return {text + ")", Precedence::Primary};
}

void KernelPrinter::printLine(Location loc) {
  auto file = loc->findInstanceOf<FileLineColLoc>();
  if (!file)
    return;
  std::string name;
  for (char c : file.getFilename().getValue()) {
    if (c == '"' || c == '\\')
      name += '\\';
    name += c == '\n' ? ' ' : c;
  }
  std::string line =
      "#line " + std::to_string(file.getLine()) + " \"" + name + "\"\n";
  if (line != lastLine)
    os << line;
  lastLine = line;
}

bool KernelPrinter::isInlined(Value value, StringRef text) {
  Operation *op = value.getDefiningOp();
  if (!value.hasOneUse() || text.size() > kInlineLength)
    return false;
  Operation *user = value.use_begin()->getOwner();
  if (user->getBlock() != op->getBlock())
    return false;
  if (isa<scf::ForOp>(user)) // a bound, which each step compares to
    return false;
  // Results of a loop are assigned one after the other.
  if (isa<scf::YieldOp>(user))
    return user->getNumOperands() == 1;
  // A vector of equal elements stands wherever it is used.
  if (auto splat = dyn_cast<vector::BroadcastOp>(user))
    return isInlined(splat.getResult(), text);
  return true;
}

LogicalResult KernelPrinter::printStatement(Operation *op) {
  if (isMemoryStatement(op))
    return printMemoryStatement(op);
  if (op->getNumResults() == 0 || op->getNumRegions() != 0)
    return op->emitOpError() << "in CUDA text is not available yet";
  Value result = op->getResult(0);
  Expression expression;
  // A load stands where the IR has it: a later store may go to the same bytes.
  std::optional<Expression> ordered = orderedExpression(op);
  if (ordered) {
    expression = std::move(*ordered);
  } else {
    FailureOr<Expression> found = expressionOf(op);
    if (failed(found))
      return failure();
    expression = std::move(*found);
  }
  bool isName = llvm::all_of(
      expression.text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  bool isAlways = op->hasTrait<OpTrait::ConstantLike>() ||
                  isa<vector::BroadcastOp>(op) || (!ordered && isName);
  if (isAlways || (!ordered && isInlined(result, expression.text))) {
    values[result] = std::move(expression);
    return success();
  }
  if (ordered && result.use_empty())
    return success();
  std::string type = typeName(result.getType());
  if (type.empty())
    return op->emitOpError() << "of type " << result.getType()
                             << " in CUDA text is not available yet";
  std::string wish = wishFor(result, "t");
  if (isa<gpu::LaneIdOp>(op))
    wish = "lane";
  else if (isa<gpu::SubgroupIdOp>(op))
    wish = "warp";
  else if (isa<gpu::ThreadIdOp>(op))
    wish = "thread";
  else if (result.getType().isIndex())
    wish = "at";
  else if (isa<memref::LoadOp, vector::LoadOp, vector::GatherOp>(op))
    wish = use(op->getOperand(0)) + "v";
  std::string name = nameLike(wish);
  printLine(op->getLoc());
  os.indent(indent) << "const " << type << " " << name << " = "
                    << expression.text << ";\n";
  values[result] = {name};
  return success();
}

LogicalResult KernelPrinter::printBody(Block &block) {
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      continue;
    LogicalResult printed =
        TypeSwitch<Operation *, LogicalResult>(&op)
            .Case([&](scf::ParallelOp loop) { return printPoints(loop); })
            .Case([&](scf::ForOp loop) { return printLoop(loop); })
            .Case([&](scf::IfOp choice) { return printBranch(choice); })
            .Default([&](Operation *) { return printStatement(&op); });
    if (failed(printed))
      return failure();
  }
  return success();
}

/// Whether a user of `argument` is one of `Ops`.
template <typename... Ops>
static bool isUsedBy(BlockArgument argument) {
  return llvm::any_of(argument.getUsers(), llvm::IsaPred<Ops...>);
}

/// Threads that a multiprocessor is to hold at least, half of what most have:
/// enough loads under way for the memory's bandwidth. Without a number NVRTC
/// aims at more, and moves registers to local memory for it.
static constexpr int64_t kResidentThreads = 1024;
/// Arguments up to which that many threads have registers enough; with more of
/// them one block is asked for.
static constexpr unsigned kFewArguments = 16;
/// Blocks that a multiprocessor of any device holds.
static constexpr int64_t kResidentBlocks = 16;

/// Blocks of `func` that a multiprocessor is to hold.
static int64_t residentBlocks(func::FuncOp func, int64_t blockThreads) {
  if (func.getNumArguments() > kFewArguments)
    return 1;
  return std::clamp<int64_t>(kResidentThreads / blockThreads, 1,
                             kResidentBlocks);
}

LogicalResult KernelPrinter::printSignature(func::FuncOp func,
                                            int64_t blockThreads) {
  os << "extern \"C\" __global__ __launch_bounds__(" << blockThreads << ", "
     << residentBlocks(func, blockThreads) << ") void " << func.getName()
     << "(";
  for (BlockArgument argument : func.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    std::string element = type ? cudaTypeName(type.getElementType()) : "";
    if (element.empty())
      return func.emitOpError() << "takes " << argument.getType()
                                << ", which in CUDA text is not available yet";
    // No other op stores to memory that an argument names.
    bool written = llvm::any_of(argument.getUsers(), [&](Operation *user) {
      auto store = dyn_cast<memref::StoreOp>(user);
      auto vectorStore = dyn_cast<vector::StoreOp>(user);
      return (store && store.getMemRef() == argument) ||
             (vectorStore && vectorStore.getBase() == argument);
    });
    // An argument that is only written has the group's location, not a name.
    bool read =
        isUsedBy<memref::LoadOp, vector::LoadOp, vector::GatherOp>(argument);
    std::string path = read ? amp::namePathOf(argument.getLoc()) : "";
    std::string name = nameLike(leafName(path, written ? "out" : "in"));
    os << (argument.getArgNumber() ? ", " : "") << (written ? "" : "const ")
       << element << " *__restrict__ " << name;
    values[argument] = {name};
  }
  os << ") {\n";
  return success();
}

LogicalResult KernelPrinter::print(func::FuncOp func) {
  FailureOr<scf::ParallelOp> loop = parallelLoopOf(func);
  if (failed(loop))
    return failure();
  FailureOr<LaunchShape> shape = launchShapeOf(*loop);
  if (failed(shape))
    return failure();
  values.clear();
  splats.clear();
  names = UniqueNames();
  lastLine.clear();
  // Words that a name from the model must not shadow.
  for (StringRef word :
       {"auto",     "bool",     "break",   "case",     "char",     "class",
        "const",    "continue", "default", "delete",   "do",       "double",
        "else",     "enum",     "extern",  "false",    "float",    "for",
        "goto",     "if",       "inline",  "int",      "long",     "namespace",
        "new",      "operator", "private", "public",   "register", "return",
        "short",    "signed",   "sizeof",  "static",   "struct",   "switch",
        "template", "this",     "true",    "typedef",  "union",    "unsigned",
        "using",    "virtual",  "void",    "volatile", "while"})
    names.reserve(word);
  names.reserve(func.getName());
  // Half the range of int leaves room for one more stride of the grid. A
  // movement may read a tensor larger than its result.
  int64_t total = shape->points;
  for (Value argument : func.getArguments())
    if (auto type = dyn_cast<MemRefType>(argument.getType()))
      total = std::max(total, type.getNumElements());
  wide = total > (int64_t(1) << 30);
  printLine(func.getLoc());
  if (failed(printSignature(func, shape->blockThreads)))
    return failure();
  indent = 2;
  if (failed(printBody(func.getBody().front())))
    return failure();
  os << "}\n\n";
  return success();
}
