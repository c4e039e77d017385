// Suggestions for unknown names.
#include "ir/frontend/model/Suggest.h"

#include <algorithm>
#include <utility>

namespace ampc::model {

/// Edits after which two names of this length still look alike.
static unsigned reach(size_t length) {
  return length < 3 ? 0 : length < 5 ? 1 : length / 3 + 1;
}

Nearest::Nearest(llvm::StringRef wanted)
    : wanted(wanted.take_front(64)), distance(reach(this->wanted.size()) + 1) {}

void Nearest::consider(llvm::StringRef candidate) {
  // Of very many names the first will do.
  if (candidate.size() > 64 || candidate == "_" || ++considered > 10000)
    return;
  unsigned d = llvm::StringRef(wanted).edit_distance(
      candidate, /*AllowReplacements=*/true, distance);
  if (d < distance) {
    distance = d;
    found = candidate.str();
  }
}

std::string Nearest::hint() const {
  return found.empty() ? "" : "; did you mean '" + found + "'?";
}

namespace {

using Spelling = std::pair<const char *, const char *>;

constexpr Spelling kFunctions[] = {
    {"cat", "concat"},
    {"view", "reshape"},
    {"mm", "matmul"},
    {"bmm", "matmul"},
    {"clamp", "clip"},
    {"t", "transpose"},
    {"swapaxes", "transpose"},
    {"amax", "max"},
    {"amin", "min"},
    {"mse_loss", "mse"},
    {"MSELoss", "mse"},
    {"l1_loss", "l1"},
    {"L1Loss", "l1"},
    {"huber_loss", "huber"},
    {"HuberLoss", "huber"},
    {"smooth_l1_loss", "smooth_l1"},
    {"SmoothL1Loss", "smooth_l1"},
    {"nll_loss", "nll"},
    {"NLLLoss", "nll"},
    {"binary_cross_entropy_with_logits", "bce_with_logits"},
    {"BCEWithLogitsLoss", "bce_with_logits"},
    {"binary_cross_entropy", "bce"},
    {"BCELoss", "bce"},
    {"CrossEntropyLoss", "cross_entropy"},
    {"KLDivLoss", "kl_div"},
    {"scaled_dot_product_attention", "attention"},
    {"MultiheadAttention", "attention"},
    {"mul", "a * b"},
    {"add", "a + b"},
    {"sub", "a - b"},
    {"div", "a / b"},
    {"neg", "-a"},
    {"negative", "-a"},
    {"to", "cast"},
    {"type", "cast"},
    {"astype", "cast"},
    {"Linear", "linear"},
    {"ReLU", "relu"},
    {"GELU", "gelu"},
    {"SiLU", "silu"},
    {"Sigmoid", "sigmoid"},
    {"Tanh", "tanh"},
    {"Softmax", "softmax"},
    {"Dropout", "dropout"},
    {"Embedding", "embedding"},
    {"LayerNorm", "layer_norm"},
    {"RMSNorm", "rms_norm"},
    {"GroupNorm", "group_norm"},
    {"BatchNorm1d", "batch_norm"},
    {"BatchNorm2d", "batch_norm"},
    {"Conv1d", "conv1d"},
    {"Conv2d", "conv2d"},
    {"Conv3d", "conv3d"},
    {"MaxPool2d", "max_pool2d"},
    {"AvgPool2d", "avg_pool2d"},
    {"Flatten", "flatten"},
    {"LSTM", "lstm"},
    {"GRU", "gru"},
    {"RNN", "rnn"},
    {"absolute", "abs"},
    {"hstack", "concat"},
    {"vstack", "concat"},
    {"expand_as", "expand"},
    {"power", "pow"},
    {"stop_gradient", "detach"},
    {"normal_", "normal"},
    {"uniform_", "uniform"},
    {"SGD", "sgd"},
    {"Adam", "adam"},
    {"AdamW", "adamw"},
};
/// One spelling may stand for several arguments: the first that the function
/// has is meant.
constexpr Spelling kArguments[] = {
    {"dim", "axis"},
    {"dim", "a"},
    {"dims", "axis"},
    {"dims", "order"},
    {"axes", "axis"},
    {"dim0", "a"},
    {"dim1", "b"},
    {"keepdims", "keepdim"},
    {"input", "x"},
    {"input", "logits"},
    {"input", "logp"},
    {"input", "ids"},
    {"input", "a"},
    {"self", "x"},
    {"target", "y"},
    {"target", "labels"},
    {"tensors", "xs"},
    {"condition", "cond"},
    {"exponent", "y"},
    {"other", "b"},
    {"other", "y"},
    {"size", "shape"},
    {"size", "sizes"},
    {"split_size", "sizes"},
    {"split_size_or_sections", "sizes"},
    {"chunks", "n"},
    {"pad", "amounts"},
    {"fill_value", "v"},
    {"end", "b"},
    {"start", "a"},
    {"end", "n"},
    {"unbiased", "correction"},
    {"ddof", "correction"},
    {"end_dim", "end_axis"},
    {"start_dim", "start_axis"},
    {"in_features", "out_features"},
    {"query", "q"},
    {"key", "k"},
    {"value", "v"},
    {"num_heads", "heads"},
    {"nhead", "heads"},
    {"is_causal", "causal"},
    {"attn_mask", "mask"},
    {"dropout_p", "dropout"},
    {"learning_rate", "lr"},
    {"beta1", "betas"},
    {"beta2", "betas"},
};

} // namespace

llvm::StringRef fromPyTorchFunction(llvm::StringRef name) {
  for (const Spelling &entry : kFunctions)
    if (name == entry.first)
      return entry.second;
  return {};
}

llvm::StringRef fromPyTorchArgument(llvm::StringRef name,
                                    llvm::ArrayRef<llvm::StringRef> formals) {
  for (const Spelling &entry : kArguments)
    if (name == entry.first && llvm::is_contained(formals, entry.second))
      return entry.second;
  return {};
}

} // namespace ampc::model
