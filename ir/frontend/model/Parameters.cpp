// Parameters: explicit `param` statements, the parameters of layers, shared and
// tied ones.
#include "ir/frontend/model/Elaborator.h"

using namespace mlir;

namespace ampc::model {
namespace {

/// Names of functions of a module, now or in later stages: symbols share one
/// space with variables.
bool isEntryName(llvm::StringRef name) {
  for (llvm::StringRef entry : {"forward", "train_step", "eval_step", "infer",
                                "window", "micro_step", "apply_step"})
    if (name == entry)
      return true;
  return false;
}

} // namespace

Value Elaborator::parameter(llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
                            llvm::ArrayRef<llvm::StringRef> axisNames,
                            const Start &start, bool again, Loc loc) {
  if (!checkShape(shape, ElemType::F32, loc))
    return Value::poison();
  auto it = parameters.find(name);
  if (it != parameters.end() && again) {
    const Parameter &known = it->second;
    if (!known.tensor)
      return Value::poison();
    if (shapeOf(*known.tensor) == shape)
      return Value::of(known.tensor);
    error(loc, "shared '" + name + "' has shape " +
                   typeText(ElemType::F32, shape) + " here and " +
                   typeText(*known.tensor) + " there")
        .note(known.loc, "there");
    return Value::poison();
  }
  if (it != parameters.end()) {
    error(loc,
          "path '" + name + "' is already used; give one a name, or both share")
        .note(it->second.loc, "used here");
    return Value::poison();
  }
  if (isEntryName(name))
    return fail(loc,
                "'" + name +
                    "' is the name of an entry; give the parameter another");
  mlir::Value read =
      emitter.variable(name, emitter.tensorType(ElemType::F32, shape),
                       start.kind, start.args, emitter.location(loc, name));
  Value value = tensor(read, ElemType::F32, loc, axisNames);
  parameters[name] = {&value.asTensor(), loc};
  return value;
}

void Elaborator::alias(llvm::StringRef name, const TensorData &tensor,
                       Loc loc) {
  amp::VariableOp variable = emitter.variableOf(tensor.value);
  if (!variable ||
      !parameters.try_emplace(name, Parameter{&tensor, loc}).second)
    return;
  llvm::SmallVector<Attribute> names;
  if (auto known = variable->getAttrOfType<ArrayAttr>("aliases"))
    names.append(known.begin(), known.end());
  names.push_back(emitter.builder.getStringAttr(name));
  variable->setAttr("aliases", emitter.builder.getArrayAttr(names));
}

/// How a parameter starts: a number or an initialiser.
bool Elaborator::startOf(const Value &value, Loc loc, Start &start) {
  if (value.isNumber()) {
    double number = value.asFloat();
    if (number == 1) {
      start.kind = amp::InitKind::ones;
    } else if (number != 0 || std::signbit(number)) {
      start.kind = amp::InitKind::constant;
      start.args = {number};
    }
    return true;
  }
  if (value.is(ValueKind::Initialiser)) {
    const InitialiserData &drawn = value.asInitialiser();
    start.kind = drawn.kind == InitialiserData::Normal ? amp::InitKind::normal
                                                       : amp::InitKind::uniform;
    start.args = {drawn.a, drawn.b};
    return true;
  }
  error(loc, "expected a number or an initialiser, got " + value.describe());
  return false;
}

void Elaborator::execParam(const TypedStmt *stmt) {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<llvm::StringRef> axisNames;
  bool typed = evalType(stmt->type, shape, axisNames);
  Value init = eval(stmt->value);
  if (!typed || init.isPoison())
    return poison(stmt->name);
  ElemType element = stmt->type.element;
  if (!isFloat(element)) {
    error(stmt->type.loc,
          "a param must have a float type, got " + elemTypeName(element));
    return poison(stmt->name);
  }
  if (element != ElemType::F32) {
    unavailable(stmt->type.loc, "param of type " + elemTypeName(element).str());
    return poison(stmt->name);
  }
  Start start;
  if (!startOf(init, stmt->value->loc, start))
    return poison(stmt->name);
  std::string path = paths.join(stmt->name.text);
  bool again = false;
  if (const PathUse *clash =
          paths.claim(path, stmt->name.loc, /*shared=*/false, again)) {
    error(stmt->name.loc,
          "path '" + path + "' is already used; give one a name, or both share")
        .note(clash->loc, "used here");
    return poison(stmt->name);
  }
  // Bound first: a name that is taken must not make a variable.
  if (!bind(stmt->name, Value::none(), NameKind::Param, stmt))
    return;
  scope().names[stmt->name.text].value =
      parameter(path, shape, axisNames, start, again, stmt->name.loc);
}

} // namespace ampc::model
