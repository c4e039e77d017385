// The test models: names, shapes and number of their parameters are those of
// the PyTorch modules that they spell out.
#include "test/unit/frontend/Load.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace ampc::model;

namespace {

/// `name [extents]` of every parameter, one a line, then their elements.
std::string parametersOf(llvm::StringRef model) {
  std::string path =
      (llvm::Twine(AMPC_SOURCE_DIR "/test/models/") + model + ".amp").str();
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return "cannot read " + path;
  Loaded loaded((*file)->getBuffer());
  if (!loaded.module)
    return loaded.errors();
  std::string text;
  llvm::raw_string_ostream os(text);
  int64_t count = 0;
  for (auto variable : loaded.module->getOps<ampc::amp::VariableOp>()) {
    os << variable.getSymName() << " [";
    llvm::interleaveComma(variable.tensorType().getShape(), os);
    os << "]\n";
    count += variable.tensorType().getNumElements();
  }
  os << count << "\n";
  return text;
}

TEST(Models, Decoder) {
  EXPECT_EQ(parametersOf("decoder"),
            "model.embed_tokens.weight [64, 32]\n"
            "model.layers.0.input_layernorm.weight [32]\n"
            "model.layers.0.self_attn.q_proj.weight [32, 32]\n"
            "model.layers.0.self_attn.k_proj.weight [16, 32]\n"
            "model.layers.0.self_attn.v_proj.weight [16, 32]\n"
            "model.layers.0.self_attn.o_proj.weight [32, 32]\n"
            "model.layers.0.post_attention_layernorm.weight [32]\n"
            "model.layers.0.mlp.gate_proj.weight [88, 32]\n"
            "model.layers.0.mlp.up_proj.weight [88, 32]\n"
            "model.layers.0.mlp.down_proj.weight [32, 88]\n"
            "model.layers.1.input_layernorm.weight [32]\n"
            "model.layers.1.self_attn.q_proj.weight [32, 32]\n"
            "model.layers.1.self_attn.k_proj.weight [16, 32]\n"
            "model.layers.1.self_attn.v_proj.weight [16, 32]\n"
            "model.layers.1.self_attn.o_proj.weight [32, 32]\n"
            "model.layers.1.post_attention_layernorm.weight [32]\n"
            "model.layers.1.mlp.gate_proj.weight [88, 32]\n"
            "model.layers.1.mlp.up_proj.weight [88, 32]\n"
            "model.layers.1.mlp.down_proj.weight [32, 88]\n"
            "model.norm.weight [32]\n"
            "lm_head.weight [64, 32]\n"
            // 2 * 64 * 32 + 32 + 2 * (2 * 32 + 3072 + 3 * 88 * 32)
            "27296\n");
}

TEST(Models, Encoder) {
  std::string layers;
  for (llvm::StringRef i : {"0", "1"})
    for (llvm::StringRef parameter :
         {"self_attn.in_proj_weight [96, 32]", "self_attn.in_proj_bias [96]",
          "self_attn.out_proj.weight [32, 32]", "self_attn.out_proj.bias [32]",
          "norm1.weight [32]", "norm1.bias [32]", "linear1.weight [64, 32]",
          "linear1.bias [64]", "linear2.weight [32, 64]", "linear2.bias [32]",
          "norm2.weight [32]", "norm2.bias [32]"})
      layers += ("encoder.layers." + i + "." + parameter + "\n").str();
  EXPECT_EQ(parametersOf("encoder"),
            "positions [12, 32]\nembedding.weight [50, 32]\n" + layers +
                "decoder.bias [50]\n"
                // The decoder's weight is the embedding's.
                // 12 * 32 + 50 * 32 + 2 * 8544 + 50
                "19122\n");
}

TEST(Models, Recurrence) {
  EXPECT_EQ(parametersOf("recurrence"), "rnn.weight_ih [16, 3]\n"
                                        "rnn.weight_hh [16, 16]\n"
                                        "rnn.bias_ih [16]\n"
                                        "rnn.bias_hh [16]\n"
                                        "head.weight [1, 16]\n"
                                        "head.bias [1]\n"
                                        "353\n");
}

TEST(Models, Physics) {
  EXPECT_EQ(parametersOf("physics"), "net.0.weight [24, 2]\n"
                                     "net.0.bias [24]\n"
                                     "net.2.weight [24, 24]\n"
                                     "net.2.bias [24]\n"
                                     "net.4.weight [1, 24]\n"
                                     "net.4.bias [1]\n"
                                     "697\n");
}

} // namespace
