// SPDX-License-Identifier: Apache-2.0
//
// Exercise of chapter 07: a steady clock.
//
// A thousand products of 4096 x 4096 without a break: under the power cap the clock comes down, and
// their times spread by some five percent. Measure the thousand at one clock, by letting the GPU
// rest in between. How long may it work, and when does a rest begin?
//
//   build/bin/tracebook exercise exercises/07_variance/steady_clock.cu
//
// It is done when the times spread by less than 1.5 % (standard deviation by mean), and the SM
// clock stays within 10 % of its height.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/gpu/device.h"
#include "common/gpu/ops.h"
#include "common/profiler/gpu_counters.h"
#include "common/profiler/gpu_status.h"
#include "common/profiler/profiler.h"
#include "common/profiler/record_function.h"
#include "common/profiler/schedule.h"
#include "common/trace/error.h"
#include "common/workbook/run_exercise.h"

namespace tracebook {
namespace {

constexpr std::int64_t kSize = 4096;
constexpr int kWarmupRuns = 10;
/// So many steps are recorded, and no fewer: two hundred in a row may be over before the clock
/// falls.
constexpr int kSteps = 1000;

struct Inputs {
  Tensor x = randn({kSize, kSize}, Dtype::kBf16, 1);
  Tensor w = randn({kSize, kSize}, Dtype::kBf16, 2);
  Tensor b = randn({kSize, kSize}, Dtype::kBf16, 3);
};

/// Matrices of one number, zeros above all, take less power: their clock would stay by itself.
void expect_random(const Tensor& matrix) {
  const std::vector<double> row = matrix.row(0, kSize / 2);
  const auto [least, most] = std::minmax_element(row.begin(), row.end());
  if (*most - *least < 1) {
    throw InputError("expected inputs as randn makes them: other numbers take other power");
  }
}

void step(const Inputs& in) {
  RecordFunction range("matmul_add");
  const Tensor sum = add(matmul(in.x, in.w), in.b);
}

/// Calls `one` kSteps times.
template <class One>
void spread_over_time(One one) {
  // solution begin
  // The first stair comes 35 ms after the start. Forty steps take 8 ms: over long before that.
  constexpr int kGroup = 40;
  // Then 100 ms of nothing. So the GPU works a twelfth of the time, and no average of its power
  // comes near the cap, over whatever time it is taken. Much smaller groups would be worse: the
  // first product after a rest is a slow one, and each group has one.
  constexpr std::chrono::milliseconds kRest(100);
  for (int i = 0; i < kSteps; ++i) {
    if (i % kGroup == 0) {
      // Launches return at once. A rest begins when the GPU has done all that it was asked for.
      synchronize_device();
      std::this_thread::sleep_for(kRest);
    }
    one();
  }
  // solution end
  // instead begin
  // | // TODO: in groups, with a rest before each: of the GPU, not only of the CPU.
  // | for (int i = 0; i < kSteps; ++i) one();
  // instead end
  // wrong begin: only the CPU rested
  // | for (int i = 0; i < kSteps; ++i) {
  // |   // The GPU has 40 ms of work in its queue by then, and takes no notice.
  // |   if (i % 200 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  // |   one();
  // | }
  // wrong end
}

Trace record() {
  const Inputs in;
  for (int i = 0; i < kWarmupRuns; ++i) step(in);
  synchronize_device();

  // Clock, temperature and power, read by a thread of its own while the steps run.
  GpuCounters counters({.bus_id = device_bus_id()});
  counters.start();
  Profiler profiler(
      {.schedule = schedule({.wait = 1, .warmup = 1, .active = kSteps, .repeat = 1})});
  const auto one = [&] {
    step(in);
    profiler.step();
  };
  profiler.start();
  one();  // skipped
  one();  // thrown away
  spread_over_time(one);
  profiler.stop();
  counters.stop();
  if (!counters.says().empty()) std::cerr << "steady_clock: " << counters.says() << "\n";

  expect_random(in.x);
  expect_random(in.w);
  const Tensor product = matmul(in.x, in.w);
  verify_matmul(in.x, in.w, product);
  verify_add(product, in.b, add(product, in.b));
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

int main(int argc, char** argv) {
  return tracebook::run_exercise(
      {"07_variance", "steady_clock"}, argc, argv,
      {.why_no_gpu = tracebook::why_no_gpu, .record = tracebook::record});
}
