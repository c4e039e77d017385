// Types, places and source locations as the plan writes them.
#include "codegen/emit/PlanBuilder.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

rt::fb::DType ampc::planType(Type element) {
  return TypeSwitch<Type, rt::fb::DType>(element)
      .Case<Float64Type>([](Type) { return rt::fb::DType::F64; })
      .Case<Float32Type>([](Type) { return rt::fb::DType::F32; })
      .Case<Float16Type>([](Type) { return rt::fb::DType::F16; })
      .Case<BFloat16Type>([](Type) { return rt::fb::DType::BF16; })
      .Case<Float8E4M3FNType>([](Type) { return rt::fb::DType::F8E4M3; })
      .Case<Float8E5M2Type>([](Type) { return rt::fb::DType::F8E5M2; })
      .Default([](Type type) {
        switch (type.getIntOrFloatBitWidth()) {
        case 1:
          return rt::fb::DType::Bool;
        case 8:
          return rt::fb::DType::I8;
        case 32:
          return rt::fb::DType::I32;
        default:
          return rt::fb::DType::I64;
        }
      });
}

std::unique_ptr<rt::fb::TensorTypeT>
ampc::planTensorType(RankedTensorType type) {
  auto result = std::make_unique<rt::fb::TensorTypeT>();
  result->dtype = planType(type.getElementType());
  result->shape.assign(type.getShape().begin(), type.getShape().end());
  return result;
}

int PlanBuilder::sourceOf(Location loc) {
  auto file = loc->findInstanceOf<FileLineColLoc>();
  if (!file)
    return -1;
  auto [entry, isNew] = sourceNumbers.try_emplace(file, plan.sources.size());
  if (isNew) {
    auto source = std::make_unique<rt::fb::SourceLocT>();
    source->file = file.getFilename().str();
    source->line = file.getLine();
    source->column = file.getColumn();
    plan.sources.push_back(std::move(source));
  }
  return entry->second;
}

FailureOr<rt::fb::Place> PlanBuilder::planPlace(Operation *op,
                                                PlaceAttr place) {
  uint64_t index = place.getIndex();
  switch (place.getSpace()) {
  case Space::arena:
    return rt::fb::Place(rt::fb::Space::Arena, 0, index);
  case Space::constant:
    return rt::fb::Place(rt::fb::Space::Constant, 0, index);
  case Space::scratch:
    return rt::fb::Place(rt::fb::Space::Scratch, 0, index);
  case Space::slice:
    return rt::fb::Place(rt::fb::Space::Slice, index, 0);
  case Space::input:
    return rt::fb::Place(rt::fb::Space::Input, index, 0);
  case Space::output:
    return rt::fb::Place(rt::fb::Space::Output, index, 0);
  case Space::variable: {
    FlatSymbolRefAttr name = place.getVariable();
    auto found =
        name ? variableOffsets.find(name.getValue()) : variableOffsets.end();
    if (found == variableOffsets.end())
      return op->emitOpError()
             << "stands at " << place << ", which is no variable of the module";
    return rt::fb::Place(rt::fb::Space::Variable, 0, found->second + index);
  }
  }
  return op->emitOpError() << "stands in an unknown space: " << place;
}
