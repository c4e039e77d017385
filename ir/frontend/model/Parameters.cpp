// Variables: `param` and `buffer` statements, the parameters of layers, shared
// and tied ones.
#include "ir/dialect/Aliases.h"
#include "ir/frontend/model/Elaborator.h"

#include <cmath>

using namespace mlir;

namespace ampc::model {
namespace {

/// Names of functions of a module, now or in later stages: symbols share one
/// space with variables.
bool isEntryName(llvm::StringRef name) {
  for (llvm::StringRef entry :
       {"forward", "train_step", "eval_step", "infer", "gradient",
        "eval_finish", "window", "micro_step", "apply_step"})
    if (name == entry)
      return true;
  return false;
}

} // namespace

Value Elaborator::parameter(llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
                            llvm::ArrayRef<llvm::StringRef> axisNames,
                            const Start &start, bool again, Loc loc,
                            amp::VariableRole role, ElemType element) {
  if (!checkShape(shape, element, loc))
    return Value::poison();
  auto it = parameters.find(name);
  if (it != parameters.end() && again) {
    const Parameter &known = it->second;
    if (!known.tensor)
      return Value::poison();
    if (shapeOf(*known.tensor) == shape)
      return Value::of(known.tensor);
    error(loc, "shared '" + name + "' has shape " + typeText(element, shape) +
                   " here and " + typeText(*known.tensor) + " there")
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
  if (undo)
    return fail(loc,
                "parameter '" + name + "' cannot be made in an eval block");
  mlir::Value read =
      emitter.variable(name, emitter.tensorType(element, shape), role,
                       start.kind, start.args, emitter.location(loc, name));
  Value value = tensor(read, element, loc, axisNames);
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
  if (auto known = variable->getAttrOfType<ArrayAttr>(amp::kAliasesAttr))
    names.append(known.begin(), known.end());
  names.push_back(emitter.builder.getStringAttr(name));
  variable->setAttr(amp::kAliasesAttr, emitter.builder.getArrayAttr(names));
}

namespace {

/// The interval or deviation of Xavier's and Kaiming's initialisers, as
/// torch.nn.init computes them from the fans; the first axis is the output.
void startByFans(const InitialiserData &drawn, llvm::ArrayRef<int64_t> shape,
                 Elaborator::Start &start) {
  double receptive = 1;
  for (int64_t extent : shape.drop_front(2))
    receptive *= double(extent);
  double fanIn = double(shape[1]) * receptive;
  double fanOut = double(shape[0]) * receptive;
  bool xavier = drawn.kind == InitialiserData::XavierUniform ||
                drawn.kind == InitialiserData::XavierNormal;
  double fan = xavier ? (fanIn + fanOut) / 2 : drawn.fanOut ? fanOut : fanIn;
  double deviation = fan > 0 ? drawn.gain / std::sqrt(fan) : 0;
  if (drawn.kind == InitialiserData::XavierUniform ||
      drawn.kind == InitialiserData::KaimingUniform) {
    double bound = std::sqrt(3.0) * deviation;
    start.kind = amp::InitKind::uniform;
    start.args = {-bound, bound};
  } else {
    start.kind = amp::InitKind::normal;
    start.args = {0, deviation};
  }
}

} // namespace

/// Whether a finite number is none in `type`.
static bool losesRange(double number, FloatType type) {
  llvm::APFloat rounded(number);
  bool isInexact = false;
  rounded.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                  &isInexact);
  return std::isfinite(number) && !rounded.isFinite();
}

bool Elaborator::startOf(const Value &value, Loc loc, ElemType element,
                         llvm::ArrayRef<int64_t> shape, Start &start) {
  start = Start();
  auto fits = [&](double number) {
    auto type = dyn_cast<FloatType>(emitter.elementType(element));
    if (!type || !losesRange(number, type))
      return true;
    error(loc, "the number does not fit in " + elemTypeName(element));
    return false;
  };
  if (value.isNumber() ||
      (value.is(ValueKind::Bool) && element == ElemType::Bool)) {
    double number =
        value.is(ValueKind::Bool) ? double(value.asBool()) : value.asFloat();
    bool keeps =
        isFloat(element) || (element == ElemType::Bool
                                 ? number == 0 || number == 1
                                 : !value.is(ValueKind::Float) &&
                                       fitsInteger(int64_t(number), element) &&
                                       std::abs(number) <= 9007199254740992.0);
    if (!keeps) {
      error(loc, "the number does not fit in " + elemTypeName(element));
      return false;
    }
    if (!fits(number))
      return false;
    if (number == 1) {
      start.kind = amp::InitKind::ones;
    } else if (number != 0 || std::signbit(number)) {
      start.kind = amp::InitKind::constant;
      start.args = {number};
    }
    return true;
  }
  if (!value.is(ValueKind::Initialiser)) {
    error(loc, "expected a number or an initialiser, got " + value.describe());
    return false;
  }
  const InitialiserData &drawn = value.asInitialiser();
  if (!isFloat(element)) {
    error(loc, "an initialiser draws floats, got " + elemTypeName(element));
    return false;
  }
  for (double number : {drawn.a, drawn.b, drawn.low, drawn.high, drawn.gain})
    if (!fits(number))
      return false;
  switch (drawn.kind) {
  case InitialiserData::Uniform:
    start.kind = amp::InitKind::uniform;
    start.args = {drawn.a, drawn.b};
    return true;
  case InitialiserData::Normal:
    start.kind = amp::InitKind::normal;
    start.args = {drawn.a, drawn.b};
    return true;
  case InitialiserData::TruncNormal:
    start.kind = amp::InitKind::trunc_normal;
    start.args = {drawn.a, drawn.b, drawn.low, drawn.high};
    return true;
  default:
    if (shape.size() < 2) {
      error(loc, "the fans of a parameter need two axes, got " +
                     typeText(element, shape));
      return false;
    }
    startByFans(drawn, shape, start);
    return true;
  }
}

void Elaborator::execVariable(const TypedStmt *stmt) {
  bool isParam = stmt->kind == StmtKind::Param;
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<llvm::StringRef> axisNames;
  bool typed = evalType(stmt->type, shape, axisNames);
  Value init = eval(stmt->value);
  if (!typed || init.isPoison())
    return poison(stmt->name);
  ElemType element = stmt->type.element;
  if (isParam && !isFloat(element)) {
    error(stmt->type.loc,
          "a param must have a float type, got " + elemTypeName(element));
    return poison(stmt->name);
  }
  if (isParam && element != ElemType::F32) {
    error(stmt->type.loc, "a param is f32, which its optimizer updates; got " +
                              elemTypeName(element).str() +
                              "; the precision policy or cast(.., " +
                              elemTypeName(element).str() + ") narrows it");
    return poison(stmt->name);
  }
  Start start;
  if (!startOf(init, stmt->value->loc, element, shape, start))
    return poison(stmt->name);
  // Bound first: a name that is taken must not make a variable, and is what a
  // second declaration is told of.
  if (!bind(stmt->name, Value::none(),
            isParam ? NameKind::Param : NameKind::Buffer, stmt))
    return;
  std::string path = paths.join(stmt->name.text);
  bool again = false;
  if (!claimPath(path, stmt->name.loc, /*shared=*/false, again)) {
    scope().names[stmt->name.text].value = Value::poison();
    return;
  }
  Value &value = scope().names[stmt->name.text].value;
  value = parameter(path, shape, axisNames, start, again, stmt->name.loc,
                    isParam ? amp::VariableRole::parameter
                            : amp::VariableRole::statistic,
                    element);
}

} // namespace ampc::model
