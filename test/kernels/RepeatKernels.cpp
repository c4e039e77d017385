// Repeats recorded launches (Recording.h) on the machine's CUDA device, through
// the runtime's own calls of the driver and of NVRTC, and compares every byte
// of the results. Needs no compiler of ours.
//   ampc-gpu-kernels FILE...         ends with `N passed, N failed`
//   ampc-gpu-kernels --count FILE... prints how many launches there are
// Exit code 0, 1 where a launch fails or differs, 5 where there is no device.
#include "runtime/device/cuda/Memory.h"
#include "test/kernels/Recording.h"

#include <atomic>
#include <fmt/format.h>
#include <map>
#include <thread>

using namespace ampc::rt;
using namespace ampc::rt::cuda;
using namespace ampc::test;

namespace {

/// Code of each text, or why there is none.
using Compiled = std::map<std::string, Expected<KernelCode>>;

Compiled compileAll(const Nvrtc &nvrtc,
                    const std::vector<RecordedLaunch> &launches) {
  Compiled compiled;
  for (const RecordedLaunch &launch : launches)
    compiled.try_emplace(launch.text, KernelCode());
  std::vector<Compiled::value_type *> work;
  for (auto &entry : compiled)
    work.push_back(&entry);
  std::atomic<size_t> next{0};
  auto compileSome = [&] {
    for (size_t i; (i = next++) < work.size();)
      work[i]->second = nvrtc.compile(work[i]->first, "recorded.cu");
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i)
    threads.emplace_back(compileSome);
  compileSome();
  for (std::thread &thread : threads)
    thread.join();
  return compiled;
}

class Repeater {
public:
  Repeater(const Context &context, Stream stream)
      : context(context), stream(stream) {}

  /// Empty where every byte is as it was recorded, else what is wrong.
  std::string repeat(const RecordedLaunch &launch, const Compiled &compiled) {
    const Expected<KernelCode> &code = compiled.at(launch.text);
    if (!code)
      return code.error().message;
    Expected<std::string> difference = run(launch, *code);
    return difference ? *difference : difference.error().message;
  }

private:
  Expected<std::string> run(const RecordedLaunch &launch,
                            const KernelCode &code) {
    const DriverApi &api = context.api();
    Module module = nullptr;
    AMPC_TRY(context.check(api.loadModule(&module, code.data()),
                           "the kernel cannot be loaded"));
    Owned<Module> held(module, api.unloadModule);
    Function function = nullptr;
    AMPC_TRY(context.check(
        api.function(&function, module, launch.symbol.c_str()), "no kernel"));
    std::map<uint64_t, DeviceBlock> blocks; ///< by recorded address
    std::vector<Address> addresses;
    for (const RecordedArgument &argument : launch.arguments) {
      DeviceBlock &block = blocks[argument.address];
      if (!block.size() && !argument.before.empty()) {
        AMPC_ASSIGN(block, DeviceBlock::allocate(context, stream, allocator,
                                                 MemoryKind::Arena,
                                                 argument.before.size()));
        AMPC_TRY(context.check(api.copyToDevice(block.address(),
                                                argument.before.data(),
                                                argument.before.size(), stream),
                               "an argument cannot be copied"));
      }
      addresses.push_back(block.address());
    }
    std::vector<void *> pointers;
    for (Address &address : addresses)
      pointers.push_back(&address);
    AMPC_TRY(context.check(api.launch(function, launch.blocks, 1, 1,
                                      launch.threads, 1, 1, launch.sharedBytes,
                                      stream, pointers.data(), nullptr),
                           "the kernel cannot be launched"));
    std::vector<std::string> types = parameterTypes(launch.text, launch.symbol);
    for (size_t i = 0; i < addresses.size(); ++i) {
      const std::vector<uint8_t> &expected = launch.arguments[i].after;
      std::vector<uint8_t> found(expected.size());
      if (found.empty())
        continue;
      AMPC_TRY(context.check(
          api.copyToHost(found.data(), addresses[i], found.size(), stream),
          "a result cannot be copied"));
      AMPC_TRY(context.check(api.synchronize(stream), "the kernel fails"));
      int64_t at = firstDifference(expected, found, types.at(i));
      if (at >= 0)
        return describe(i, at, types[i], expected, found);
    }
    return std::string();
  }

  static std::string describe(size_t argument, int64_t element,
                              const std::string &type,
                              const std::vector<uint8_t> &expected,
                              const std::vector<uint8_t> &found) {
    size_t size = elementBytes(type);
    auto hex = [&](const std::vector<uint8_t> &bytes) {
      std::string digits;
      for (size_t i = size; i-- > 0;)
        digits += fmt::format("{:02x}", bytes[size_t(element) * size + i]);
      return digits;
    };
    return fmt::format("element {} of argument {} ({}): expected bits {}, "
                       "found {}",
                       element, argument, type, hex(expected), hex(found));
  }

  const Context &context;
  Stream stream;
  Allocator allocator;
};

Expected<bool> repeatAll(const std::vector<std::string> &paths) {
  AMPC_ASSIGN(std::unique_ptr<Context> context, Context::open(0));
  AMPC_ASSIGN(Library<NvrtcApi> library, openNvrtc(context->driver().version));
  AMPC_ASSIGN(Nvrtc nvrtc,
              Nvrtc::create(std::move(library), context->device().arch));
  Stream handle = nullptr;
  AMPC_TRY(context->check(
      context->api().createStream(&handle, kStreamNonBlocking), "no stream"));
  Owned<Stream> stream(handle, context->api().destroyStream);
  Repeater repeater(*context, stream.get());
  size_t passed = 0, failed = 0;
  for (const std::string &path : paths) {
    std::vector<RecordedLaunch> launches = readRecording(path);
    if (launches.empty()) {
      fmt::print("{}: no recording of launches\n", path);
      ++failed;
    }
    Compiled compiled = compileAll(nvrtc, launches);
    for (const RecordedLaunch &launch : launches) {
      std::string wrong = repeater.repeat(launch, compiled);
      ++(wrong.empty() ? passed : failed);
      if (!wrong.empty())
        fmt::print("{}: {}, {} blocks: {}\n", path, launch.symbol,
                   launch.blocks, wrong);
    }
  }
  fmt::print("{} passed, {} failed\n", passed, failed);
  return failed == 0;
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> paths(argv + 1, argv + argc);
  if (!paths.empty() && paths[0] == "--count") {
    size_t count = 0;
    for (size_t i = 1; i < paths.size(); ++i)
      count += readRecording(paths[i]).size();
    fmt::print("{}\n", count);
    return 0;
  }
  if (paths.empty()) {
    fmt::print(stderr, "usage: ampc-gpu-kernels [--count] FILE...\n");
    return 2;
  }
  Expected<bool> done = repeatAll(paths);
  if (done)
    return *done ? 0 : 1;
  fmt::print(stderr, "{}: error: {}\n", done.error().where,
             done.error().message);
  return static_cast<int>(done.error().code);
}
