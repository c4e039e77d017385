#include "test/hostgpu/driver/Device.h"

#include <cstdio>

using namespace ampc::hostgpu;

thread_local Context *ampc::hostgpu::currentContext = nullptr;

Device &ampc::hostgpu::device() {
  // Never destroyed: programs may call until they end.
  static Device *only = new Device;
  return *only;
}

Context::~Context() {
  for (Event *event : events)
    delete event;
  for (Graph *graph : graphs)
    delete graph;
  for (auto *exec : graphExecs)
    delete exec;
}

CUresult Device::report(CUresult code, const std::string &text) {
  lastReport = text;
  if (!settings.quiet)
    std::fprintf(stderr, "software CUDA device: error %d: %s\n", code,
                 text.c_str());
  return code;
}

CUresult Device::sticky() {
  const Failure &failure = context->scheduler.failure();
  if (failure.code != CUDA_SUCCESS && !stickyReported) {
    stickyReported = true;
    report(failure.code, failure.text);
  }
  return failure.code;
}

CUresult Device::refuseDuringCapture(const char *call) {
  CUresult result = CUDA_SUCCESS;
  for (const auto &capture : context->captures) {
    bool forbids = capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL ||
                   (capture->mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL &&
                    capture->thread == std::this_thread::get_id());
    if (!forbids)
      continue;
    invalidate(*capture);
    result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  if (result != CUDA_SUCCESS)
    report(result, std::string(call) + " while a stream is captured");
  return result;
}

CUresult Device::submit(Stream &stream, Action action) {
  if (!stream.capture) {
    if (stream.isLegacy)
      for (const auto &capture : context->captures)
        for (Stream *captured : capture->streams)
          if (captured->isBlocking()) {
            invalidate(*capture);
            return report(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                          "work in the legacy stream would wait for a stream "
                          "that is captured");
          }
    context->scheduler.push(stream, {std::move(action), nullptr},
                            context->random);
    return sticky();
  }
  Capture &capture = *stream.capture;
  if (capture.invalidated)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  int node = capture.graph->add(std::move(action), stream.after);
  stream.after = {node};
  return CUDA_SUCCESS;
}

Stream *Device::stream(CUstream handle) {
  auto number = reinterpret_cast<uintptr_t>(handle);
  if (number <= 1) // CU_STREAM_LEGACY
    return context->scheduler.legacy();
  auto *stream = reinterpret_cast<Stream *>(handle);
  return context->scheduler.knows(stream) ? stream : nullptr;
}

Event *Device::event(CUevent handle) {
  auto *event = reinterpret_cast<Event *>(handle);
  return context->events.count(event) ? event : nullptr;
}

Entry::Entry(Needs needs) : lock(device().mutex) {
  Device &only = device();
  if (needs == Nothing)
    return;
  if (!only.initialized) {
    status = CUDA_ERROR_NOT_INITIALIZED;
    return;
  }
  if (needs == Initialized)
    return;
  if (!currentContext || currentContext != only.context.get())
    status = CUDA_ERROR_INVALID_CONTEXT;
  else
    status = only.sticky();
}
