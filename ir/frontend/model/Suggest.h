// "did you mean": the nearest of a set of names, and the spellings of PyTorch.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace ampc::model {

/// Collects candidates and keeps the nearest.
class Nearest {
public:
  explicit Nearest(llvm::StringRef wanted);
  void consider(llvm::StringRef candidate);
  /// `; did you mean 'M'?`, or "" if nothing is near.
  std::string hint() const;
  /// The nearest candidate, or "".
  llvm::StringRef best() const { return found; }

private:
  std::string wanted;
  std::string found;
  unsigned distance;
  unsigned considered = 0;
};

/// The language's name for a function of PyTorch (`cat`, `mse_loss`, `view`,
/// `Linear`), or "".
llvm::StringRef fromPyTorchFunction(llvm::StringRef name);
/// The formal that is meant by an argument's name in PyTorch (`keepdims`,
/// `input`), or "".
llvm::StringRef fromPyTorchArgument(llvm::StringRef name,
                                    llvm::ArrayRef<llvm::StringRef> formals);

} // namespace ampc::model
