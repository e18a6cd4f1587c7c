// SPDX-License-Identifier: Apache-2.0
#include "common/gpu/ops.h"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <optional>
#include <string>

#include "common/gpu/elementwise.h"
#include "common/gpu/status.h"
#include "common/gpu/stream.h"
#include "common/profiler/record_function.h"
#include "common/trace/error.h"

namespace tracebook {
namespace {

/// cuBLAS's scratch memory, in the sizes that PyTorch gives it: 32 MiB for Hopper, else 8 MiB and
/// 128 KiB. The size is among the things by which cuBLAS picks a kernel.
std::size_t workspace_bytes() {
  int device = 0;
  int major = 0;
  int minor = 0;
  TB_CUDA(cudaGetDevice(&device));
  TB_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  TB_CUDA(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  constexpr std::size_t kKiB = 1024;
  return major == 9 && minor == 0 ? 32 * kKiB * kKiB : 2 * 4096 * kKiB + 8 * 16 * kKiB;
}

/// A thread's cuBLAS: made by its first product, as in PyTorch, where a cold trace shows it.
class Cublas {
 public:
  Cublas() { TB_CUBLAS(cublasCreate(&handle_)); }
  ~Cublas() { cublasDestroy(handle_); }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;
  Cublas(Cublas&&) = delete;
  Cublas& operator=(Cublas&&) = delete;

  /// Ready for the current stream.
  cublasHandle_t get() {
    cudaStream_t stream = current_stream();
    if (!workspace_ || stream != stream_) {
      // A workspace belongs to the stream whose products use it, one after the other.
      DeviceBuffer workspace(workspace_bytes());
      TB_CUBLAS(cublasSetStream(handle_, stream));
      TB_CUBLAS(cublasSetWorkspace(handle_, workspace.data(), workspace.bytes()));
      workspace_ = std::move(workspace);
      stream_ = stream;
    }
    return handle_;
  }

 private:
  cublasHandle_t handle_ = nullptr;
  cudaStream_t stream_ = nullptr;
  std::optional<DeviceBuffer> workspace_;
};

cublasHandle_t cublas() {
  thread_local Cublas instance;
  return instance.get();
}

cudaDataType_t cuda_type(Dtype dtype) { return dtype == Dtype::kBf16 ? CUDA_R_16BF : CUDA_R_16F; }

/// cuBLAS counts columns first: to it our row-major matrices are transposed, and the row-major
/// product x · w is its product wᵀ · xᵀ, with nothing to transpose.
struct Product {
  int rows, columns, inner;  // of x · w
  std::int64_t batch;
};

void gemm(const Product& p, const Tensor& x, const Tensor& w, Tensor& out) {
  const float one = 1;
  const float zero = 0;
  cublasHandle_t handle = cublas();
  if (x.dtype() == Dtype::kFp32) {
    TB_CUBLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, p.columns, p.rows, p.inner, &one,
                          static_cast<const float*>(w.data()), p.columns,
                          static_cast<const float*>(x.data()), p.inner, &zero,
                          static_cast<float*>(out.data()), p.columns));
    return;
  }
  const cudaDataType_t type = cuda_type(x.dtype());
  TB_CUBLAS(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, p.columns, p.rows, p.inner, &one,
                         w.data(), type, p.columns, x.data(), type, p.inner, &zero, out.data(),
                         type, p.columns, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT_TENSOR_OP));
}

void batched_gemm(const Product& p, const Tensor& x, const Tensor& w, Tensor& out) {
  const float one = 1;
  const float zero = 0;
  const std::int64_t x_stride = x.shape().rows() * x.shape().columns();
  const std::int64_t w_stride = w.shape().rows() * w.shape().columns();
  const std::int64_t out_stride = out.shape().rows() * out.shape().columns();
  const auto batch = static_cast<int>(p.batch);
  cublasHandle_t handle = cublas();
  if (x.dtype() == Dtype::kFp32) {
    TB_CUBLAS(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, p.columns, p.rows,
                                        p.inner, &one, static_cast<const float*>(w.data()),
                                        p.columns, w_stride, static_cast<const float*>(x.data()),
                                        p.inner, x_stride, &zero, static_cast<float*>(out.data()),
                                        p.columns, out_stride, batch));
    return;
  }
  const cudaDataType_t type = cuda_type(x.dtype());
  TB_CUBLAS(cublasGemmStridedBatchedEx(
      handle, CUBLAS_OP_N, CUBLAS_OP_N, p.columns, p.rows, p.inner, &one, w.data(), type, p.columns,
      w_stride, x.data(), type, p.inner, x_stride, &zero, out.data(), type, p.columns, out_stride,
      batch, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT_TENSOR_OP));
}

std::string describe(const Tensor& tensor) {
  return tensor.shape().text() + " " + std::string(dtype_name(tensor.dtype()));
}

Shape product_shape(const Tensor& x, const Tensor& w) {
  const bool fits = x.dtype() == w.dtype() && x.shape().batched() == w.shape().batched() &&
                    x.shape().batch() == w.shape().batch() &&
                    x.shape().columns() == w.shape().rows();
  if (!fits) {
    throw UsageError("matmul of " + describe(x) + " and " + describe(w) +
                     ", expected one dtype, one batch size, and as many columns as rows");
  }
  if (x.shape().batched()) {
    return {x.shape().batch(), x.shape().rows(), w.shape().columns()};
  }
  return {x.shape().rows(), w.shape().columns()};
}

}  // namespace

Tensor randn(const Shape& shape, Dtype dtype, std::uint64_t seed) {
  Tensor out(shape, dtype);
  launch_randn(out.data(), shape.elements(), dtype, seed, current_stream());
  return out;
}

Tensor full(const Shape& shape, Dtype dtype, double value) {
  Tensor out(shape, dtype);
  launch_fill(out.data(), shape.elements(), dtype, static_cast<float>(value), current_stream());
  return out;
}

Tensor matmul(const Tensor& x, const Tensor& w) {
  const RecordFunction matmul_range("aten::matmul", RangeKind::kCpuOp);
  const Shape shape = product_shape(x, w);
  const Product product{.rows = static_cast<int>(shape.rows()),
                        .columns = static_cast<int>(shape.columns()),
                        .inner = static_cast<int>(x.shape().columns()),
                        .batch = shape.batch()};
  const RecordFunction op_range(shape.batched() ? "aten::bmm" : "aten::mm", RangeKind::kCpuOp);
  Tensor out(shape, x.dtype());
  if (shape.batched()) {
    batched_gemm(product, x, w, out);
  } else {
    gemm(product, x, w, out);
  }
  return out;
}

Tensor add(const Tensor& a, const Tensor& b) {
  const RecordFunction range("aten::add", RangeKind::kCpuOp);
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) {
    throw UsageError("add of " + describe(a) + " and " + describe(b) +
                     ", expected the same shape and dtype");
  }
  Tensor out(a.shape(), a.dtype());
  launch_add(a.data(), b.data(), out.data(), a.shape().elements(), a.dtype(), current_stream());
  return out;
}

std::string cublas_version() {
  std::string text;
  for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int value = 0;
    TB_CUBLAS(cublasGetProperty(part, &value));
    text += (text.empty() ? "" : ".") + std::to_string(value);
  }
  return text;
}

}  // namespace tracebook
