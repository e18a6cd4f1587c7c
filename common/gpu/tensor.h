// SPDX-License-Identifier: Apache-2.0
//
// A dense, row-major matrix, or a batch of them, in GPU memory: as much of a tensor as the chapters
// need. Memory comes from a caching allocator (buffer.h), so that a step in steady state allocates
// nothing, as in PyTorch.
//
//   Tensor x = randn({64, 64}, Dtype::kBf16, 1);       // 64 x 64
//   Tensor batch = randn({8, 64, 64}, Dtype::kBf16, 1);
//   std::vector<double> values = x.to_host();
//
// Moves, does not copy. Its memory may be reused by work that the same stream gets later. Not for
// concurrent use.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/gpu/buffer.h"

namespace tracebook {

/// kInt8 is an operand of matmul and nothing else, kInt32 what comes of it.
enum class Dtype : std::uint8_t { kBf16, kFp16, kFp32, kInt8, kInt32 };

/// "bf16", "fp16", "fp32", "int8", "int32".
std::string_view dtype_name(Dtype dtype);
/// The dtype of such a name, or nothing.
std::optional<Dtype> dtype_of(std::string_view name);
/// Bytes of an element.
std::size_t dtype_bytes(Dtype dtype);
/// What rounding to the dtype may cost, relatively (the unit roundoff): 2^-p for p significant
/// bits; 2^-8 for bf16, 2^-11 for fp16, 2^-24 for fp32, 0 for whole numbers.
double dtype_rounding(Dtype dtype);

/// {rows, columns} or {batch, rows, columns}.
class Shape {
 public:
  /// UsageError unless there are two or three sizes of 1 or more that fit an int.
  Shape(std::initializer_list<std::int64_t> sizes);

  [[nodiscard]] std::int64_t batch() const { return sizes_[0]; }
  [[nodiscard]] std::int64_t rows() const { return sizes_[1]; }
  [[nodiscard]] std::int64_t columns() const { return sizes_[2]; }
  [[nodiscard]] bool batched() const { return batched_; }
  [[nodiscard]] std::int64_t elements() const { return sizes_[0] * sizes_[1] * sizes_[2]; }
  /// "64x64" or "8x64x64".
  [[nodiscard]] std::string text() const;
  bool operator==(const Shape&) const = default;

 private:
  std::array<std::int64_t, 3> sizes_{1, 1, 1};
  bool batched_ = false;
};

class Tensor {
 public:
  /// Memory for it, with arbitrary content. InputError, with what was needed and what was free, if
  /// it does not fit.
  Tensor(const Shape& shape, Dtype dtype);

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] Dtype dtype() const { return dtype_; }
  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(shape_.elements()) * dtype_bytes(dtype_);
  }
  [[nodiscard]] void* data() { return memory_.data(); }
  [[nodiscard]] const void* data() const { return memory_.data(); }

  /// All elements, row by row. Waits for the stream.
  [[nodiscard]] std::vector<double> to_host() const;
  /// One row, or one column, of one matrix. Waits for the stream.
  [[nodiscard]] std::vector<double> row(std::int64_t batch, std::int64_t row) const;
  [[nodiscard]] std::vector<double> column(std::int64_t batch, std::int64_t column) const;

 private:
  Shape shape_;
  Dtype dtype_;
  DeviceBuffer memory_;
};

}  // namespace tracebook
