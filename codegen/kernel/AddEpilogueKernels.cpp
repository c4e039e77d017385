// The separate kernel of every product with an epilogue (Passes.td).
#include "codegen/kernel/GroupArguments.h"
#include "codegen/kernel/Passes.h"

namespace ampc {
#define GEN_PASS_DEF_ADDEPILOGUEKERNELS
#include "codegen/kernel/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

namespace {

class AddEpilogueKernelsPass
    : public ampc::impl::AddEpilogueKernelsBase<AddEpilogueKernelsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    SmallVector<MatmulOp> products;
    for (auto func : getOperation().getOps<func::FuncOp>())
      for (auto product : func.getOps<MatmulOp>())
        if (product.hasEpilogue() &&
            tensorType(product.getResult()).getNumElements() > 0)
          products.push_back(product);
    for (MatmulOp product : products)
      addKernel(product);
  }

private:
  static void addKernel(MatmulOp product) {
    OpBuilder builder(product);
    builder.setInsertionPointAfter(product);
    Location loc = product.getLoc();
    RankedTensorType type = tensorType(product.getResult());
    SmallVector<Value> inputs{product.getResult()};
    if (product.getBias())
      inputs.push_back(product.getBias());
    auto group = GroupOp::create(builder, loc, TypeRange(type), GroupKind::map,
                                 type.getShape(), inputs);
    group->setAttr(kPlaceAttr, product->getAttr(kPlaceAttr));
    product.getResult().replaceAllUsesExcept(group.getResult(0), group);
    Block *body = builder.createBlock(&group.getBody());
    for (Value input : inputs)
      body->addArgument(input.getType(), input.getLoc());
    Value value = body->getArgument(0);
    if (product.getBias()) {
      Value row = BroadcastOp::create(builder, loc, type, body->getArgument(1),
                                      type.getRank() - 1);
      value = AddOp::create(builder, loc, value, row);
    }
    if (product.getRelu())
      value = MaximumOp::create(builder, loc, value,
                                splat(builder, loc, type, 0.0));
    YieldOp::create(builder, loc, value);
  }
};

} // namespace
