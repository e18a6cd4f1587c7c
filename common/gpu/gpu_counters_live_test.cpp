// SPDX-License-Identifier: Apache-2.0
#include "common/profiler/gpu_counters.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "common/gpu/live_test.h"
#include "common/gpu/ops.h"
#include "common/gpu/status.h"
#include "common/profiler/profiler.h"
#include "common/trace/reader.h"
#include "common/trace/writer.h"

namespace tracebook {
namespace {

using GpuCountersLiveTest = LiveTest;

std::string bus_id() {
  std::array<char, 32> text{};
  TB_CUDA(cudaDeviceGetPCIBusId(text.data(), text.size(), 0));
  return text.data();
}

std::map<GpuCounter, std::vector<GpuCounterSample>> by_counter(
    const std::vector<GpuCounterSample>& samples) {
  std::map<GpuCounter, std::vector<GpuCounterSample>> found;
  for (const GpuCounterSample& sample : samples) found[sample.counter].push_back(sample);
  return found;
}

/// Products on the GPU for about that long.
void keep_busy(std::chrono::milliseconds time) {
  const Tensor x = randn({4096, 4096}, Dtype::kBf16, 1);
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    matmul(x, x);
    TB_CUDA(cudaDeviceSynchronize());
  }
}

TEST_F(GpuCountersLiveTest, SamplesAreWhatAGpuCanBe) {
  GpuCounters counters({.bus_id = bus_id()});
  if (!counters.available()) GTEST_SKIP() << counters.says();
  EXPECT_EQ(counters.says().find("Function Not Found"), std::string::npos)
      << "a function of NVML is misspelt: " << counters.says();
  counters.start();
  keep_busy(std::chrono::milliseconds(200));
  counters.stop();
  const auto samples = counters.samples();
  EXPECT_TRUE(std::ranges::is_sorted(samples, {}, &GpuCounterSample::ts_ns));
  auto found = by_counter(samples);
  struct Range {
    double least;
    double most;
  };
  const std::map<GpuCounter, Range> ranges = {{GpuCounter::kSmClock, {100, 4'000}},
                                              {GpuCounter::kMemoryClock, {100, 20'000}},
                                              {GpuCounter::kTemperature, {5, 120}},
                                              {GpuCounter::kPower, {1, 3'000}}};
  for (const auto& [counter, range] : ranges) {
    if (!found.contains(counter)) continue;  // refused here, as says() tells
    EXPECT_GE(found[counter].size(), 2U);
    for (const GpuCounterSample& sample : found[counter]) {
      EXPECT_GE(sample.value, range.least) << counter_name(counter);
      EXPECT_LE(sample.value, range.most) << counter_name(counter);
    }
  }
  ASSERT_TRUE(found.contains(GpuCounter::kSmClock)) << counters.says();
  // What sampling costs, for the record.
  for (const auto& [counter, values] : found) {
    const auto [least, most] = std::ranges::minmax(values, {}, &GpuCounterSample::value);
    std::cout << counter_name(counter) << ": " << values.size() << " samples, " << least.value
              << " to " << most.value << " " << counter_series(counter) << "\n";
  }
  std::cout << "one round of " << found.size() << " queries: "
            << static_cast<double>(samples.back().ts_ns -
                                   samples[samples.size() - found.size()].ts_ns) /
                   1e3
            << " us\n"
            << counters.says() << "\n";
}

TEST_F(GpuCountersLiveTest, TheyStandInTheRecordingThatTheyWereTakenBeside) {
  if (!gpu_status().cupti_refuses.empty()) GTEST_SKIP() << gpu_status().cupti_refuses;
  GpuCounters counters({.bus_id = bus_id()});
  if (!counters.available()) GTEST_SKIP() << counters.says();
  keep_busy(std::chrono::milliseconds(1));  // cuBLAS is loaded
  counters.start();
  Profiler profiler;
  profiler.start();
  keep_busy(std::chrono::milliseconds(50));
  profiler.stop();
  counters.stop();
  Trace trace = profiler.take_trace();
  const auto window = trace.window_ns();
  add_counters(trace, counters.samples());
  EXPECT_EQ(trace.window_ns(), window);

  int inside = 0;
  for (const OtherEvent& event : trace.others) {
    if (event.phase != 'C' || trace.strings.view(event.name) != "SM clock") continue;
    if (event.ts_ns >= window.first && event.ts_ns <= window.second) ++inside;
  }
  EXPECT_GE(inside, 2) << "one clock: samples of these 50 ms lie within the trace";
  const ReadResult read = read_trace_text(write_trace_text(trace), "live.json");
  EXPECT_EQ(first_difference(trace, read.trace), "");
}

}  // namespace
}  // namespace tracebook
