// The entry points of cuBLASLt: products are queued in the order of the stream
// and run on the host. Two algorithms are offered, which differ in bits, so
// that a program which pins its choice can be told from one that does not.
#include "test/hostgpu/blas/Descriptors.h"
#include "test/hostgpu/driver/Extras.h"

#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <new>

using namespace ampc::hostgpu;

HOSTGPU_EXPORT CUresult cuDeviceGetAttribute(int *value, int attribute,
                                             CUdevice which);

namespace {

/// bf16 begins with compute capability 8.0.
bool hasBrainFloats() {
  int major = 0;
  return cuDeviceGetAttribute(&major,
                              CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                              0) == CUDA_SUCCESS &&
         major >= 8;
}

struct Handle {
  uint64_t mark = Algorithm::kMark;
};

/// As cublasLtMatmulHeuristicResult_t.
struct HeuristicResult {
  uint64_t algorithm[8];
  size_t workspaceBytes;
  int state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(HeuristicResult) == 96);

/// A product in a stream, with the device addresses it is about.
struct Queued {
  Product product;
  uint64_t a, b, c, d, bias;
};

/// Elements from the first to behind the last of all batches.
size_t span(const Matrix &matrix, int64_t batches) {
  return size_t((matrix.rows - 1) * matrix.rowStride +
                (matrix.columns - 1) * matrix.columnStride +
                (batches - 1) * matrix.batchStride + 1);
}

int runProduct(void *data, char *text, size_t textBytes) {
  auto &queued = *static_cast<Queued *>(data);
  const Product &product = queued.product;
  bool wrong = false;
  auto resolve = [&](const char *name, uint64_t address, Type type,
                     size_t elements, bool isWritten) {
    size_t bytes = elements * sizeOf(type);
    void *found = ampcHostGpuResolve(address, bytes, isWritten);
    if (!found || address % sizeOf(type)) {
      std::snprintf(text, textBytes,
                    "cublasLtMatmul: operand %s of %zu bytes at 0x%llx is not "
                    "within an allocation or not aligned",
                    name, bytes, (unsigned long long)address);
      wrong = true;
    }
    return found;
  };
  auto operand = [&](const char *name, uint64_t address, const Matrix &matrix,
                     bool isWritten = false) {
    return resolve(name, address, matrix.type, span(matrix, product.batches),
                   isWritten);
  };
  void *a = operand("A", queued.a, product.a);
  void *b = operand("B", queued.b, product.b);
  void *c = product.beta != 0 ? operand("C", queued.c, product.c) : nullptr;
  void *d = operand("D", queued.d, product.d, true);
  void *bias = nullptr;
  if (product.hasBias)
    bias = resolve("bias", queued.bias, product.biasType,
                   size_t(product.d.rows +
                          (product.batches - 1) * product.biasBatchStride),
                   false);
  if (wrong)
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  multiply(product, a, b, c, d, bias);
  return CUDA_SUCCESS;
}

void releaseProduct(void *data) { delete static_cast<Queued *>(data); }

template <class T, class... Arguments>
Status create(T **result, Arguments... arguments) {
  if (!result)
    return CUBLAS_STATUS_INVALID_VALUE;
  *result = new (std::nothrow) T{arguments...};
  return *result ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

template <class T>
Status destroy(T *object) {
  delete object;
  return CUBLAS_STATUS_SUCCESS;
}

template <class T>
Status set(T *object, int attribute, const void *value, size_t bytes) {
  return object ? object->set(attribute, value, bytes)
                : CUBLAS_STATUS_INVALID_VALUE;
}

} // namespace

HOSTGPU_EXPORT size_t cublasLtGetVersion() { return 130000; }

HOSTGPU_EXPORT Status cublasLtCreate(Handle **handle) { return create(handle); }

HOSTGPU_EXPORT Status cublasLtDestroy(Handle *handle) {
  return handle ? destroy(handle) : CUBLAS_STATUS_NOT_INITIALIZED;
}

HOSTGPU_EXPORT Status cublasLtMatmulDescCreate(MatmulDesc **desc,
                                               int computeType, int scaleType) {
  if (Status status = create(desc))
    return status;
  (*desc)->computeType = computeType;
  (*desc)->scaleType = scaleType;
  return CUBLAS_STATUS_SUCCESS;
}

HOSTGPU_EXPORT Status cublasLtMatmulDescDestroy(MatmulDesc *desc) {
  return destroy(desc);
}

HOSTGPU_EXPORT Status cublasLtMatmulDescSetAttribute(MatmulDesc *desc,
                                                     int attribute,
                                                     const void *value,
                                                     size_t bytes) {
  return set(desc, attribute, value, bytes);
}

HOSTGPU_EXPORT Status cublasLtMatrixLayoutCreate(MatrixLayout **layout,
                                                 int type, uint64_t rows,
                                                 uint64_t columns,
                                                 int64_t leading) {
  if (Status status = create(layout))
    return status;
  (*layout)->type = uint32_t(type);
  (*layout)->rows = rows;
  (*layout)->columns = columns;
  (*layout)->leading = leading;
  return CUBLAS_STATUS_SUCCESS;
}

HOSTGPU_EXPORT Status cublasLtMatrixLayoutDestroy(MatrixLayout *layout) {
  return destroy(layout);
}

HOSTGPU_EXPORT Status cublasLtMatrixLayoutSetAttribute(MatrixLayout *layout,
                                                       int attribute,
                                                       const void *value,
                                                       size_t bytes) {
  return set(layout, attribute, value, bytes);
}

HOSTGPU_EXPORT Status
cublasLtMatmulPreferenceCreate(MatmulPreference **preference) {
  return create(preference);
}

HOSTGPU_EXPORT Status
cublasLtMatmulPreferenceDestroy(MatmulPreference *preference) {
  return destroy(preference);
}

HOSTGPU_EXPORT Status cublasLtMatmulPreferenceSetAttribute(
    MatmulPreference *preference, int attribute, const void *value,
    size_t bytes) {
  return set(preference, attribute, value, bytes);
}

HOSTGPU_EXPORT Status cublasLtMatmulAlgoGetHeuristic(
    Handle *handle, const MatmulDesc *desc, const MatrixLayout *a,
    const MatrixLayout *b, const MatrixLayout *c, const MatrixLayout *d,
    const MatmulPreference *preference, int requested, HeuristicResult *results,
    int *found) {
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!desc || !a || !b || !c || !d || !preference || requested < 1 ||
      !results || !found)
    return CUBLAS_STATUS_INVALID_VALUE;
  *found = 0;
  Product product;
  if (Status status = makeProduct(*desc, *a, *b, *c, *d, product))
    return status;
  if (product.a.type == Type::BF16 && !hasBrainFloats())
    return CUBLAS_STATUS_NOT_SUPPORTED;
  for (uint64_t splits : {1, 2}) {
    Algorithm algorithm{Algorithm::kMark, splits};
    if (*found == requested ||
        algorithm.workspaceBytes(product) > preference->workspaceBytes)
      break;
    HeuristicResult &result = results[(*found)++];
    result = {};
    std::memcpy(result.algorithm, &algorithm, sizeof(algorithm));
    result.workspaceBytes = algorithm.workspaceBytes(product);
    result.state = CUBLAS_STATUS_SUCCESS;
    result.waves = 1;
  }
  return *found ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

HOSTGPU_EXPORT Status cublasLtMatmulAlgoCheck(
    Handle *handle, const MatmulDesc *desc, const MatrixLayout *a,
    const MatrixLayout *b, const MatrixLayout *c, const MatrixLayout *d,
    const void *algorithmWords, HeuristicResult *result) {
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!desc || !a || !b || !c || !d || !algorithmWords || !result)
    return CUBLAS_STATUS_INVALID_VALUE;
  Product product;
  if (Status status = makeProduct(*desc, *a, *b, *c, *d, product))
    return status;
  if (product.a.type == Type::BF16 && !hasBrainFloats())
    return CUBLAS_STATUS_NOT_SUPPORTED;
  Algorithm algorithm;
  std::memcpy(&algorithm, algorithmWords, sizeof(algorithm));
  if (!algorithm.isKnown())
    return CUBLAS_STATUS_NOT_SUPPORTED;
  *result = {};
  result->workspaceBytes = algorithm.workspaceBytes(product);
  result->state = CUBLAS_STATUS_SUCCESS;
  result->waves = 1;
  return CUBLAS_STATUS_SUCCESS;
}

