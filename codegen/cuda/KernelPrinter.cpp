// The frame of a kernel: signature, loops, statements.
#include "codegen/cuda/KernelPrinter.h"

#include "codegen/kernel/Tiling.h"
#include "ir/dialect/Locations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

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

std::string KernelPrinter::use(Value value, Precedence least) {
  const Expression &expression = values[value];
  if (expression.precedence < least)
    return "(" + expression.text + ")";
  return expression.text;
}

Expression KernelPrinter::infix(Operation *op, StringRef symbol,
                                Precedence precedence) {
  auto tighter = static_cast<Precedence>(static_cast<int>(precedence) + 1);
  return {use(op->getOperand(0), precedence) + " " + symbol.str() + " " +
              use(op->getOperand(1), tighter),
          precedence};
}

Expression KernelPrinter::call(StringRef function, ValueRange operands) {
  std::string text = function.str() + "(";
  for (auto [i, operand] : llvm::enumerate(operands))
    text += (i ? ", " : "") + use(operand);
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

LogicalResult KernelPrinter::printStatement(Operation *op) {
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    printLine(op->getLoc());
    os.indent(indent) << use(store.getMemRef()) << "["
                      << use(store.getIndices()[0])
                      << "] = " << use(store.getValueToStore()) << ";\n";
    return success();
  }
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return op->emitOpError() << "in CUDA text is not available yet";
  Value result = op->getResult(0);
  Expression expression;
  bool isLoad = false;
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    isLoad = true;
    expression = {use(load.getMemRef()) + "[" + use(load.getIndices()[0]) +
                  "]"};
  } else {
    FailureOr<Expression> found = expressionOf(op);
    if (failed(found))
      return failure();
    expression = std::move(*found);
  }
  // A load stands where the IR has it: a later store may go to the same bytes.
  bool sameBlock = result.hasOneUse() &&
                   result.use_begin()->getOwner()->getBlock() == op->getBlock();
  bool isConstant = op->hasTrait<OpTrait::ConstantLike>();
  if (isConstant ||
      (!isLoad && sameBlock && expression.text.size() <= kInlineLength)) {
    values[result] = std::move(expression);
    return success();
  }
  Type type = result.getType();
  std::string typeName =
      type.isIndex() ? (wide ? "long long" : "int") : cudaTypeName(type);
  if (typeName.empty())
    return op->emitOpError()
           << "of type " << type << " in CUDA text is not available yet";
  std::string path = amp::namePathOf(op->getLoc());
  std::string wish = leafName(path, "t").str();
  if (type.isIndex())
    wish = "at";
  else if (isLoad)
    wish = use(op->getOperand(0)) + "v";
  std::string name = nameLike(wish);
  printLine(op->getLoc());
  os.indent(indent) << "const " << typeName << " " << name << " = "
                    << expression.text << ";\n";
  values[result] = {name};
  return success();
}

LogicalResult KernelPrinter::printBranch(scf::IfOp choice) {
  if (choice.getNumResults() != 1 || !choice.elseBlock())
    return choice.emitOpError()
           << "without one result in CUDA text is not available yet";
  Value result = choice.getResult(0);
  std::string typeName = cudaTypeName(result.getType());
  if (typeName.empty())
    return choice.emitOpError() << "of type " << result.getType()
                                << " in CUDA text is not available yet";
  printLine(choice.getLoc());
  std::string name = nameLike("t");
  os.indent(indent) << typeName << " " << name << ";\n";
  os.indent(indent) << "if (" << use(choice.getCondition()) << ") {\n";
  for (Block *block : {choice.thenBlock(), choice.elseBlock()}) {
    if (block == choice.elseBlock())
      os.indent(indent) << "} else {\n";
    indent += 2;
    if (failed(printBody(*block)))
      return failure();
    Value value = block->getTerminator()->getOperand(0);
    os.indent(indent) << name << " = " << use(value) << ";\n";
    indent -= 2;
  }
  os.indent(indent) << "}\n";
  values[result] = {name};
  return success();
}

LogicalResult KernelPrinter::printLoop(scf::ParallelOp loop) {
  FailureOr<Tiling> tiling = tilingOf(loop); // checks the bounds
  if (failed(tiling))
    return failure();
  int64_t points = 1;
  for (int64_t extent : tiling->extents)
    points *= extent;
  int64_t total = points;
  // Half the range of int leaves room for one more stride of the grid. A
  // movement may read a tensor larger than its result.
  for (Value argument : loop->getParentOfType<func::FuncOp>().getArguments())
    total =
        std::max(total, cast<MemRefType>(argument.getType()).getNumElements());
  wide = total > (int64_t(1) << 30);
  std::string type = wide ? "long long" : "int";
  std::string point = nameLike(tiling->extents.size() == 1 ? "i" : "point");
  os.indent(indent) << "for (" << type << " " << point << " = ampc_first(); "
                    << point << " < " << points << "; " << point
                    << " += ampc_stride()) {\n";
  indent += 2;
  std::string rest = point;
  SmallVector<std::string> lines;
  for (size_t axis = tiling->extents.size(); axis-- > 0;) {
    Value variable = loop.getInductionVars()[axis];
    if (tiling->extents.size() == 1) {
      values[variable] = {point};
      break;
    }
    std::string name = nameLike(
        std::string(1, static_cast<char>('i' + std::min<size_t>(axis, 5))));
    std::string extent = std::to_string(tiling->extents[axis]);
    lines.push_back(name + " = " + (axis ? rest + " % " + extent : rest));
    rest += " / " + extent;
    values[variable] = {name};
  }
  for (const std::string &line : llvm::reverse(lines))
    os.indent(indent) << "const " << type << " " << line << ";\n";
  if (failed(printBody(*loop.getBody())))
    return failure();
  indent -= 2;
  os.indent(indent) << "}\n";
  return success();
}

LogicalResult KernelPrinter::printBody(Block &block) {
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      continue;
    auto loop = dyn_cast<scf::ParallelOp>(op);
    if (loop && indent > 2)
      return op.emitOpError()
             << "inside another in CUDA text is not available yet";
    auto choice = dyn_cast<scf::IfOp>(op);
    if (failed(loop     ? printLoop(loop)
               : choice ? printBranch(choice)
                        : printStatement(&op)))
      return failure();
  }
  return success();
}

LogicalResult KernelPrinter::print(func::FuncOp func) {
  values.clear();
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
  printLine(func.getLoc());
  os << "extern \"C\" __global__ void " << func.getName() << "(";
  for (BlockArgument argument : func.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    std::string element = type ? cudaTypeName(type.getElementType()) : "";
    if (element.empty())
      return func.emitOpError() << "takes " << argument.getType()
                                << ", which in CUDA text is not available yet";
    bool written = llvm::any_of(argument.getUsers(), [&](Operation *user) {
      auto store = dyn_cast<memref::StoreOp>(user);
      return store && store.getMemRef() == argument;
    });
    // An argument that is only written has the group's location, not a name.
    bool read =
        llvm::any_of(argument.getUsers(), llvm::IsaPred<memref::LoadOp>);
    std::string path = read ? amp::namePathOf(argument.getLoc()) : "";
    std::string name = nameLike(leafName(path, read ? "in" : "out"));
    os << (argument.getArgNumber() ? ", " : "") << (written ? "" : "const ")
       << element << " *__restrict__ " << name;
    values[argument] = {name};
  }
  os << ") {\n";
  indent = 2;
  if (failed(printBody(func.getBody().front())))
    return failure();
  os << "}\n\n";
  return success();
}
