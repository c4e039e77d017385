// Entry points of the driver: streams and events.
#include "test/hostgpu/driver/Device.h"
#include "test/hostgpu/driver/Extras.h"

using namespace ampc::hostgpu;

namespace {

/// Waiting for a stream that is captured ends the capture.
CUresult refuseCaptured(Stream &stream, const char *call) {
  if (!stream.capture) {
    // The legacy stream waits for blocking streams.
    if (stream.isLegacy && !device().context->captures.empty())
      return device().refuseDuringCapture(call);
    return CUDA_SUCCESS;
  }
  device().invalidate(*stream.capture);
  return device().report(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                         std::string(call) + " of a stream that is captured");
}

} // namespace

HOSTGPU_EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  HOSTGPU_ENTER();
  if (!stream || flags > CU_STREAM_NON_BLOCKING)
    return CUDA_ERROR_INVALID_VALUE;
  *stream =
      reinterpret_cast<CUstream>(device().context->scheduler.create(flags));
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT CUresult cuStreamDestroy_v2(CUstream handle) {
  HOSTGPU_ENTER();
  Device &only = device();
  Stream *stream = only.stream(handle);
  if (!stream || stream->isLegacy)
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult result = refuseCaptured(*stream, "cuStreamDestroy"))
    return result;
  only.context->scheduler.drain(*stream, only.context->random);
  only.context->scheduler.destroy(stream);
  return only.sticky();
}

HOSTGPU_EXPORT CUresult cuStreamSynchronize(CUstream handle) {
  HOSTGPU_ENTER();
  Device &only = device();
  Stream *stream = only.stream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult result = refuseCaptured(*stream, "cuStreamSynchronize"))
    return result;
  Scheduler &scheduler = only.context->scheduler;
  if (stream->isLegacy)
    scheduler.drain(only.context->random);
  else
    scheduler.drain(*stream, only.context->random);
  return only.sticky();
}

HOSTGPU_EXPORT CUresult cuStreamQuery(CUstream handle) {
  HOSTGPU_ENTER();
  Device &only = device();
  Stream *stream = only.stream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult result = refuseCaptured(*stream, "cuStreamQuery"))
    return result;
  // Asking is what lets time pass.
  if (!stream->queue.empty())
    only.context->scheduler.step(only.context->random);
  if (CUresult result = only.sticky())
    return result;
  return stream->queue.empty() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

HOSTGPU_EXPORT CUresult cuStreamWaitEvent(CUstream streamHandle,
                                          CUevent eventHandle, unsigned flags) {
  HOSTGPU_ENTER();
  Device &only = device();
  Stream *stream = only.stream(streamHandle);
  Event *event = only.event(eventHandle);
  if (!stream || !event)
    return CUDA_ERROR_INVALID_HANDLE;
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (event->capture) {
    if (event->capture->invalidated)
      return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (stream->isLegacy)
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (stream->capture && stream->capture != event->capture) {
      only.invalidate(*stream->capture);
      only.invalidate(*event->capture);
      return only.report(CUDA_ERROR_STREAM_CAPTURE_MERGE,
                         "cuStreamWaitEvent would join two captures");
    }
    stream->capture = event->capture;
    event->capture->join(stream, event->after);
    return CUDA_SUCCESS;
  }
  if (stream->capture) {
    if (!event->marker)
      return CUDA_SUCCESS;
    only.invalidate(*stream->capture);
    return only.report(CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
                       "cuStreamWaitEvent: a captured stream would wait for "
                       "work that is not captured");
  }
  if (event->marker && !event->marker->reached)
    only.context->scheduler.push(*stream, {nullptr, event->marker},
                                 only.context->random);
  return only.sticky();
}

HOSTGPU_EXPORT CUresult cuEventCreate(CUevent *result, unsigned flags) {
  HOSTGPU_ENTER();
  constexpr unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING;
  if (!result || (flags & ~known))
    return CUDA_ERROR_INVALID_VALUE;
  auto *event = new Event;
  event->flags = flags;
  device().context->events.insert(event);
  *result = reinterpret_cast<CUevent>(event);
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT CUresult cuEventDestroy_v2(CUevent handle) {
  HOSTGPU_ENTER();
  Event *event = device().event(handle);
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  device().context->events.erase(event);
  delete event;
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT CUresult cuEventRecord(CUevent eventHandle,
                                      CUstream streamHandle) {
  HOSTGPU_ENTER();
  Device &only = device();
  Stream *stream = only.stream(streamHandle);
  Event *event = only.event(eventHandle);
  if (!stream || !event)
    return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture) {
    if (stream->capture->invalidated)
      return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    event->capture = stream->capture;
    event->after = stream->after;
    event->marker = nullptr;
    return CUDA_SUCCESS;
  }
  auto marker = std::make_shared<Marker>();
  event->capture = nullptr;
  event->marker = marker;
  return only.submit(*stream, [marker]() -> Failure {
    marker->reached = true;
    marker->time = milliseconds();
    return {};
  });
}

HOSTGPU_EXPORT CUresult cuEventQuery(CUevent handle) {
  HOSTGPU_ENTER();
  Device &only = device();
  Event *event = only.event(handle);
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  if (event->capture)
    return CUDA_ERROR_CAPTURED_EVENT;
  if (event->marker && !event->marker->reached)
    only.context->scheduler.step(only.context->random);
  if (CUresult result = only.sticky())
    return result;
  return !event->marker || event->marker->reached ? CUDA_SUCCESS
                                                  : CUDA_ERROR_NOT_READY;
}

HOSTGPU_EXPORT CUresult cuEventSynchronize(CUevent handle) {
  HOSTGPU_ENTER();
  Device &only = device();
  Event *event = only.event(handle);
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  if (event->capture) {
    only.invalidate(*event->capture);
    return CUDA_ERROR_CAPTURED_EVENT;
  }
  if (event->marker)
    only.context->scheduler.drain(*event->marker, only.context->random);
  return only.sticky();
}

HOSTGPU_EXPORT CUresult cuEventElapsedTime(float *result, CUevent startHandle,
                                           CUevent endHandle) {
  HOSTGPU_ENTER();
  Event *start = device().event(startHandle), *end = device().event(endHandle);
  if (!result)
    return CUDA_ERROR_INVALID_VALUE;
  if (!start || !end || !start->marker || !end->marker ||
      ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!start->marker->reached || !end->marker->reached)
    return CUDA_ERROR_NOT_READY;
  *result = float(end->marker->time - start->marker->time);
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT int ampcHostGpuSubmit(CUstream handle,
                                     const AmpcHostGpuWork *work) {
  // Owned from here on, also when the call fails.
  std::shared_ptr<void> data(work->data, work->release);
  HOSTGPU_ENTER();
  Stream *stream = device().stream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  return device().submit(*stream, [data, run = work->run]() -> Failure {
    char text[256] = "";
    CUresult result = run(data.get(), text, sizeof(text));
    return {result, text};
  });
}
