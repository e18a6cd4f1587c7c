// SPDX-License-Identifier: Apache-2.0
//
// What a range costs the program that it is in: goals are 3 ns while no profiler records and 60 ns
// while one does.
#include <benchmark/benchmark.h>

#include "common/profiler/clock.h"
#include "common/profiler/record_function.h"

namespace tracebook {
namespace {

void range_off(benchmark::State& state) {
  for (auto _ : state) {
    const RecordFunction range("aten::mm", RangeKind::kCpuOp);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(range_off);

// A window of its own for every batch, as a profiler would have it: an endless one would measure
// the memory it fills.
void range_on(benchmark::State& state) {
  constexpr std::int64_t kBatch = 8'000;
  prepare_ranges();
  while (state.KeepRunningBatch(kBatch)) {
    state.PauseTiming();
    start_ranges();
    state.ResumeTiming();
    for (std::int64_t i = 0; i < kBatch; ++i) {
      const RecordFunction range("aten::mm", RangeKind::kCpuOp);
      benchmark::ClobberMemory();
    }
    state.PauseTiming();
    stop_ranges(clock_now_ns());
    state.ResumeTiming();
  }
}
BENCHMARK(range_on);

void read_clock(benchmark::State& state) {
  start_clock();
  for (auto _ : state) benchmark::DoNotOptimize(clock_ticks());
  state.SetLabel(clock_name());
}
BENCHMARK(read_clock);

}  // namespace
}  // namespace tracebook