HOSTGPU_EXPORT Status cublasLtMatmul(
    Handle *handle, const MatmulDesc *desc, const void *alpha, const void *a,
    const MatrixLayout *layoutA, const void *b, const MatrixLayout *layoutB,
    const void *beta, const void *c, const MatrixLayout *layoutC, void *d,
    const MatrixLayout *layoutD, const void *algorithmWords, void *workspace,
    size_t workspaceBytes, CUstream stream) {
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!desc || !alpha || !beta || !a || !b || !d || !layoutA || !layoutB ||
      !layoutC || !layoutD)
    return CUBLAS_STATUS_INVALID_VALUE;
  Product product;
  if (Status status =
          makeProduct(*desc, *layoutA, *layoutB, *layoutC, *layoutD, product))
    return status;
  Algorithm algorithm{Algorithm::kMark, 1};
  if (algorithmWords)
    std::memcpy(&algorithm, algorithmWords, sizeof(algorithm));
  if (!algorithm.isKnown())
    return CUBLAS_STATUS_INVALID_VALUE;
  uint64_t needed = algorithm.workspaceBytes(product);
  if (needed > workspaceBytes || (needed && !workspace))
    return CUBLAS_STATUS_INVALID_VALUE;
  product.splits = int(algorithm.splits);
  auto scale = [&](const void *from) {
    return product.inDouble ? *static_cast<const double *>(from)
                            : double(*static_cast<const float *>(from));
  };
  product.alpha = scale(alpha);
  product.beta = scale(beta);
  bool missing =
      (product.beta != 0 && !c) || (product.hasBias && !desc->biasPointer);
  if (missing)
    return CUBLAS_STATUS_INVALID_VALUE;
  auto address = [](const void *pointer) {
    return reinterpret_cast<uint64_t>(pointer);
  };
  AmpcHostGpuWork work = {new Queued{product, address(a), address(b),
                                     address(c), address(d), desc->biasPointer},
                          runProduct, releaseProduct};
  return ampcHostGpuSubmit(stream, &work) == CUDA_SUCCESS
             ? CUBLAS_STATUS_SUCCESS
             : CUBLAS_STATUS_EXECUTION_FAILED;
}
