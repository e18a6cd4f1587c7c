// SPDX-License-Identifier: Apache-2.0
//
// Chapter 06: the occupancy query.
//
// Question: why does matmul plan its launch, and add not?
//
//   build/bin/06_occupancy_query                            64: Hopper's own path
//   build/bin/06_occupancy_query --size 66                  rows of 132 bytes: aligned to 4 only
//   build/bin/06_occupancy_query --size 63                  rows of 126 bytes: aligned to 2
//   build/bin/06_occupancy_query --dtype int8 --size 1024   whole numbers
//   build/bin/06_occupancy_query --size 4095                4096 less one: what does that save?
//   build/bin/06_occupancy_query --paths                    all of them, one table
//
// Predict first. cuBLAS holds hundreds of kernels and picks one for your sizes. 4095 is less work
// than 4096: which one is faster, and by how much?
//
// Look for
//   - a call named …OccupancyMaxActiveBlocksPerMultiprocessor… before a launch, and where none is;
//   - the kernel's name: nvjet, cutlass_80, cutlass_75, and the align at its end;
//   - registers, shared memory, and how many blocks of a kernel fit on one multiprocessor.
#include <optional>
#include <string>

#include "chapters/06_occupancy_query/knobs.h"
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
        b(randn({knobs.size, knobs.size}, result_of(dtype_of(knobs.dtype).value()), 3)) {}

  /// Products of bytes are summed in 32 bits.
  static Dtype result_of(Dtype dtype) { return dtype == Dtype::kInt8 ? Dtype::kInt32 : dtype; }

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

/// Asks the driver how many blocks of the add kernel fit on a multiprocessor at a time, and writes
/// its answer into the trace, beside what the trace's own numbers say (the kernel view's
/// active_blocks).
void ask_driver(const Knobs& knobs, Trace& trace) {
  const Dtype dtype = Inputs::result_of(dtype_of(knobs.dtype).value());
  trace.add_counter("Driver: blocks per SM", "add_kernel", add_blocks_per_sm(dtype),
                    trace.window_ns().second);
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
                     .activities = {.cpu = knobs.record_cpu, .cuda = knobs.record_cuda}});
  profiler.start();
  for (std::int64_t i = 0; i < knobs.step_count(); ++i) {
    step(in);
    profiler.step();
  }
  profiler.stop();

  verify(in);
  Trace trace = profiler.take_trace();
  ask_driver(knobs, trace);
  return trace;
}

std::optional<std::string> why_no_gpu() {
  const GpuStatus& status = gpu_status();
  if (status.usable()) return std::nullopt;
  return status.says;
}

}  // namespace
}  // namespace tracebook

// ---------------------------------------------------------------------------------- the finding

// Prints the table, the timeline and the claims of expected/06_occupancy_query/claims.json.
int main(int argc, char** argv) {
  return tracebook::run_chapter(tracebook::kChapter, argc, argv,
                                {.why_no_gpu = tracebook::why_no_gpu, .record = tracebook::record});
}
