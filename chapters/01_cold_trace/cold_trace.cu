// SPDX-License-Identifier: Apache-2.0
//
// Chapter 01: a cold trace.
//
// Question: where does the time go in add(matmul(x, w), b)?
//
//   build/bin/01_cold_trace                                  64 x 64: who is busy, who waits?
//   build/bin/01_cold_trace --size 4096                      4096 x 4096: the same two ops
//   build/bin/01_cold_trace --wait 0 --profiler-warmup 0     the process's very first steps,
//   recorded
//
// Predict first. One product of 64 x 64 matrices is 2 * 64^3 = 0.5 MFLOP, one of 4096 x 4096 is
// 137 GFLOP, 262,144 times as much. An H200 does about 800,000 GFLOP a second in bf16. How long
// will the GPU work on each? And how long does the CPU need to ask for it: two ops, two launches?
//
// Look for
//   - Self CPU against Self CUDA, in the last two lines of the table: ≫ at 64, < 2x at 4096;
//   - the chain ProfilerStep#2 > matmul_add > aten::matmul > aten::mm > launch > kernel;
//   - the gap between the start of matmul_add and its first op;
//   - the closing cudaDeviceSynchronize, and whether the GPU still works under it.
#include <optional>
#include <string>

#include "chapters/01_cold_trace/knobs.h"
#include "common/gpu/ops.h"
#include "common/profiler/gpu_status.h"
#include "common/profiler/profiler.h"
#include "common/profiler/record_function.h"
#include "common/profiler/schedule.h"
#include "common/workbook/run_chapter.h"

namespace tracebook {
namespace {

// ------------------------------------------------------------------------------------- the work

/// Runs of the step before the profiler starts, with --warmup.
constexpr int kWarmupRuns = 10;

/// Three matrices, the same in every run.
struct Inputs {
  explicit Inputs(const Knobs& knobs)
      : x(randn(shape_of(knobs), dtype_of(knobs.dtype).value(), 1)),
        w(randn(shape_of(knobs), dtype_of(knobs.dtype).value(), 2)),
        b(randn(shape_of(knobs), dtype_of(knobs.dtype).value(), 3)) {}

  static Shape shape_of(const Knobs& knobs) {
    if (knobs.batch > 0) return {knobs.batch, knobs.size, knobs.size};
    return {knobs.size, knobs.size};
  }

  Tensor x;
  Tensor w;
  Tensor b;
};

/// The step: what PyTorch writes as
///     with record_function("matmul_add"):
///         torch.add(torch.matmul(x, w), b)
void step(const Inputs& in) {
  RecordFunction range("matmul_add");
  const Tensor sum = add(matmul(in.x, in.w), in.b);
}  // nobody waits for the GPU here: the CPU goes on as soon as both kernels are asked for

/// A fast wrong answer teaches nothing: both ops against sums in double precision.
void verify(const Inputs& in) {
  const Tensor product = matmul(in.x, in.w);
  verify_matmul(in.x, in.w, product);
  verify_add(product, in.b, add(product, in.b));
}

// ------------------------------------------------------------------------------ the measurement

Trace record(const Knobs& knobs) {
  const Inputs in(knobs);
  if (knobs.warmup) {
    for (int i = 0; i < kWarmupRuns; ++i) step(in);
  }

  // wait: steps that go by unseen. warmup: the profiler is on, its records are thrown away.
  // active: the steps in the trace.
  Profiler profiler({.schedule = schedule({.wait = static_cast<int>(knobs.wait),
                                           .warmup = static_cast<int>(knobs.profiler_warmup),
                                           .active = static_cast<int>(knobs.active),
                                           .repeat = static_cast<int>(knobs.repeat)}),
                     .activities = {.cpu = knobs.record_cpu, .cuda = knobs.record_cuda}});
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

// -------------------------------------------------------------------------------------- the
// finding

// Prints the table, the timeline and the claims of expected/01_cold_trace/claims.json; replays the
// recording made on an H200 where there is no GPU.
int main(int argc, char** argv) {
  return tracebook::run_chapter(tracebook::kChapter, argc, argv,
                                {.why_no_gpu = tracebook::why_no_gpu, .record = tracebook::record});
}
