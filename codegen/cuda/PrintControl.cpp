// Loops and branches of a kernel.
#include "codegen/cuda/KernelPrinter.h"
#include "codegen/kernel/ThreadForm.h"

using namespace mlir;
using namespace ampc;

LogicalResult KernelPrinter::printPoints(scf::ParallelOp loop) {
  if (indent > 2)
    return loop.emitOpError()
           << "inside another in CUDA text is not available yet";
  FailureOr<LaunchShape> shape = launchShapeOf(loop);
  if (failed(shape))
    return failure();
  StringRef first = "ampc_first", stride = "ampc_stride";
  if (shape->unit == PointUnit::warp) {
    first = "ampc_first_warp";
    stride = "ampc_warp_stride";
  } else if (shape->unit == PointUnit::block) {
    first = "ampc_first_block";
    stride = "ampc_block_stride";
  }
  SmallVector<size_t> axes; // that have more than one point
  for (auto [axis, extent] : llvm::enumerate(shape->extents))
    if (extent != 1)
      axes.push_back(axis);
    else
      values[loop.getInductionVars()[axis]] = {"0"};
  std::string type = wide ? "long long" : "int";
  std::string point = nameLike(axes.size() <= 1 ? "i" : "point");
  os.indent(indent) << "for (" << type << " " << point << " = " << first
                    << "(); " << point << " < " << shape->points << "; "
                    << point << " += " << stride << "()) {\n";
  indent += 2;
  std::string rest = point;
  SmallVector<std::string> lines;
  for (size_t axis : llvm::reverse(axes)) {
    Value variable = loop.getInductionVars()[axis];
    if (axes.size() == 1) {
      values[variable] = {point};
      break;
    }
    std::string name = nameLike(
        std::string(1, static_cast<char>('i' + std::min<size_t>(axis, 5))));
    std::string extent = std::to_string(shape->extents[axis]);
    bool isFirst = axis == axes.front();
    lines.push_back(name + " = " + (isFirst ? rest : rest + " % " + extent));
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

LogicalResult KernelPrinter::declare(Value value, StringRef wish,
                                     StringRef start) {
  std::string type = typeName(value.getType());
  if (type.empty())
    return emitError(value.getLoc()) << "a variable of type " << value.getType()
                                     << " in CUDA text is not available yet";
  std::string name = nameLike(wish);
  os.indent(indent) << type << " " << name;
  if (!start.empty())
    os << " = " << start;
  os << ";\n";
  values[value] = {name};
  return success();
}

LogicalResult KernelPrinter::printLoop(scf::ForOp loop) {
  printLine(loop.getLoc());
  for (auto [argument, init] :
       llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
    if (failed(declare(argument, wishFor(argument, "part"), use(init))))
      return failure();
  std::string variable = nameLike("k"), step = use(loop.getStep());
  if (auto unroll = loop->getAttrOfType<IntegerAttr>(kUnrollAttr))
    os.indent(indent) << "AMPC_UNROLL(" << unroll.getInt() << ")\n";
  os.indent(indent) << "for (" << typeName(loop.getInductionVar().getType())
                    << " " << variable << " = " << use(loop.getLowerBound())
                    << "; " << variable << " < "
                    << use(loop.getUpperBound(), Precedence::Shift) << "; "
                    << (step == "1" || step == "1ll" ? "++" + variable
                                                     : variable + " += " + step)
                    << ") {\n";
  values[loop.getInductionVar()] = {variable};
  indent += 2;
  if (failed(printBody(*loop.getBody())))
    return failure();
  Operation *yield = loop.getBody()->getTerminator();
  // Assigned one after the other: what another one was is read before.
  SmallVector<std::string> next;
  for (auto [i, value] : llvm::enumerate(yield->getOperands())) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == loop.getBody() &&
        argument != loop.getRegionIterArg(i)) {
      std::string name = nameLike("next");
      os.indent(indent) << "const " << typeName(value.getType()) << " " << name
                        << " = " << use(value) << ";\n";
      next.push_back(name);
    } else {
      next.push_back(use(value));
    }
  }
  for (auto [argument, result, text] :
       llvm::zip(loop.getRegionIterArgs(), loop.getResults(), next)) {
    std::string name = use(argument);
    if (name != text)
      os.indent(indent) << name << " = " << text << ";\n";
    values[result] = {name};
  }
  indent -= 2;
  os.indent(indent) << "}\n";
  return success();
}

LogicalResult KernelPrinter::printBranch(scf::IfOp choice) {
  printLine(choice.getLoc());
  Block *otherwise = choice.elseBlock();
  // An alternative that computes nothing is what the variables start from.
  bool isPlain = otherwise && llvm::hasSingleElement(*otherwise);
  SmallVector<std::string> variables;
  for (Value result : choice.getResults()) {
    std::string start;
    if (isPlain)
      start = use(otherwise->getTerminator()->getOperand(variables.size()));
    if (failed(declare(result, wishFor(result, "t"), start)))
      return failure();
    variables.push_back(use(result));
  }
  os.indent(indent) << "if (" << use(choice.getCondition()) << ") {\n";
  for (Block *block : {choice.thenBlock(), otherwise}) {
    if (!block || (block == otherwise && isPlain))
      continue;
    if (block == otherwise)
      os.indent(indent) << "} else {\n";
    indent += 2;
    if (failed(printBody(*block)))
      return failure();
    for (auto [name, value] :
         llvm::zip(variables, block->getTerminator()->getOperands()))
      os.indent(indent) << name << " = " << use(value) << ";\n";
    indent -= 2;
  }
  os.indent(indent) << "}\n";
  return success();
}
