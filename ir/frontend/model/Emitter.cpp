// Construction of the module.
#include "ir/frontend/model/Emitter.h"

using namespace mlir;

namespace ampc::model {

Emitter::Emitter(MLIRContext &context, const Sources &sources,
                 llvm::StringRef modelName, Loc modelLoc)
    : builder(&context, this), sources(sources) {
  Location loc = location(modelLoc);
  owned = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(owned->getBody());
  forward = func::FuncOp::create(builder, loc, "forward",
                                 builder.getFunctionType({}, {}));
  forward->setAttr(amp::kEntryAttr,
                   amp::EntryAttr::get(&context, amp::Entry::forward));
  block = forward.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  (*owned)->setAttr(amp::kStageAttr,
                    amp::StageAttr::get(&context, amp::Stage::model));
  (*owned)->setAttr(amp::kModelAttr, builder.getStringAttr(modelName));
}

Type Emitter::elementType(ElemType type) {
  switch (type) {
  case ElemType::F64:
    return builder.getF64Type();
  case ElemType::F32:
    return builder.getF32Type();
  case ElemType::F16:
    return builder.getF16Type();
  case ElemType::BF16:
    return builder.getBF16Type();
  case ElemType::F8E4M3:
    return Float8E4M3FNType::get(builder.getContext());
  case ElemType::F8E5M2:
    return Float8E5M2Type::get(builder.getContext());
  case ElemType::I64:
    return builder.getI64Type();
  case ElemType::I32:
    return builder.getI32Type();
  case ElemType::I8:
    return builder.getI8Type();
  case ElemType::Bool:
    return builder.getI1Type();
  }
  return {};
}

RankedTensorType Emitter::tensorType(ElemType element,
                                     llvm::ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, elementType(element));
}

Location Emitter::location(Loc loc, llvm::StringRef path) {
  auto it = places.find(loc.offset);
  if (it == places.end()) {
    LineColumn at = sources.resolve(loc);
    Location place =
        at.line ? Location(FileLineColLoc::get(builder.getContext(), at.file,
                                               at.line, at.column))
                : Location(UnknownLoc::get(builder.getContext()));
    it = places.try_emplace(loc.offset, place).first;
  }
  return path.empty()
             ? it->second
             : Location(NameLoc::get(builder.getStringAttr(path), it->second));
}

Emitter::Naming::Naming(Emitter &emitter, std::string path)
    : emitter(emitter), outer(emitter.namedBy) {
  if (path.empty())
    return;
  emitter.namedBy = emitter.namings.size();
  emitter.namings.push_back(std::move(path));
}

void Emitter::nameOperations() {
  for (auto [op, path] : unnamed)
    op->setLoc(
        NameLoc::get(builder.getStringAttr(namings[path]), op->getLoc()));
  unnamed.clear();
}

/// A compile-time number as `type` holds it; floats are rounded once, from f64,
/// to nearest even.
static llvm::APInt integerOf(Type type, const Value &number) {
  bool isBool = number.is(ValueKind::Bool);
  if (type.isInteger(1))
    return llvm::APInt(1, isBool ? number.asBool() : number.asFloat() != 0);
  return llvm::APInt(type.getIntOrFloatBitWidth(),
                     isBool ? number.asBool() : number.asInt(),
                     /*isSigned=*/true);
}
static llvm::APFloat floatOf(Type type, const Value &number) {
  llvm::APFloat rounded(number.is(ValueKind::Bool) ? double(number.asBool())
                                                   : number.asFloat());
  bool lost = false;
  rounded.convert(mlir::cast<FloatType>(type).getFloatSemantics(),
                  llvm::APFloat::rmNearestTiesToEven, &lost);
  return rounded;
}

mlir::Value Emitter::constant(Location loc, ElemType element,
                              llvm::ArrayRef<int64_t> shape,
                              llvm::ArrayRef<Value> numbers) {
  RankedTensorType type = tensorType(element, shape);
  Type kind = type.getElementType();
  auto create = [&](auto numberOf) {
    auto values = llvm::map_to_vector(
        numbers, [&](const Value &number) { return numberOf(kind, number); });
    return amp::ConstantOp::create(
        builder, loc, type,
        DenseElementsAttr::get(type, llvm::ArrayRef(values)));
  };
  return kind.isInteger() ? create(integerOf) : create(floatOf);
}

mlir::Value Emitter::cast(Location loc, mlir::Value value, ElemType element) {
  auto type = mlir::cast<RankedTensorType>(value.getType());
  if (type.getElementType() == elementType(element))
    return value;
  return amp::CastOp::create(builder, loc, tensorType(element, type.getShape()),
                             value, amp::CastOrigin::user);
}

mlir::Value Emitter::broadcast(Location loc, mlir::Value value,
                               llvm::ArrayRef<int64_t> shape) {
  auto type = mlir::cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  llvm::SmallVector<int64_t> axes;
  for (size_t axis = shape.size() - type.getRank(); axis < shape.size(); ++axis)
    axes.push_back(axis);
  return amp::BroadcastOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), value,
      axes);
}

mlir::Value Emitter::reshape(Location loc, mlir::Value value,
                             llvm::ArrayRef<int64_t> shape) {
  auto type = mlir::cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  return amp::ReshapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), value);
}

