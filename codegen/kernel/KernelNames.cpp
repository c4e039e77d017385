// Names of kernels.
#include "codegen/kernel/KernelNames.h"

#include "ir/dialect/Locations.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

std::string ampc::identifierFrom(StringRef text) {
  std::string name;
  for (char c : text) {
    bool fits = llvm::isAlnum(c) || c == '_';
    // No doubled underscores: such names are reserved in C++.
    if (!fits || c == '_') {
      if (!name.empty() && name.back() != '_')
        name += '_';
      continue;
    }
    name += c;
  }
  while (!name.empty() && name.back() == '_')
    name.pop_back();
  if (!name.empty() && llvm::isDigit(name.front()))
    name.insert(0, "k");
  return name;
}

std::string UniqueNames::uniqueFor(StringRef base) {
  std::string name = base.str();
  if (taken.insert(name).second)
    return name;
  unsigned &next = nextNumber.try_emplace(base, 2).first->second;
  do
    name = (base + "_" + Twine(next++)).str();
  while (!taken.insert(name).second);
  return name;
}

std::string KernelNames::nameFor(GroupOp group) {
  constexpr size_t kNamedOps = 4, kMaxPath = 48;
  std::string path = namePathOf(group.getLoc());
  SmallVector<std::string> ops;
  size_t count = 0;
  for (Operation &op : group.getBody().front().without_terminator()) {
    if (std::string own = namePathOf(op.getLoc()); !own.empty())
      path = own;
    if (isa<ConstantOp, BroadcastOp, ReshapeOp>(op))
      continue;
    std::string mnemonic = op.getName().stripDialect().str();
    if (auto reduce = dyn_cast<ReduceOp>(op))
      mnemonic = stringifyReduceKind(reduce.getKind()).str();
    ++count;
    if (ops.size() < kNamedOps && (ops.empty() || ops.back() != mnemonic))
      ops.push_back(mnemonic);
  }
  // The kind stands in for a missing path: a bare `exp` would be a library
  // function to compilers.
  std::string name = StringRef(identifierFrom(path)).take_back(kMaxPath).str();
  if (name.empty())
    name = stringifyGroupKind(group.getKind()).str();
  if (ops.empty())
    ops.push_back("copy");
  name = identifierFrom(name + "_" + llvm::join(ops, "_"));
  if (count > ops.size())
    name += "_of" + std::to_string(count);
  // What begins so are symbols of objects and helpers of CUDA text.
  if (StringRef(name).starts_with("ampc_"))
    name.insert(0, "k_");
  return names.uniqueFor(name);
}
