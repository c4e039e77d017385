// Devices and contexts.
#include "runtime/device/cuda/Context.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ampc::rt::cuda {

std::string DeviceFacts::text() const {
  return fmt::format("cuda:{} ({})", number, name);
}

bool Context::isLasting(Result result) {
  return (result >= 700 && result < 720 && result != 701 && result != 704 &&
          result != 705 && result != 708 && result != 709) ||
         result == 214 || result == 999;
}

static std::string describe(const DriverApi &api, Result result) {
  const char *name = nullptr, *text = nullptr;
  if (api.errorName(result, &name) != 0 || !name)
    return fmt::format("CUDA error {}", result);
  if (api.errorText(result, &text) != 0 || !text)
    return name;
  return fmt::format("{}, {}", name, text);
}

Error Context::error(Result result, const std::string &what) const {
  std::string text =
      fmt::format("{}: {}: {}", facts.text(), what, describe(api(), result));
  if (isLasting(result))
    text += "; nothing more runs on this device in this process";
  return {result == kErrorOutOfMemory ? Code::DoesNotFit : Code::Environment,
          std::move(text), ""};
}

static Expected<DeviceFacts> factsOf(const DriverApi &api, int number) {
  DeviceFacts facts;
  facts.number = number;
  Device device = 0;
  char name[256] = "";
  size_t bytes = 0;
  int major = 0, minor = 0;
  Result result = api.device(&device, number);
  if (result == 0)
    result = api.deviceName(name, sizeof name, device);
  if (result == 0)
    result = api.deviceMemory(&bytes, device);
  if (result == 0)
    result = api.deviceAttribute(&major, kAttributeMajor, device);
  if (result == 0)
    result = api.deviceAttribute(&minor, kAttributeMinor, device);
  if (result == 0)
    result = api.deviceAttribute(&facts.multiprocessors,
                                 kAttributeMultiprocessors, device);
  if (result != 0)
    return fail(Code::Environment, fmt::format("cuda:{}", number),
                fmt::format("the driver does not describe the device: {}",
                            describe(api, result)));
  facts.name = name;
  facts.arch = major * 10 + minor;
  facts.bytes = bytes;
  return facts;
}

Expected<std::vector<DeviceFacts>>
listDevices(const Library<DriverApi> &driver) {
  const DriverApi &api = driver.api;
  int count = 0;
  Result result = api.init(0);
  if (result == 0)
    result = api.deviceCount(&count);
  std::vector<DeviceFacts> devices;
  if (result == kErrorNoDevice)
    return devices;
  if (result != 0)
    return fail(
        Code::Environment, driver.path,
        fmt::format("the driver does not start: {}", describe(api, result)));
  for (int number = 0; number < count; ++number) {
    AMPC_ASSIGN(DeviceFacts facts, factsOf(api, number));
    devices.push_back(std::move(facts));
  }
  return devices;
}

Expected<std::unique_ptr<Context>> Context::open(int number) {
  AMPC_ASSIGN(Library<DriverApi> driver, openDriver());
  AMPC_ASSIGN(std::vector<DeviceFacts> devices, listDevices(driver));
  if (number < 0 || size_t(number) >= devices.size()) {
    std::vector<std::string> names;
    for (const DeviceFacts &device : devices)
      names.push_back(device.text());
    return fail(Code::Environment, fmt::format("cuda:{}", number),
                names.empty()
                    ? "the driver sees no CUDA device"
                    : fmt::format("there is no such device; there is {}",
                                  fmt::join(names, ", ")));
  }
  std::unique_ptr<Context> context(new Context(std::move(driver)));
  context->facts = devices[size_t(number)];
  Device device = 0;
  AMPC_TRY(context->check(context->api().device(&device, number),
                          "the device cannot be taken"));
  AMPC_TRY(
      context->check(context->api().retainContext(&context->handle, device),
                     "no context can be made"));
  AMPC_TRY(context->enter());
  return context;
}

Context::~Context() {
  Device device = 0;
  if (handle && api().device(&device, facts.number) == 0)
    (void)api().releaseContext(device);
}

} // namespace ampc::rt::cuda
