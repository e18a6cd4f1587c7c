// SPDX-License-Identifier: Apache-2.0
//
// Exercise of chapter 03: a schedule of your own.
//
// The profiler asks before each step what to do in it. Until now schedule() answered. Write the
// answers yourself: as with wait=1, warmup=1, active=3, repeat=1.
//
//   build/bin/tracebook exercise exercises/03_schedule_tweak/own_schedule.cu
//
// It is done when the trace holds steps 2, 3 and 4, no more and no less, is saved with the last of
// them, and the profiler asked for its memory before them. That memory is fresh, as PyTorch's is:
// asking takes two milliseconds.
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
/// The program goes on behind the recorded steps, as programs do.
constexpr int kSteps = 8;

/// Of a schedule that goes round once.
constexpr std::int64_t kWait = 1;    ///< steps of which the profiler knows nothing
constexpr std::int64_t kWarmup = 1;  ///< steps that it records and throws away
constexpr std::int64_t kActive = 3;  ///< steps that are kept

/// What the profiler does during this step, counted from 0. See ProfilerAction in
/// common/profiler/schedule.h.
ProfilerAction action_of(std::int64_t step) {
  // solution begin
  constexpr std::int64_t kFirst = kWait + kWarmup;
  constexpr std::int64_t kLast = kFirst + kActive - 1;
  if (step < kWait || step > kLast) return ProfilerAction::kNone;
  // CUPTI is on, and asks for its first buffer: here it costs no step that is kept.
  if (step < kFirst) return ProfilerAction::kWarmup;
  return step < kLast ? ProfilerAction::kRecord : ProfilerAction::kRecordAndSave;
  // solution end
  // instead begin
  // | // TODO: nothing, then warm-up, then record; save with the last one; nothing again.
  // | const bool over = step >= kWait + kWarmup + kActive;
  // | return over ? ProfilerAction::kNone : ProfilerAction::kRecord;
  // instead end
  // wrong begin: asked for its memory in a step that is kept
  // | // Skip two, keep three. The work is warm, what should warm up?
  // | constexpr std::int64_t kFirst = kWait + kWarmup;
  // | constexpr std::int64_t kLast = kFirst + kActive - 1;
  // | if (step < kFirst || step > kLast) return ProfilerAction::kNone;
  // | return step < kLast ? ProfilerAction::kRecord : ProfilerAction::kRecordAndSave;
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

  Profiler profiler({.schedule = action_of, .buffers = {.mode = BufferMode::kFresh}});
  profiler.start();
  for (int i = 0; i < kSteps; ++i) {
    step(in);
    profiler.step();
  }
  profiler.stop();

  verify(in);
  Trace trace = profiler.take_trace();
  // What each step was answered, for the claims: 0 to 3, as ProfilerAction counts.
  for (int i = 0; i < kSteps; ++i) {
    trace.add_counter("Profiler action", "action", static_cast<double>(action_of(i)),
                      trace.window_ns().second + i);
  }
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
      {"03_schedule_tweak", "own_schedule"}, argc, argv,
      {.why_no_gpu = tracebook::why_no_gpu, .record = tracebook::record});
}
