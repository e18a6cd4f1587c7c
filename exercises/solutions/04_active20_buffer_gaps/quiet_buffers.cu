// SPDX-License-Identifier: Apache-2.0
//
// Exercise of chapter 04: buffers that nobody hears.
//
// Twenty steps, all recorded, from the first on. With buffers as PyTorch's, 4 MiB of fresh memory,
// the first step waits two milliseconds for one. Choose the profiler's buffers so that it makes no
// gap in any step. The lesson has what you need to reckon with.
//
//   build/bin/tracebook exercise exercises/04_active20_buffer_gaps/quiet_buffers.cu
//
// It is done when no request takes 20 us, no buffer is flushed while the steps run, and one buffer
// is enough, of no more than four times the size that the lesson's numbers give.
#include <optional>
#include <string>

#include "common/gpu/ops.h"
#include "common/profiler/gpu_status.h"
#include "common/profiler/profiler.h"
#include "common/profiler/record_function.h"
#include "common/profiler/schedule.h"
#include "common/workbook/run_exercise.h"

namespace tracebook {
namespace {

constexpr std::int64_t kSize = 64;
constexpr int kWarmupRuns = 10;
constexpr int kSteps = 20;

/// The buffers for a recording of so many steps: BufferOptions in common/profiler/profiler.h.
/// Known from the lesson: with buffers of 2 KiB, twenty of these steps asked for seven.
BufferOptions buffers_for(int steps) {
  // solution begin
  // A buffer that is full is flushed, and a launch that comes meanwhile waits. So none may get
  // full: all steps must fit into the first. Twenty steps took seven buffers of 2 KiB at most, and
  // four times as much leaves room for steps that make more calls.
  constexpr std::size_t kPage = 4096;
  constexpr std::size_t kBytesAStep = std::size_t{4} * 7 * 2048 / 20;
  const std::size_t bytes = static_cast<std::size_t>(steps) * kBytesAStep;
  // A request takes as long as CUPTI needs to zero the buffer, and the system to find its pages.
  // Zeroed by us before the profiler starts, and CUPTI told so, it takes a microsecond at any size.
  return {.bytes = (bytes + kPage - 1) / kPage * kPage, .mode = BufferMode::kZeroed};
  // solution end
  // instead begin
  // | // TODO: how many bytes, and in what state? Say why.
  // | static_cast<void>(steps);
  // | return {.bytes = std::size_t{4} << 20, .mode = BufferMode::kFresh};
  // instead end
  // wrong begin: was flushed while the steps ran
  // | // A small buffer is soon asked for, and there is nothing to zero.
  // | static_cast<void>(steps);
  // | return {.bytes = 2048, .mode = BufferMode::kZeroed};
  // wrong end
}

struct Inputs {
  Tensor x = randn({kSize, kSize}, Dtype::kBf16, 1);
  Tensor w = randn({kSize, kSize}, Dtype::kBf16, 2);
  Tensor b = randn({kSize, kSize}, Dtype::kBf16, 3);
};

void step(const Inputs& in) {
  RecordFunction range("matmul_add");
  const Tensor sum = add(matmul(in.x, in.w), in.b);
}

void verify(const Inputs& in) {
  const Tensor product = matmul(in.x, in.w);
  verify_matmul(in.x, in.w, product);
  verify_add(product, in.b, add(product, in.b));
}

Trace record() {
  const Inputs in;
  for (int i = 0; i < kWarmupRuns; ++i) step(in);

  const BufferOptions buffers = buffers_for(kSteps);
  Profiler profiler({.schedule = schedule({.wait = 0, .warmup = 0, .active = kSteps, .repeat = 1}),
                     .buffers = buffers});
  profiler.start();
  for (int i = 0; i < kSteps; ++i) {
    step(in);
    profiler.step();
  }
  profiler.stop();

  verify(in);
  Trace trace = profiler.take_trace();
  // The trace does not tell it otherwise, and a claim asks for it.
  trace.add_counter("Buffer size", "bytes", static_cast<double>(buffers.bytes),
                    trace.window_ns().first);
  return trace;
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
      {"04_active20_buffer_gaps", "quiet_buffers"}, argc, argv,
      {.why_no_gpu = tracebook::why_no_gpu, .record = tracebook::record});
}
