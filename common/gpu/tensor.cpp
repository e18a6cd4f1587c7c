// SPDX-License-Identifier: Apache-2.0
#include "common/gpu/tensor.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "common/gpu/status.h"
#include "common/gpu/stream.h"
#include "common/trace/error.h"

namespace tracebook {
namespace {

template <class Number>
double number_at(const std::byte* data) {
  Number number;
  std::memcpy(&number, data, sizeof(number));
  if constexpr (std::is_arithmetic_v<Number>) {
    return static_cast<double>(number);
  } else {
    return static_cast<double>(static_cast<float>(number));
  }
}

double value_at(const std::byte* data, Dtype dtype) {
  switch (dtype) {
    case Dtype::kBf16:
      return number_at<__nv_bfloat16>(data);
    case Dtype::kFp16:
      return number_at<__half>(data);
    case Dtype::kFp32:
      return number_at<float>(data);
    case Dtype::kInt8:
      return number_at<std::int8_t>(data);
    case Dtype::kInt32:
      return number_at<std::int32_t>(data);
  }
  return 0;
}

/// `count` elements, `stride` elements apart, as doubles.
std::vector<double> read_elements(const Tensor& tensor, std::int64_t first, std::int64_t count,
                                  std::int64_t stride) {
  const std::size_t size = dtype_bytes(tensor.dtype());
  const auto elements = static_cast<std::size_t>(count);
  std::vector<std::byte> raw(elements * size);
  const auto* source =
      static_cast<const std::byte*>(tensor.data()) + static_cast<std::size_t>(first) * size;
  TB_CUDA(cudaMemcpy2DAsync(raw.data(), size, source, static_cast<std::size_t>(stride) * size, size,
                            elements, cudaMemcpyDeviceToHost, current_stream()));
  TB_CUDA(cudaStreamSynchronize(current_stream()));
  std::vector<double> values(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    values[i] = value_at(raw.data() + i * size, tensor.dtype());
  }
  return values;
}

/// The same for elements side by side: one copy, whatever their number.
std::vector<double> read_span(const Tensor& tensor, std::int64_t first, std::int64_t count) {
  const std::size_t size = dtype_bytes(tensor.dtype());
  const auto elements = static_cast<std::size_t>(count);
  std::vector<std::byte> raw(elements * size);
  const auto* source =
      static_cast<const std::byte*>(tensor.data()) + static_cast<std::size_t>(first) * size;
  TB_CUDA(
      cudaMemcpyAsync(raw.data(), source, raw.size(), cudaMemcpyDeviceToHost, current_stream()));
  TB_CUDA(cudaStreamSynchronize(current_stream()));
  std::vector<double> values(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    values[i] = value_at(raw.data() + i * size, tensor.dtype());
  }
  return values;
}

}  // namespace

std::string_view dtype_name(Dtype dtype) {
  switch (dtype) {
    case Dtype::kBf16:
      return "bf16";
    case Dtype::kFp16:
      return "fp16";
    case Dtype::kFp32:
      return "fp32";
    case Dtype::kInt8:
      return "int8";
    case Dtype::kInt32:
      return "int32";
  }
  return "";
}

std::optional<Dtype> dtype_of(std::string_view name) {
  for (const Dtype dtype :
       {Dtype::kBf16, Dtype::kFp16, Dtype::kFp32, Dtype::kInt8, Dtype::kInt32}) {
    if (dtype_name(dtype) == name) return dtype;
  }
  return std::nullopt;
}

std::size_t dtype_bytes(Dtype dtype) {
  switch (dtype) {
    case Dtype::kBf16:
    case Dtype::kFp16:
      return 2;
    case Dtype::kInt8:
      return 1;
    case Dtype::kFp32:
    case Dtype::kInt32:
      break;
  }
  return 4;
}

double dtype_rounding(Dtype dtype) {
  switch (dtype) {
    case Dtype::kBf16:
      return 0x1p-8;  // 8 significant bits, the hidden one included
    case Dtype::kFp16:
      return 0x1p-11;  // 11
    case Dtype::kFp32:
      return 0x1p-24;  // 24
    case Dtype::kInt8:
    case Dtype::kInt32:
      break;
  }
  return 0;
}

Shape::Shape(std::initializer_list<std::int64_t> sizes) : batched_(sizes.size() == 3) {
  if (sizes.size() != 2 && sizes.size() != 3) {
    throw UsageError("a shape of " + std::to_string(sizes.size()) +
                     " sizes, expected rows and columns, or batch, rows and columns");
  }
  std::size_t place = 3 - sizes.size();
  // What cuBLAS takes as a size, and bounded so that the product does not overflow.
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  constexpr double kMostElements = 0x1p50;
  double elements = 1;
  for (const std::int64_t size : sizes) {
    if (size < 1 || size > kMost) {
      throw UsageError("a size of " + std::to_string(size) + ", expected 1 to " +
                       std::to_string(kMost));
    }
    elements *= static_cast<double>(size);
    sizes_[place++] = size;
  }
  if (elements > kMostElements) {
    throw UsageError("a tensor of shape " + text() + ", expected fewer than 2^50 elements");
  }
}

std::string Shape::text() const {
  const std::string matrix = std::to_string(rows()) + "x" + std::to_string(columns());
  return batched_ ? std::to_string(batch()) + "x" + matrix : matrix;
}

Tensor::Tensor(const Shape& shape, Dtype dtype)
    : shape_(shape),
      dtype_(dtype),
      memory_(static_cast<std::size_t>(shape.elements()) * dtype_bytes(dtype)) {}

std::vector<double> Tensor::to_host() const { return read_span(*this, 0, shape_.elements()); }

std::vector<double> Tensor::row(std::int64_t batch, std::int64_t row) const {
  return read_span(*this, (batch * shape_.rows() + row) * shape_.columns(), shape_.columns());
}

std::vector<double> Tensor::column(std::int64_t batch, std::int64_t column) const {
  return read_elements(*this, batch * shape_.rows() * shape_.columns() + column, shape_.rows(),
                       shape_.columns());
}

}  // namespace tracebook
