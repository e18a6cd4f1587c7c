// SPDX-License-Identifier: Apache-2.0
//
// Exercise of chapter 02: ready for the first request.
//
// A server answers requests; each is chapter 01's step, a product and an addition of 64 x 64. The
// first one takes about 100 ms, because the process does everything for the first time. Write what
// the server does before it opens its door, so that the first request is answered like the others.
//
//   build/bin/tracebook exercise exercises/02_warmup/ready.cu
//
// It is done when the first request takes less than 1.5 ms and no code is loaded during any. The
// profiler records from the first request on: nothing is skipped, nothing is thrown away.
#include <optional>
#include <string>

#include "common/gpu/cublas.h"
#include "common/gpu/device.h"
#include "common/gpu/ops.h"
#include "common/profiler/gpu_status.h"
#include "common/profiler/profiler.h"
#include "common/profiler/record_function.h"
#include "common/profiler/schedule.h"
#include "common/workbook/run_exercise.h"

namespace tracebook {
namespace {

constexpr std::int64_t kSize = 64;
constexpr int kRequests = 3;

Tensor answer(const Tensor& x, const Tensor& w, const Tensor& b) {
  RecordFunction range("matmul_add");
  return add(matmul(x, w), b);
}

/// Called once, before there is any request. It knows what shape the matrices of the requests will
/// have, and not yet a single number of them.
void make_ready(const Shape& shape, Dtype dtype) {
  // TODO: bring in everything that the first request would have to wait for.
  static_cast<void>(shape);
  static_cast<void>(dtype);
}

Trace record() {
  make_ready({kSize, kSize}, Dtype::kBf16);

  // The requests come in. All three ask the same.
  const Tensor x = randn({kSize, kSize}, Dtype::kBf16, 11);
  const Tensor w = randn({kSize, kSize}, Dtype::kBf16, 12);
  const Tensor b = randn({kSize, kSize}, Dtype::kBf16, 13);

  Profiler profiler(
      {.schedule = schedule({.wait = 0, .warmup = 0, .active = kRequests, .repeat = 1})});
  profiler.start();
  for (int i = 0; i < kRequests; ++i) {
    const Tensor sum = answer(x, w, b);
    profiler.step();
  }
  profiler.stop();

  const Tensor product = matmul(x, w);
  verify_matmul(x, w, product);
  verify_add(product, b, answer(x, w, b));
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
      {"02_warmup", "ready"}, argc, argv,
      {.why_no_gpu = tracebook::why_no_gpu, .record = tracebook::record});
}
