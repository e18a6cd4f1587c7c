// SPDX-License-Identifier: Apache-2.0
//
// Chapter 07: variance.
//
// Question: why does the same kernel take different times?
//
//   build/bin/07_variance                                 twenty products of 4096 x 4096
//   build/bin/07_variance --active 200                    two hundred
//   build/bin/07_variance --active 200 --idle-ms 1000     the same after a second of rest
//   build/bin/07_variance --spread                        all of them, one table
//
// Predict first. Same kernel, same grid, same numbers, nobody else on the GPU. By how many percent
// do two hundred times differ? Which are slow: the first ones, the last ones, or any?
//
// Look for
//   - median and mean of the product's times, and the few that pull them apart;
//   - the SM clock, temperature and power, sampled while the steps ran, on tracks of their own;
//   - whether a slow product runs at a lower clock, or just does not.
#include <chrono>
#include <iostream>
#include <optional>
#include <string>
#include <thread>

#include "chapters/07_variance/knobs.h"
#include "common/gpu/device.h"
#include "common/gpu/ops.h"
#include "common/profiler/gpu_counters.h"
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

Trace record(const Knobs& knobs) {
  const Inputs in(knobs);
  if (knobs.warmup) {
    for (int i = 0; i < kWarmupRuns; ++i) step(in);
  }

  // A rest begins when the GPU has done all that it was asked for.
  synchronize_device();
  std::this_thread::sleep_for(std::chrono::milliseconds(std::stoll(knobs.extra.at("idle-ms"))));

  // Clock, temperature and power, read by a thread of its own while the steps run.
  GpuCounters counters({.bus_id = device_bus_id()});
  counters.start();
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
  counters.stop();
  if (!counters.says().empty()) std::cerr << "07_variance: " << counters.says() << "\n";

  verify(in);
  Trace trace = profiler.take_trace();
  add_counters(trace, counters.samples());
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

// Prints the table, the timeline and the claims of expected/07_variance/claims.json.
int main(int argc, char** argv) {
  return tracebook::run_chapter(tracebook::kChapter, argc, argv,
                                {.why_no_gpu = tracebook::why_no_gpu, .record = tracebook::record});
}
