// A model's entry with its derived bounds; see BoundedEntry.h.
#include "test/train/BoundedEntry.h"

#include "test/numerics/Bounds.h"

namespace ampc::test {

static reference::Tensor tensorOf(mlir::RankedTensorType type,
                                  std::span<const std::byte> bytes) {
  return *reference::Tensor::ofBytes(
      type, llvm::ArrayRef(reinterpret_cast<const char *>(bytes.data()),
                           bytes.size()));
}

BoundedEntry::BoundedEntry(const Model &model, const std::string &entry,
                           const CompileOptions &options, Roundings roundings)
    : program(must(emit(model, Emit::Step, options))),
      function(program.function(entry)), roundings(roundings) {
  if (!function) { // nothing after it could mean anything
    ADD_FAILURE() << "no entry " << entry;
    std::exit(1);
  }
}

void BoundedEntry::copyState(rt::Session &session) {
  for (auto variable : program.module().getOps<amp::VariableOp>()) {
    rt::Tensor value = must(session.read(variable.getSymName().str()));
    variables[variable.getSymName()] = std::make_shared<Bounded>(
        tensorOf(variable.tensorType(), value.bytes()));
  }
}

llvm::SmallVector<Bounded> BoundedEntry::run(const rt::Batch &batch) {
  return evaluate(function, batch, 0);
}

llvm::SmallVector<Bounded> BoundedEntry::runWindow(const rt::Batch &batch,
                                                   uint64_t micros) {
  for (const char *entry : {"window", "micro_step"})
    for (uint64_t micro = 0; micro < micros; ++micro)
      evaluate(program.function(entry), batch, micro);
  return evaluate(function, batch, 0);
}

llvm::SmallVector<Bounded> BoundedEntry::evaluate(mlir::func::FuncOp func,
                                                  const rt::Batch &batch,
                                                  uint64_t micro) {
  llvm::SmallVector<Bounded> arguments;
  for (mlir::BlockArgument argument : func.getArguments()) {
    auto name = func.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(),
                                                        amp::kNameAttr);
    mlir::RankedTensorType type = amp::tensorType(argument);
    auto bytes = static_cast<size_t>(amp::storageBytes(type));
    arguments.emplace_back(tensorOf(
        type, batch.find(name.str())->bytes.subspan(micro * bytes, bytes)));
  }
  auto results = runBounded(func, arguments, variables, roundings);
  EXPECT_TRUE(mlir::succeeded(results)) << program.errors();
  if (mlir::failed(results) || results->empty())
    return {};
  // The runtime keeps the fault to itself; there is none.
  auto io = func.getResultAttrOfType<amp::IoAttr>(func.getNumResults() - 1,
                                                  amp::kIoAttr);
  if (io && io.getValue() == amp::Io::fault)
    EXPECT_EQ(results->pop_back_val().value.number(0), -1);
  return *results;
}

Bounded BoundedEntry::totalLoss(llvm::ArrayRef<Bounded> results) {
  std::optional<Bounded> total;
  for (auto [i, result] : llvm::enumerate(results)) {
    auto io = function.getResultAttrOfType<amp::IoAttr>(
        static_cast<unsigned>(i), amp::kIoAttr);
    if (!io || io.getValue() != amp::Io::loss)
      continue;
    if (!total) {
      total = result;
      continue;
    }
    double sum = total->value.number(0) + result.value.number(0),
           error = total->error[0] + result.error[0];
    total->value = reference::Tensor::ofFloats(total->value.type(), {sum});
    total->error[0] = error + 2 * roundingBound(std::fabs(sum) + error,
                                                total->value.elementType());
  }
  EXPECT_TRUE(total) << "the entry has no loss";
  return total ? *total : results[0];
}

void BoundedEntry::expectState(rt::Session &session, Proven *proven) {
  for (auto &entry : variables) {
    rt::Tensor value = must(session.read(entry.first().str()));
    const Bounded &bounded = *entry.second;
    Comparison result = compare(tensorOf(bounded.value.type(), value.bytes()),
                                bounded.value, bounded.error);
    if (proven) {
      proven->elements += bounded.value.size();
      proven->unbounded += result.unbounded;
    }
    EXPECT_TRUE(result.failures == 0 && (proven || result.holds))
        << entry.first().str() << ": " << result.report;
  }
}

void BoundedEntry::expectResults(const std::vector<rt::NamedTensor> &results,
                                 llvm::ArrayRef<Bounded> bounded) {
  ASSERT_EQ(results.size(), bounded.size());
  for (size_t i = 0; i < results.size(); ++i)
    EXPECT_TRUE(
        within(results[i].name,
               tensorOf(bounded[i].value.type(), results[i].tensor.bytes()),
               bounded[i].value, bounded[i].error));
}

testing::AssertionResult withinBound(llvm::StringRef name, float value,
                                     const Bounded &bounded) {
  auto actual = reference::Tensor::ofFloats(bounded.value.type(), {value});
  return within(name, actual, bounded.value, bounded.error);
}

} // namespace ampc::test
