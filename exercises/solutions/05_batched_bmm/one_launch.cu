// SPDX-License-Identifier: Apache-2.0
//
// Exercise of chapter 05: one launch for eight products.
//
// Eight times b + x · w of 64 x 64. Their matrices were made one by one and lie anywhere in the
// GPU's memory, so a step takes sixteen launches. Bring them together once, and let a step launch
// one product of a batch and one addition.
//
//   build/bin/tracebook exercise exercises/05_batched_bmm/one_launch.cu
//
// It is done when a step runs no more than two kernels, and copies nothing.
#include <cuda_runtime.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

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

constexpr std::int64_t kSize = 64;
constexpr int kBatch = 8;
constexpr int kWarmupRuns = 10;

/// Eight matrices of each kind, each in memory of its own.
struct Inputs {
  Inputs() {
    for (std::uint64_t i = 0; i < kBatch; ++i) {
      x.push_back(randn({kSize, kSize}, Dtype::kBf16, 3 * i + 1));
      w.push_back(randn({kSize, kSize}, Dtype::kBf16, 3 * i + 2));
      b.push_back(randn({kSize, kSize}, Dtype::kBf16, 3 * i + 3));
    }
  }

  std::vector<Tensor> x;
  std::vector<Tensor> w;
  std::vector<Tensor> b;
};

// solution begin
/// These matrices one behind the other, as one tensor of three dimensions.
Tensor gathered(const std::vector<Tensor>& matrices) {
  Tensor all({kBatch, kSize, kSize}, Dtype::kBf16);
  auto* place = static_cast<std::byte*>(all.data());
  for (const Tensor& matrix : matrices) {
    TB_CUDA(cudaMemcpyAsync(place, matrix.data(), matrix.bytes(), cudaMemcpyDeviceToDevice,
                            current_stream()));
    place += matrix.bytes();
  }
  return all;
}

/// What the steps work on. Made once, before the profiler starts.
struct Work {
  explicit Work(const Inputs& in) : x(gathered(in.x)), w(gathered(in.w)), b(gathered(in.b)) {}
  Tensor x;
  Tensor w;
  Tensor b;
};

/// The eight results, as one tensor or as eight, in order.
std::vector<Tensor> step(const Work& work) {
  RecordFunction range("matmul_add");
  std::vector<Tensor> results;
  results.push_back(add(matmul(work.x, work.w), work.b));
  return results;
}
// solution end
// instead begin
// | /// What the steps work on. Made once, before the profiler starts.
// | struct Work {
// |   // TODO: tensors of {kBatch, kSize, kSize}, with the matrices copied into them one behind
// |   // the other. matmul makes a batched product of such tensors.
// |   explicit Work(const Inputs& in) : x(in.x), w(in.w), b(in.b) {}
// |   const std::vector<Tensor>& x;
// |   const std::vector<Tensor>& w;
// |   const std::vector<Tensor>& b;
// | };
// |
// | /// The eight results, as one tensor or as eight, in order.
// | std::vector<Tensor> step(const Work& work) {
// |   RecordFunction range("matmul_add");
// |   std::vector<Tensor> results;
// |   for (std::size_t i = 0; i < work.x.size(); ++i) {
// |     results.push_back(add(matmul(work.x[i], work.w[i]), work.b[i]));
// |   }
// |   return results;
// | }
// instead end
// wrong begin: together in every step
// | /// These matrices one behind the other, as one tensor of three dimensions.
// | Tensor gathered(const std::vector<Tensor>& matrices) {
// |   Tensor all({kBatch, kSize, kSize}, Dtype::kBf16);
// |   auto* place = static_cast<std::byte*>(all.data());
// |   for (const Tensor& matrix : matrices) {
// |     TB_CUDA(cudaMemcpyAsync(place, matrix.data(), matrix.bytes(), cudaMemcpyDeviceToDevice,
// |                             current_stream()));
// |     place += matrix.bytes();
// |   }
// |   return all;
// | }
// |
// | /// What the steps work on.
// | struct Work {
// |   explicit Work(const Inputs& in) : x(in.x), w(in.w), b(in.b) {}
// |   const std::vector<Tensor>& x;
// |   const std::vector<Tensor>& w;
// |   const std::vector<Tensor>& b;
// | };
// |
// | /// The eight results, as one tensor or as eight, in order.
// | std::vector<Tensor> step(const Work& work) {
// |   RecordFunction range("matmul_add");
// |   std::vector<Tensor> results;
// |   results.push_back(add(matmul(gathered(work.x), gathered(work.w)), gathered(work.b)));
// |   return results;
// | }
// wrong end

/// Result number `i` as a matrix of its own.
Tensor result_of(const std::vector<Tensor>& results, std::size_t i) {
  Tensor one({kSize, kSize}, Dtype::kBf16);
  const bool together = results.size() == 1;
  const std::size_t bytes = one.bytes() * (together ? kBatch : 1);
  if ((!together && results.size() != kBatch) || results[together ? 0 : i].bytes() != bytes) {
    throw InputError("expected the results as one tensor of 8x64x64 or as eight of 64x64");
  }
  const auto* data = static_cast<const std::byte*>(results[together ? 0 : i].data());
  TB_CUDA(cudaMemcpyAsync(one.data(), data + (together ? i * one.bytes() : 0), one.bytes(),
                          cudaMemcpyDeviceToDevice, current_stream()));
  return one;
}

Trace record() {
  const Inputs in;
  const Work work(in);
  for (int i = 0; i < kWarmupRuns; ++i) step(work);

  Profiler profiler({.schedule = schedule({.wait = 1, .warmup = 1, .active = 3, .repeat = 1})});
  profiler.start();
  for (int i = 0; i < 5; ++i) {
    step(work);
    profiler.step();
  }
  profiler.stop();

  const std::vector<Tensor> results = step(work);
  for (std::size_t i = 0; i < kBatch; ++i) {
    verify_addmm(in.b[i], in.x[i], in.w[i], result_of(results, i));
  }
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
      {"05_batched_bmm", "one_launch"}, argc, argv,
      {.why_no_gpu = tracebook::why_no_gpu, .record = tracebook::record});
}
