// The table of built-in functions. Signatures are read by the language's own
// parser.
#include "ir/frontend/model/FunctionTable.h"

#include "ir/frontend/model/syntax/Parser.h"

#include "llvm/ADT/StringSet.h"

namespace ampc::model {
namespace {

/// Functions of the language (docs/language.md) that no family has yet.
constexpr const char *kReserved[] = {
    "linspace",
    "eye",
    "triu",
    "tril",
    "log1p",
    "expm1",
    "log2",
    "exp2",
    "ceil",
    "round",
    "trunc",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "asinh",
    "acosh",
    "atanh",
    "isnan",
    "isinf",
    "atan2",
    "remainder",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bitwise_not",
    "masked_fill",
    "elu",
    "celu",
    "selu",
    "leaky_relu",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "mish",
    "softsign",
    "relu6",
    "logsigmoid",
    "tanhshrink",
    "threshold",
    "prelu",
    "glu",
    "argmin",
    "any",
    "all",
    "norm",
    "cumsum",
    "cumprod",
    "topk",
    "sort",
    "normalize",
    "einsum",
    "outer",
    "dot",
    "tile",
    "flip",
    "roll",
    "pixel_shuffle",
    "interpolate",
    "scatter",
    "scatter_add",
    "batch_norm",
    "group_norm",
    "instance_norm",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "rnn",
    "gru",
    "lstm",
    "smooth_l1",
    "bce",
    "kl_div",
    "hinge_embedding",
    "cosine_embedding",
    "triplet_margin",
    "ctc",
};

} // namespace

FunctionTable::FunctionTable() {
  for (llvm::ArrayRef<FunctionLine> family :
       {compileTimeFunctions(), makerFunctions(), rangeFunctions(),
        randomFunctions(), elementwiseFunctions(), logicFunctions(),
        activationFunctions(), reductionFunctions(), contractionFunctions(),
        shapeFunctions(), rearrangementFunctions(), lookupFunctions(),
        layerFunctions(), normFunctions(), attentionFunctions(),
        lossFunctions(), classificationFunctions(), initialiserFunctions()})
    add(family);
}

void FunctionTable::add(llvm::ArrayRef<FunctionLine> lines) {
  for (const FunctionLine &line : lines) {
    Diagnostics diagnostics;
    Parser parser(line.signature, 0, signatures, diagnostics);
    const auto *call = llvm::cast<CallExpr>(parser.parseWholeExpression());
    Function function{call->callee, {}, line.handler, line.kind};
    for (const Arg &arg : call->args) {
      bool required = arg.name.text.empty();
      function.formals.push_back(
          {required ? llvm::cast<TextExpr>(arg.value)->text : arg.name.text,
           required ? nullptr : arg.value});
    }
    functions.insert({function.name, std::move(function)});
  }
}

const Function *FunctionTable::find(llvm::StringRef name) const {
  auto it = functions.find(name);
  return it == functions.end() ? nullptr : &it->second;
}

bool FunctionTable::isReserved(llvm::StringRef name) const {
  return llvm::is_contained(kReserved, name);
}

void FunctionTable::forEachName(
    llvm::function_ref<void(llvm::StringRef)> f) const {
  for (const auto &entry : functions)
    f(entry.first());
  for (const char *name : kReserved)
    f(name);
}

} // namespace ampc::model
