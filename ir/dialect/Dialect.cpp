// The amp dialect: registration and the verification of its discardable
// attributes.
#include "ir/dialect/Dialect.h"

using namespace mlir;
using namespace ampc::amp;

#include "ir/dialect/Dialect.cpp.inc"

void AmpDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "ir/dialect/Ops.cpp.inc"
      >();
}

Operation *AmpDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                           Type type, Location loc) {
  if (auto elements = dyn_cast<ElementsAttr>(value))
    return ConstantOp::create(builder, loc, type, elements);
  return nullptr;
}

namespace {

/// Reports that attribute `name` of `op` is not a `expected`.
LogicalResult wrongAttribute(Operation *op, NamedAttribute attribute,
                             StringRef expected) {
  return op->emitOpError() << "attribute '" << attribute.getName().getValue()
                           << "' must be " << expected << ", got "
                           << attribute.getValue();
}

template <typename AttrT>
LogicalResult expect(Operation *op, NamedAttribute attribute,
                     StringRef expected) {
  if (isa<AttrT>(attribute.getValue()))
    return success();
  return wrongAttribute(op, attribute, expected);
}

/// One place a result; view ops and reads carry the place of the bytes they
/// look at.
LogicalResult verifyPlaces(Operation *op, NamedAttribute attribute) {
  auto places = dyn_cast<ArrayAttr>(attribute.getValue());
  if (!places || !llvm::all_of(places, [](Attribute place) {
        return isa<PlaceAttr>(place);
      }))
    return wrongAttribute(op, attribute, "an array of #amp.place");
  if (places.size() != op->getNumResults())
    return op->emitOpError() << "has " << op->getNumResults() << " results but "
                             << places.size() << " places";
  return success();
}

/// One or more ops may look up what an input or an entry's values say.
LogicalResult verifyIndexRanges(Operation *op, NamedAttribute attribute) {
  auto ranges = dyn_cast<ArrayAttr>(attribute.getValue());
  if (ranges && llvm::all_of(ranges, [](Attribute range) {
        return isa<IndexRangeAttr>(range);
      }))
    return success();
  return wrongAttribute(op, attribute, "an array of #amp.index_range");
}

LogicalResult verifyIoDict(Operation *op, NamedAttribute attribute,
                           bool isArgument) {
  StringRef name = attribute.getName();
  if (name == kNameAttr)
    return expect<StringAttr>(op, attribute, "a string");
  if (name == kWrtAttr && !isArgument) {
    if (isa<FlatSymbolRefAttr, StringAttr>(attribute.getValue()))
      return success();
    return wrongAttribute(op, attribute,
                          "a variable's symbol or an input's name");
  }
  if (name == kEvalOnlyAttr && !isArgument)
    return expect<UnitAttr>(op, attribute, "a unit");
  if (name == kIndexRangeAttr)
    return verifyIndexRanges(op, attribute);
  if (name == kProbeAttr && !isArgument)
    return expect<ProbeAttr>(op, attribute, "#amp.probe");
  if (name == kPlaceAttr)
    return expect<PlaceAttr>(op, attribute, "#amp.place");
  if (name != kIoAttr)
    return op->emitOpError() << "knows no attribute '" << name << "' on "
                             << (isArgument ? "an argument" : "a result");
  auto io = dyn_cast<IoAttr>(attribute.getValue());
  if (!io)
    return wrongAttribute(op, attribute, "#amp.io");
  bool fitsArgument = io.getValue() == Io::input || io.getValue() == Io::target;
  if (fitsArgument != isArgument)
    return op->emitOpError()
           << "'" << stringifyIo(io.getValue()) << "' cannot stand on "
           << (isArgument ? "an argument" : "a result");
  return success();
}

/// An entry is a function with a body of one block; every argument and result
/// says its name and what it is.
LogicalResult verifyEntry(Operation *op, NamedAttribute attribute) {
  auto func = dyn_cast<func::FuncOp>(op);
  if (!isa<EntryAttr>(attribute.getValue()))
    return wrongAttribute(op, attribute, "#amp.entry");
  if (!func || !func.getBody().hasOneBlock())
    return op->emitOpError()
           << "an entry must be a function with a body of one block";
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (!func.getArgAttr(i, kNameAttr) || !func.getArgAttr(i, kIoAttr))
      return op->emitOpError()
             << "argument " << i << " of an entry needs amp.name and amp.io";
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    if (!func.getResultAttr(i, kNameAttr) || !func.getResultAttr(i, kIoAttr))
      return op->emitOpError()
             << "result " << i << " of an entry needs amp.name and amp.io";
  return success();
}

} // namespace

