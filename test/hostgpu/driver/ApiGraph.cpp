// Entry points of the driver: stream capture and graphs.
#include "test/hostgpu/driver/Device.h"

#include <algorithm>

using namespace ampc::hostgpu;

HOSTGPU_EXPORT CUresult cuStreamBeginCapture_v2(CUstream handle, int mode) {
  HOSTGPU_ENTER();
  Device &only = device();
  Stream *stream = only.stream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL ||
      mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  if (stream->isLegacy)
    return only.report(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                       "the legacy stream cannot be captured");
  if (stream->capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  auto capture = std::make_shared<Capture>();
  capture->origin = stream;
  capture->thread = std::this_thread::get_id();
  capture->mode = mode;
  capture->streams = {stream};
  stream->capture = capture;
  stream->after.clear();
  only.context->captures.push_back(capture);
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT CUresult cuStreamEndCapture(CUstream handle, CUgraph *result) {
  HOSTGPU_ENTER();
  Device &only = device();
  Stream *stream = only.stream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!result)
    return CUDA_ERROR_INVALID_VALUE;
  *result = nullptr;
  std::shared_ptr<Capture> capture = stream->capture;
  if (!capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  if (capture->origin != stream) {
    only.invalidate(*capture);
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  }
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
      capture->thread != std::this_thread::get_id())
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  bool joined = capture->joined();
  Context &context = *only.context;
  auto &captures = context.captures;
  captures.erase(std::find(captures.begin(), captures.end(), capture));
  for (Stream *each : capture->streams) {
    each->capture = nullptr;
    each->after.clear();
  }
  // An event recorded inside counts as never recorded from now on.
  for (Event *event : context.events)
    if (event->capture == capture)
      event->capture = nullptr;
  if (capture->invalidated)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!joined)
    return only.report(CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
                       "a captured stream has work that the first one does not "
                       "wait for");
  auto *graph = new Graph(*capture->graph);
  context.graphs.insert(graph);
  *result = reinterpret_cast<CUgraph>(graph);
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *result,
                                                    CUgraph handle,
                                                    unsigned long long flags) {
  HOSTGPU_ENTER();
  auto *graph = reinterpret_cast<Graph *>(handle);
  Context &context = *device().context;
  if (!result || flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (!context.graphs.count(graph))
    return CUDA_ERROR_INVALID_HANDLE;
  auto *exec = new std::shared_ptr<const Graph>(new Graph(*graph));
  context.graphExecs.insert(exec);
  *result = reinterpret_cast<CUgraphExec>(exec);
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT CUresult cuGraphLaunch(CUgraphExec handle,
                                      CUstream streamHandle) {
  HOSTGPU_ENTER();
  Device &only = device();
  Stream *stream = only.stream(streamHandle);
  auto *exec = reinterpret_cast<std::shared_ptr<const Graph> *>(handle);
  if (!stream || !only.context->graphExecs.count(exec))
    return CUDA_ERROR_INVALID_HANDLE;
  std::shared_ptr<const Graph> graph = *exec;
  return only.submit(*stream,
                     [graph] { return graph->run(device().context->random); });
}

HOSTGPU_EXPORT CUresult cuGraphExecDestroy(CUgraphExec handle) {
  HOSTGPU_ENTER();
  auto *exec = reinterpret_cast<std::shared_ptr<const Graph> *>(handle);
  if (!device().context->graphExecs.erase(exec))
    return CUDA_ERROR_INVALID_HANDLE;
  delete exec;
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT CUresult cuGraphDestroy(CUgraph handle) {
  HOSTGPU_ENTER();
  auto *graph = reinterpret_cast<Graph *>(handle);
  if (!device().context->graphs.erase(graph))
    return CUDA_ERROR_INVALID_HANDLE;
  delete graph;
  return CUDA_SUCCESS;
}
