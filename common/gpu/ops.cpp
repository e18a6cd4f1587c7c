// SPDX-License-Identifier: Apache-2.0
#include "common/gpu/ops.h"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <string>

#include "common/gpu/cublas.h"
#include "common/gpu/elementwise.h"
#include "common/gpu/lt_matmul.h"
#include "common/gpu/status.h"
#include "common/gpu/stream.h"
#include "common/profiler/record_function.h"
#include "common/trace/error.h"

namespace tracebook {
namespace {

cudaDataType_t cuda_type(Dtype dtype) { return dtype == Dtype::kBf16 ? CUDA_R_16BF : CUDA_R_16F; }

/// cuBLAS counts columns first: to it our row-major matrices are transposed, and the row-major
/// product x · w is its product wᵀ · xᵀ, with nothing to transpose.
struct Product {
  int rows, columns, inner;  // of x · w
  std::int64_t batch;
};

/// out = x · w + beta · out.
void gemm(const Product& p, const Tensor& x, const Tensor& w, Tensor& out, float beta = 0) {
  const float one = 1;
  cublasHandle_t handle = cublas();
  if (x.dtype() == Dtype::kFp32) {
    TB_CUBLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, p.columns, p.rows, p.inner, &one,
                          static_cast<const float*>(w.data()), p.columns,
                          static_cast<const float*>(x.data()), p.inner, &beta,
                          static_cast<float*>(out.data()), p.columns));
    return;
  }
  const cudaDataType_t type = cuda_type(x.dtype());
  TB_CUBLAS(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, p.columns, p.rows, p.inner, &one,
                         w.data(), type, p.columns, x.data(), type, p.inner, &beta, out.data(),
                         type, p.columns, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT_TENSOR_OP));
}

void int8_gemm(const Product& p, const Tensor& x, const Tensor& w, Tensor& out) {
  const std::int32_t one = 1;
  const std::int32_t zero = 0;
  TB_CUBLAS(cublasGemmEx(cublas(), CUBLAS_OP_N, CUBLAS_OP_N, p.columns, p.rows, p.inner, &one,
                         w.data(), CUDA_R_8I, p.columns, x.data(), CUDA_R_8I, p.inner, &zero,
                         out.data(), CUDA_R_32I, p.columns, CUBLAS_COMPUTE_32I,
                         CUBLAS_GEMM_DEFAULT_TENSOR_OP));
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

Product product_of(const Tensor& x, const Shape& shape) {
  return {.rows = static_cast<int>(shape.rows()),
          .columns = static_cast<int>(shape.columns()),
          .inner = static_cast<int>(x.shape().columns()),
          .batch = shape.batch()};
}

/// cuBLAS has no kernel for other sizes of whole numbers.
Tensor int_mm(const Tensor& x, const Tensor& w) {
  const RecordFunction range("aten::_int_mm", RangeKind::kCpuOp);
  const Shape shape = product_shape(x, w);
  const Product product = product_of(x, shape);
  if (shape.batched() || product.columns % 4 != 0 || product.inner % 4 != 0) {
    throw UsageError("matmul of " + describe(x) + " and " + describe(w) +
                     ", expected for int8 two matrices whose columns are multiples of 4");
  }
  Tensor out(shape, Dtype::kInt32);
  int8_gemm(product, x, w, out);
  return out;
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
  if (x.dtype() == Dtype::kInt8) return int_mm(x, w);
  const RecordFunction matmul_range("aten::matmul", RangeKind::kCpuOp);
  const Shape shape = product_shape(x, w);
  const Product product = product_of(x, shape);
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

Tensor matmul(const Tensor& x, const Tensor& w, const LtMatmul& plan) {
  const RecordFunction matmul_range("aten::matmul", RangeKind::kCpuOp);
  const RecordFunction op_range("aten::mm", RangeKind::kCpuOp);
  Tensor out(product_shape(x, w), x.dtype());
  plan.run(x, w, nullptr, out);
  return out;
}

Tensor addmm(const Tensor& b, const Tensor& x, const Tensor& w) {
  const RecordFunction range("aten::addmm", RangeKind::kCpuOp);
  const Shape shape = product_shape(x, w);
  if (shape.batched() || b.shape() != shape || b.dtype() != x.dtype() ||
      x.dtype() == Dtype::kInt8) {
    throw UsageError("addmm of " + describe(b) + ", " + describe(x) + " and " + describe(w) +
                     ", expected matrices of one dtype, the first of the product's shape");
  }
  Tensor out(shape, x.dtype());
  TB_CUDA(cudaMemcpyAsync(out.data(), b.data(), out.bytes(), cudaMemcpyDeviceToDevice,
                          current_stream()));
  gemm(product_of(x, shape), x, w, out, /*beta=*/1);
  return out;
}

Tensor addmm(const Tensor& b, const Tensor& x, const Tensor& w, const LtMatmul& plan) {
  const RecordFunction range("aten::addmm", RangeKind::kCpuOp);
  Tensor out(product_shape(x, w), x.dtype());
  plan.run(x, w, &b, out);
  return out;
}

int add_blocks_per_sm(Dtype dtype) { return add_kernel_blocks_per_sm(dtype); }

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
