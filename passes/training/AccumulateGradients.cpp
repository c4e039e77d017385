// Adds what a micro-batch gives to the sums of its window (N7, N14).
#include "passes/training/Passes.h"
#include "passes/training/WindowSums.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_ACCUMULATEGRADIENTS
#include "passes/training/Passes.h.inc"

namespace {

/// Gives `apply` the sum that variable `name` holds as the gradient result that
/// `attributes` describe.
void takeGradient(func::FuncOp apply, VariableTable &variables, StringRef name,
                  Value part, DictionaryAttr attributes) {
  auto ret = cast<func::ReturnOp>(apply.front().getTerminator());
  OpBuilder builder(ret);
  Value sum = readSum(builder, variables, name, part);
  (void)apply.insertResult(apply.getNumResults(), sum.getType(), attributes);
  ret.getOperandsMutable().append(sum);
}

class AccumulateGradientsPass
    : public impl::AccumulateGradientsBase<AccumulateGradientsPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    func::FuncOp micro = findEntry(module, Entry::micro_step),
                 apply = findEntry(module, Entry::apply_step);
    if (!micro || !apply)
      return markAllAnalysesPreserved();
    VariableTable variables(module);
    WindowSums sums(micro, variables, kMicroVariable);
    auto ret = cast<func::ReturnOp>(micro.front().getTerminator());
    llvm::BitVector added(micro.getNumResults());
    SmallVector<Value> kept;
    for (auto [i, part] : llvm::enumerate(ret.getOperands())) {
      DictionaryAttr attributes = micro.getResultAttrDict(i);
      if (attributes.getAs<IoAttr>(kIoAttr).getValue() == Io::probe) {
        kept.push_back(part);
        continue;
      }
      added.set(i);
      std::string name = attributes.getAs<StringAttr>(kNameAttr).str();
      if (auto wrt = attributes.getAs<FlatSymbolRefAttr>(kWrtAttr)) {
        name = (kGradientPrefix + wrt.getValue()).str();
        takeGradient(apply, variables, name, part, attributes);
      }
      sums.add(name, part);
    }
    sums.advance();
    ret.getOperandsMutable().assign(kept);
    (void)micro.eraseResults(added);
  }
};

} // namespace
} // namespace ampc
