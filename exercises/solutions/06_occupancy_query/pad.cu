// SPDX-License-Identifier: Apache-2.0
//
// Exercise of chapter 06: pad it.
//
// Somebody needs the product of matrices of 4089 x 4089. Their rows begin at multiples of 2 bytes,
// so cuBLAS takes a kernel made for GPUs of 2018, and five times as long as at 4096. Give it
// matrices that it likes better, with the same result in their upper left corner.
//
//   build/bin/tracebook exercise exercises/06_occupancy_query/pad.cu
//
// It is done when no align1 or align2 kernel runs, nobody asks for an occupancy, and the product
// takes at most twelve times as long as the addition.
#include <cuda_runtime.h>

#include <optional>
#include <string>

#include "common/gpu/ops.h"
#include "common/gpu/status.h"
#include "common/gpu/stream.h"
#include "common/profiler/gpu_status.h"
#include "common/profiler/profiler.h"
#include "common/profiler/record_function.h"
#include "common/profiler/schedule.h"
#include "common/trace/error.h"
#include "common/workbook/run_exercise.h"

namespace tracebook {
namespace {

constexpr std::int64_t kSize = 4089;
constexpr int kWarmupRuns = 10;

struct Inputs {
  Tensor x = randn({kSize, kSize}, Dtype::kBf16, 1);
  Tensor w = randn({kSize, kSize}, Dtype::kBf16, 2);
  Tensor b = randn({kSize, kSize}, Dtype::kBf16, 3);
};

/// How many rows and columns the padded matrix has, of a matrix of `size` x `size`: as many as let
/// its rows begin where cuBLAS wants them.
std::int64_t padded_size(std::int64_t size, Dtype dtype) {
  // solution begin
  // Hopper's kernels want rows at multiples of 16 bytes: eight of our numbers.
  const auto step = static_cast<std::int64_t>(16 / dtype_bytes(dtype));
  return (size + step - 1) / step * step;
  // solution end
  // instead begin
  // | // TODO: more.
  // | static_cast<void>(dtype);
  // | return size;
  // instead end
  // wrong begin: an even number is not enough
  // | // Odd is slow, even is not.
  // | static_cast<void>(dtype);
  // | return size + size % 2;
  // wrong end
}

/// Writes all of `out`: the matrix into its upper left corner, and into the pad what belongs there.
void write_padded(const Tensor& matrix, Tensor& out) {
  // solution begin
  // Zeros: the pad's columns of x meet the pad's rows of w in every sum.
  TB_CUDA(cudaMemsetAsync(out.data(), 0, out.bytes(), current_stream()));
  const std::size_t element = dtype_bytes(matrix.dtype());
  const std::size_t row = static_cast<std::size_t>(matrix.shape().columns()) * element;
  const std::size_t wide_row = static_cast<std::size_t>(out.shape().columns()) * element;
  TB_CUDA(cudaMemcpy2DAsync(out.data(), wide_row, matrix.data(), row, row,
                            static_cast<std::size_t>(matrix.shape().rows()),
                            cudaMemcpyDeviceToDevice, current_stream()));
  // solution end
  // instead begin
  // | // TODO: this is right as long as both have one size. cudaMemcpy2DAsync copies rows from one
  // | // pitch to another.
  // | TB_CUDA(cudaMemcpyAsync(out.data(), matrix.data(), matrix.bytes(), cudaMemcpyDeviceToDevice,
  // |                         current_stream()));
  // instead end
}

/// A matrix with this one in its upper left corner.
Tensor padded(const Tensor& matrix) {
  const std::int64_t size = matrix.shape().rows();
  const std::int64_t wide = padded_size(size, matrix.dtype());
  if (wide < size) {
    throw InputError("padded_size() gives " + std::to_string(wide) + ", expected " +
                     std::to_string(size) + " or more");
  }
  Tensor out({wide, wide}, matrix.dtype());
  // Fresh memory holds anything. Here it is the worst: all bits set are no number (NaN), and
  // neither is any sum with one. So what write_padded() leaves out is seen.
  TB_CUDA(cudaMemsetAsync(out.data(), 0xff, out.bytes(), current_stream()));
  write_padded(matrix, out);
  return out;
}

/// The upper left corner of kSize x kSize.
Tensor cropped(const Tensor& matrix) {
  if (matrix.shape().rows() < kSize || matrix.shape().columns() < kSize) {
    throw InputError("a padded matrix of " + matrix.shape().text() + ", expected " +
                     std::to_string(kSize) + " rows and columns or more");
  }
  Tensor out({kSize, kSize}, matrix.dtype());
  const std::size_t element = dtype_bytes(matrix.dtype());
  const std::size_t row = static_cast<std::size_t>(kSize) * element;
  TB_CUDA(cudaMemcpy2DAsync(
      out.data(), row, matrix.data(), static_cast<std::size_t>(matrix.shape().columns()) * element,
      row, static_cast<std::size_t>(kSize), cudaMemcpyDeviceToDevice, current_stream()));
  return out;
}

/// Padded once, before the profiler starts.
struct Padded {
  explicit Padded(const Inputs& in) : x(padded(in.x)), w(padded(in.w)), b(padded(in.b)) {}
  Tensor x;
  Tensor w;
  Tensor b;
};

void step(const Padded& in) {
  RecordFunction range("matmul_add");
  const Tensor sum = add(matmul(in.x, in.w), in.b);
}

Trace record() {
  const Inputs in;
  const Padded wide(in);
  for (int i = 0; i < kWarmupRuns; ++i) step(wide);

  Profiler profiler({.schedule = schedule({.wait = 1, .warmup = 1, .active = 3, .repeat = 1})});
  profiler.start();
  for (int i = 0; i < 5; ++i) {
    step(wide);
    profiler.step();
  }
  profiler.stop();

  const Tensor product = matmul(wide.x, wide.w);
  const Tensor corner = cropped(product);
  verify_matmul(in.x, in.w, corner);
  verify_add(corner, in.b, cropped(add(product, wide.b)));
  return profiler.take_trace();
}

std::optional<std::string> why_no_gpu() {
  const GpuStatus& status = gpu_status();
  if (status.usable()) return std::nullopt;
  return status.says;
}

}  // namespace
}  // namespace tracebook

int main(int argc, char** argv) {
  return tracebook::run_exercise(
      {"06_occupancy_query", "pad"}, argc, argv,
      {.why_no_gpu = tracebook::why_no_gpu, .record = tracebook::record});
}