mlir::Value Emitter::argument(llvm::StringRef name, amp::Io kind,
                              RankedTensorType type, Location loc) {
  arguments.push_back({name.str(), kind});
  return block->addArgument(type, loc);
}

void Emitter::result(mlir::Value value, llvm::StringRef name, amp::Io kind,
                     bool evalOnly) {
  std::string unique = name.str();
  if (name.empty()) {
    forwardResults.push_back({value, unique, kind, evalOnly});
    return;
  }
  while (!resultNames.try_emplace(unique).second)
    unique = (name + "_" + llvm::Twine(++resultNames[name])).str();
  forwardResults.push_back({value, unique, kind, evalOnly});
}

void Emitter::nameLosses() {
  // `loss` itself is the total of several.
  size_t losses =
      llvm::count_if(forwardResults, [](const ForwardResult &result) {
        return result.kind == amp::Io::loss;
      });
  unsigned number = 0;
  for (ForwardResult &result : forwardResults) {
    if (!result.name.empty())
      continue;
    do
      result.name =
          losses == 1 ? "loss" : ("loss_" + llvm::Twine(++number)).str();
    while (!resultNames.try_emplace(result.name).second);
  }
}

mlir::Value Emitter::variable(llvm::StringRef name, RankedTensorType type,
                              amp::VariableRole role, amp::InitKind init,
                              llvm::ArrayRef<double> initArgs, Location loc) {
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(forward);
    declared.push_back(amp::VariableOp::create(
        builder, loc, name, type, role, init, DenseF64ArrayAttr(),
        IntegerAttr(), ElementsAttr(), FlatSymbolRefAttr()));
  }
  setStart(declared.size() - 1, init, initArgs);
  mlir::Value read = amp::ReadOp::create(
      builder, loc, type, FlatSymbolRefAttr::get(builder.getContext(), name));
  variables[read] = declared.back();
  return read;
}

ElemType Emitter::elementOf(amp::VariableOp variable) {
  Type type = variable.tensorType().getElementType();
  for (ElemType element : {ElemType::F32, ElemType::F64, ElemType::F16,
                           ElemType::BF16, ElemType::F8E4M3, ElemType::F8E5M2,
                           ElemType::I64, ElemType::I32, ElemType::I8})
    if (elementType(element) == type)
      return element;
  return ElemType::Bool;
}

void Emitter::setStart(size_t index, amp::InitKind init,
                       llvm::ArrayRef<double> initArgs) {
  amp::VariableOp variable = declared[index];
  bool drawn = amp::VariableOp::isDrawn(init);
  variable.setInit(init);
  variable.setInitArgsAttr(initArgs.empty()
                               ? DenseF64ArrayAttr()
                               : builder.getDenseF64ArrayAttr(initArgs));
  // The site of an initialiser is the ordinal of its variable (N17).
  variable.setSiteAttr(drawn ? builder.getI64IntegerAttr(int64_t(index))
                             : IntegerAttr());
}

void Emitter::beginCheckpoint() {
  if (checkpointDepth++ == 0)
    checkpoint = builder.getI64IntegerAttr(checkpoints++);
}

void Emitter::endCheckpoint() { --checkpointDepth; }

std::vector<llvm::StringRef> Emitter::callPaths() {
  std::vector<llvm::StringRef> paths;
  for (Operation &op : *block)
    if (auto named = dyn_cast<NameLoc>(op.getLoc()))
      if (!isa<amp::ReadOp>(op) &&
          (paths.empty() || paths.back() != named.getName().strref()))
        paths.push_back(named.getName());
  return paths;
}

llvm::SetVector<llvm::StringRef> Emitter::opKinds() {
  llvm::SetVector<llvm::StringRef> kinds;
  for (Operation &op : *block)
    kinds.insert(op.getName().stripDialect());
  return kinds;
}

OwningOpRef<ModuleOp> Emitter::finish() {
  nameLosses();
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<Type> types;
  for (const ForwardResult &result : forwardResults) {
    values.push_back(result.value);
    types.push_back(result.value.getType());
  }
  func::ReturnOp::create(builder, forward.getLoc(), values);
  forward.setFunctionType(
      builder.getFunctionType(block->getArgumentTypes(), types));
  auto attributes = [&](llvm::StringRef name, amp::Io kind,
                        bool evalOnly = false) {
    llvm::SmallVector<NamedAttribute, 3> entries{
        builder.getNamedAttr(amp::kNameAttr, builder.getStringAttr(name)),
        builder.getNamedAttr(amp::kIoAttr,
                             amp::IoAttr::get(builder.getContext(), kind))};
    if (evalOnly)
      entries.push_back(
          builder.getNamedAttr(amp::kEvalOnlyAttr, builder.getUnitAttr()));
    return builder.getDictionaryAttr(entries);
  };
  llvm::SmallVector<Attribute> ofArguments, ofResults;
  for (const ForwardArgument &argument : arguments)
    ofArguments.push_back(attributes(argument.name, argument.kind));
  for (const ForwardResult &result : forwardResults)
    ofResults.push_back(attributes(result.name, result.kind, result.evalOnly));
  forward.setArgAttrsAttr(builder.getArrayAttr(ofArguments));
  forward.setResAttrsAttr(builder.getArrayAttr(ofResults));
  return std::move(owned);
}

} // namespace ampc::model
