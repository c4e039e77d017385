// oneDNN behind a narrow door.
#include "runtime/device/cpu/Matmul.h"

#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

namespace ampc::rt {

namespace {

/// The engine and one stream a thread.
struct Library {
  dnnl::engine engine;
  std::vector<dnnl::stream> streams;
};

dnnl::memory::data_type typeOf(DType type) {
  return type == DType::BF16 ? dnnl::memory::data_type::bf16
                             : dnnl::memory::data_type::f32;
}

/// False where an environment variable holds the library to older instructions.
bool libraryKnowsAmx() {
  auto known = unsigned(dnnl::get_effective_cpu_isa()),
       wanted = unsigned(dnnl::cpu_isa::avx512_core_amx);
  return (known & wanted) == wanted;
}

/// Of the operands and the result of a product.
struct Descriptions {
  explicit Descriptions(const MatmulShape &shape)
      : a({shape.m, shape.k}, typeOf(shape.operands),
          dnnl::memory::dims{shape.aRow, shape.aColumn}),
        b({shape.k, shape.n}, typeOf(shape.operands),
          dnnl::memory::dims{shape.bRow, shape.bColumn}),
        c({shape.m, shape.n}, typeOf(shape.result),
          dnnl::memory::dims{shape.cRow, 1}) {}
  dnnl::memory::desc a, b, c;
};

/// What the library would run for `shape`.
dnnl::matmul::primitive_desc describe(const MatmulShape &shape,
                                      const dnnl::engine &engine) {
  Descriptions of(shape);
  dnnl::primitive_attr attributes;
  if (shape.add) {
    dnnl::post_ops after;
    after.append_sum();
    attributes.set_post_ops(after);
  }
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  // Said explicitly because an environment variable can change the default to
  // bf16 products.
  attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);
  return {dnnl::matmul::desc(of.a, of.b, of.c), attributes, engine};
}

class DnnlMatmul final : public Matmul {
public:
  DnnlMatmul(std::shared_ptr<Library> library, const MatmulShape &shape,
             const dnnl::matmul::primitive_desc &desc)
      : library(std::move(library)) {
    primitive = dnnl::matmul(desc);
    name = desc.impl_info_str();
    Descriptions of(shape);
    for (size_t i = 0; i < this->library->streams.size(); ++i) {
      Slot slot;
      const dnnl::engine &engine = this->library->engine;
      slot.a = dnnl::memory(of.a, engine, DNNL_MEMORY_NONE);
      slot.b = dnnl::memory(of.b, engine, DNNL_MEMORY_NONE);
      slot.c = dnnl::memory(of.c, engine, DNNL_MEMORY_NONE);
      slot.scratch =
          dnnl::memory(desc.scratchpad_desc(), engine, DNNL_MEMORY_NONE);
      slots.push_back(std::move(slot));
    }
  }

  bool run(int thread, const std::byte *a, const std::byte *b, std::byte *c,
           std::byte *scratch) override {
    Slot &slot = slots[size_t(thread)];
    dnnl_stream_t stream = library->streams[size_t(thread)].get();
    bool good =
        dnnl_memory_set_data_handle_v2(slot.a.get(), const_cast<std::byte *>(a),
                                       stream) == dnnl_success &&
        dnnl_memory_set_data_handle_v2(slot.b.get(), const_cast<std::byte *>(b),
                                       stream) == dnnl_success &&
        dnnl_memory_set_data_handle_v2(slot.c.get(), c, stream) ==
            dnnl_success &&
        dnnl_memory_set_data_handle_v2(slot.scratch.get(), scratch, stream) ==
            dnnl_success;
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, slot.a.get()},
                                    {DNNL_ARG_WEIGHTS, slot.b.get()},
                                    {DNNL_ARG_DST, slot.c.get()},
                                    {DNNL_ARG_SCRATCHPAD, slot.scratch.get()}};
    return good && dnnl_primitive_execute(primitive.get(), stream, 4, args) ==
                       dnnl_success;
  }

  std::string implementation() const override { return name; }

private:
  struct Slot {
    dnnl::memory a, b, c, scratch;
  };
  std::shared_ptr<Library> library;
  dnnl::primitive primitive;
  std::vector<Slot> slots;
  std::string name;
};

class DnnlCache final : public MatmulCache {
public:
  DnnlCache(int threads, const CpuFeatures &features)
      : library(std::make_shared<Library>()),
        bf16(features.has_amx() && libraryKnowsAmx()) {
    library->engine = dnnl::engine(dnnl::engine::kind::cpu, 0);
    for (int i = 0; i < threads; ++i)
      library->streams.emplace_back(library->engine);
  }

  bool multipliesBf16() const override { return bf16; }

  Expected<uint64_t> scratchBytes(const MatmulShape &shape) override {
    try {
      return uint64_t(description(shape).scratchpad_desc().get_size());
    } catch (const std::exception &error) {
      return refused(shape, error);
    }
  }

  Expected<std::shared_ptr<Matmul>> get(const MatmulShape &shape) override {
    auto found = primitives.find(shape);
    if (found != primitives.end())
      return found->second;
    try {
      std::shared_ptr<Matmul> made =
          std::make_shared<DnnlMatmul>(library, shape, description(shape));
      primitives.emplace(shape, made);
      return made;
    } catch (const std::exception &error) {
      return refused(shape, error);
    }
  }

private:
  const dnnl::matmul::primitive_desc &description(const MatmulShape &shape) {
    auto found = descriptions.find(shape);
    if (found == descriptions.end())
      found =
          descriptions.emplace(shape, describe(shape, library->engine)).first;
    return found->second;
  }

  static tl::unexpected<Error> refused(const MatmulShape &shape,
                                       const std::exception &error) {
    return fail(Code::Environment, "oneDNN",
                fmt::format("no product of {} for m {}, n {}, k {}: {}",
                            name_of(shape.operands), shape.m, shape.n, shape.k,
                            error.what()));
  }

  std::shared_ptr<Library> library;
  bool bf16;
  std::map<MatmulShape, dnnl::matmul::primitive_desc> descriptions;
  std::map<MatmulShape, std::shared_ptr<Matmul>> primitives;
};

} // namespace

Expected<std::unique_ptr<MatmulCache>>
MatmulCache::create(int threads, const CpuFeatures &features) {
  try {
    return std::make_unique<DnnlCache>(threads, features);
  } catch (const std::exception &error) {
    return fail(Code::Environment, "oneDNN", error.what());
  }
}

} // namespace ampc::rt