LogicalResult AmpDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kStageAttr)
    return expect<StageAttr>(op, attribute, "#amp.stage");
  if (name == kEntryAttr)
    return verifyEntry(op, attribute);
  if (name == kModelAttr)
    return expect<StringAttr>(op, attribute, "a string");
  if (name == kTrainAttr)
    return expect<DictionaryAttr>(op, attribute, "a dictionary");
  if (name == kDataAttr)
    return expect<ArrayAttr>(op, attribute, "an array");
  if (name == kDataShuffleAttr)
    return expect<BoolAttr>(op, attribute, "a bool");
  if (name == kDataValidationAttr)
    return expect<FloatAttr>(op, attribute, "a float");
  if (name == kPrecisionAttr)
    return expect<ArrayAttr>(op, attribute, "an array");
  if (name == kCheckpointAttr)
    return expect<IntegerAttr>(op, attribute, "an integer");
  if (name == kRecomputeAttr)
    return expect<IntegerAttr>(op, attribute, "an integer");
  if (name == kModelHashAttr)
    return expect<IntegerAttr>(op, attribute, "an integer");
  if (name == kTargetAttr)
    return expect<TargetAttr>(op, attribute, "#amp.target");
  if (name == kArenaBytesAttr)
    return expect<IntegerAttr>(op, attribute, "an integer");
  if (name == kScratchBytesAttr)
    return expect<IntegerAttr>(op, attribute, "an integer");
  if (name == kPlaceAttr)
    return verifyPlaces(op, attribute);
  if (name == kChunksAttr)
    return expect<ArrayAttr>(op, attribute, "an array");
  if (name == kReasonAttr)
    return expect<ReasonAttr>(op, attribute, "#amp.reason");
  return op->emitOpError() << "knows no attribute '" << name << "'";
}

LogicalResult AmpDialect::verifyRegionArgAttribute(Operation *op,
                                                   unsigned region,
                                                   unsigned argument,
                                                   NamedAttribute attribute) {
  return verifyIoDict(op, attribute, /*isArgument=*/true);
}

LogicalResult AmpDialect::verifyRegionResultAttribute(
    Operation *op, unsigned region, unsigned result, NamedAttribute attribute) {
  return verifyIoDict(op, attribute, /*isArgument=*/false);
}

namespace ampc::amp {

std::optional<Stage> stageOf(ModuleOp module) {
  if (auto stage = module->getAttrOfType<StageAttr>(kStageAttr))
    return stage.getValue();
  return std::nullopt;
}

LogicalResult expectStage(ModuleOp module, Stage stage, StringRef pass) {
  std::optional<Stage> found = stageOf(module);
  if (found == stage)
    return success();
  return module.emitError()
         << pass << " expects stage " << stringifyStage(stage) << ", got "
         << (found ? stringifyStage(*found) : "none");
}

std::optional<Entry> entryOf(func::FuncOp func) {
  if (auto entry = func->getAttrOfType<EntryAttr>(kEntryAttr))
    return entry.getValue();
  return std::nullopt;
}

func::FuncOp findEntry(ModuleOp module, Entry entry) {
  for (auto func : module.getOps<func::FuncOp>())
    if (entryOf(func) == entry)
      return func;
  return {};
}

} // namespace ampc::amp
