// SPDX-License-Identifier: Apache-2.0
//
// Chapter 03: another schedule.
//
// Question: what happens before the first recorded step?
//
//   build/bin/03_schedule_tweak                      wait=0, warmup=0: the first step is recorded
//   build/bin/03_schedule_tweak --buffers zeroed     the same, the profiler's memory made ready
//   build/bin/03_schedule_tweak --no-warmup          the same in a cold process
//   build/bin/03_schedule_tweak --offsets            from step to launch to kernel, run by run
//
// Predict first. The step has run ten times, cuBLAS is warm, and the schedule now throws nothing
// away. Will the first recorded step be as fast as the others? If not, whose time is it?
//
// Look for
//   - the lane of the profiler's own costs, and `Activity Buffer Request` on it;
//   - the offset between CPU and GPU, split: step to launch, launch to kernel. Which part is large?
//   - where the request lies: before the first launch, or inside it? Which kernel is late then?
//   - what remains of the gap between the two kernels once the buffers are zeroed beforehand.
#include <optional>
#include <string>

#include "chapters/03_schedule_tweak/knobs.h"
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

/// How the memory looks that CUPTI is given for its records. Fresh pages are what PyTorch gives it.
BufferMode mode_of(const std::string& buffers) {
  if (buffers == "fresh") return BufferMode::kFresh;
  return buffers == "touched" ? BufferMode::kTouched : BufferMode::kZeroed;
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
                     .buffers = {.mode = mode_of(knobs.extra.at("buffers"))}});
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

// Prints the table, the timeline and the claims of expected/03_schedule_tweak/claims.json.
int main(int argc, char** argv) {
  return tracebook::run_chapter(tracebook::kChapter, argc, argv,
                                {.why_no_gpu = tracebook::why_no_gpu, .record = tracebook::record});
}
