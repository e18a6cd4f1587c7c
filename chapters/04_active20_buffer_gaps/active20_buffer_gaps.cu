// SPDX-License-Identifier: Apache-2.0
//
// Chapter 04: twenty steps, and the gaps in them.
//
// Question: is that gap mine or the profiler's?
//
//   build/bin/04_active20_buffer_gaps                            twenty steps, PyTorch's buffers
//   build/bin/04_active20_buffer_gaps --buffers zeroed           the same, requests cost nothing
//   build/bin/04_active20_buffer_gaps --activity-buffer 2048     the same, many requests
//   build/bin/04_active20_buffer_gaps --sweep                    all sizes and states, one table
//
// Predict first. A gap between the two kernels of a step can have four causes: the CPU needed that
// long between the two launches; the profiler stopped the CPU to ask for memory; the profiler was
// emptying a full buffer and the launch had to wait; or the GPU kept its queue waiting. Which of
// them do you expect in the first step, and which in the tenth?
//
// Look for
//   - how many `Activity Buffer Request` records there are, how long, and in which steps;
//   - each wide gap beside the distance of its two launches;
//   - what happens to the gaps when one knob changes and everything else stays.
#include <optional>
#include <string>

#include "chapters/04_active20_buffer_gaps/knobs.h"
#include "common/gpu/ops.h"
#include "common/profiler/gpu_status.h"
#include "common/profiler/profiler.h"
#include "common/profiler/record_function.h"
#include "common/profiler/schedule.h"
#include "common/workbook/run_chapter.h"

namespace tracebook {
namespace {

// ------------------------------------------------------------------------------------- the work

constexpr int kWarmupRuns = 10;

struct Inputs {
  explicit Inputs(const Knobs& knobs)
      : x(randn({knobs.size, knobs.size}, dtype_of(knobs.dtype).value(), 1)),
        w(randn({knobs.size, knobs.size}, dtype_of(knobs.dtype).value(), 2)),
        b(randn({knobs.size, knobs.size}, dtype_of(knobs.dtype).value(), 3)) {}

  Tensor x;
  Tensor w;
  Tensor b;
};

/// The step of chapter 01.
void step(const Inputs& in) {
  RecordFunction range("matmul_add");
  const Tensor sum = add(matmul(in.x, in.w), in.b);
}

void verify(const Inputs& in) {
  const Tensor product = matmul(in.x, in.w);
  verify_matmul(in.x, in.w, product);
  verify_add(product, in.b, add(product, in.b));
}

// ------------------------------------------------------------------------------ the measurement

/// The profiler's buffers: how large, and what state their memory is in when CUPTI asks for one.
BufferOptions buffers_of(const Knobs& knobs) {
  const std::string& state = knobs.extra.at("buffers");
  BufferOptions buffers;
  buffers.bytes = std::stoull(knobs.extra.at("activity-buffer"));
  buffers.device_bytes = std::stoull(knobs.extra.at("device-buffer"));
  buffers.mode = BufferMode::kZeroed;
  if (state == "fresh") buffers.mode = BufferMode::kFresh;
  if (state == "touched") buffers.mode = BufferMode::kTouched;
  return buffers;
}

Trace record(const Knobs& knobs) {
  const Inputs in(knobs);
  if (knobs.warmup) {
    for (int i = 0; i < kWarmupRuns; ++i) step(in);
  }

  Profiler profiler({.schedule = schedule({.wait = static_cast<int>(knobs.wait),
                                           .warmup = static_cast<int>(knobs.profiler_warmup),
                                           .active = static_cast<int>(knobs.active),
                                           .repeat = static_cast<int>(knobs.repeat)}),
                     .activities = {.cpu = knobs.record_cpu, .cuda = knobs.record_cuda},
                     .buffers = buffers_of(knobs)});
  profiler.start();
  for (std::int64_t i = 0; i < knobs.step_count(); ++i) {
    step(in);
    profiler.step();
  }
  profiler.stop();

  verify(in);
  return profiler.take_trace();
}

std::optional<std::string> why_no_gpu() {
  const GpuStatus& status = gpu_status();
  if (status.usable()) return std::nullopt;
  return status.says;
}

}  // namespace
}  // namespace tracebook

// ---------------------------------------------------------------------------------- the finding

// Prints the table, the timeline and the claims of expected/04_active20_buffer_gaps/claims.json.
int main(int argc, char** argv) {
  return tracebook::run_chapter(tracebook::kChapter, argc, argv,
                                {.why_no_gpu = tracebook::why_no_gpu, .record = tracebook::record});
}
