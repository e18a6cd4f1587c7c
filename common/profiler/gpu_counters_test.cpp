// SPDX-License-Identifier: Apache-2.0
//
// The sampler on an NVML of our own, and the counters in a trace.
#include "common/profiler/gpu_counters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "common/profiler/clock.h"
#include "common/trace/error.h"
#include "common/trace/hand_made.h"
#include "common/trace/reader.h"
#include "common/trace/redact.h"
#include "common/trace/writer.h"

namespace tracebook {
namespace {

using namespace std::chrono_literals;

constexpr NvmlReturn kNotSupported = 3;  // NVML_ERROR_NOT_SUPPORTED
constexpr NvmlReturn kNotFound = 6;      // NVML_ERROR_NOT_FOUND

/// What the fake answers, and how often it was asked.
struct FakeGpu {
  NvmlReturn init = kNvmlSuccess;
  NvmlReturn handle = kNvmlSuccess;
  NvmlReturn temperature = kNvmlSuccess;
  NvmlReturn instant_power = kNvmlSuccess;
  int clock_answers = 1'000'000;  ///< so many queries of a clock are answered, the others refused
  std::string bus_id;
  std::atomic<int> clock_queries = 0;
  std::atomic<int> temperature_queries = 0;
  std::atomic<int> opened = 0;
  std::atomic<int> closed = 0;
};
FakeGpu* fake = nullptr;

NvmlTable fake_table() {
  NvmlTable table;
  table.init = [] {
    ++fake->opened;
    return fake->init;
  };
  table.shutdown = [] {
    ++fake->closed;
    return kNvmlSuccess;
  };
  table.error_string = [](NvmlReturn result) {
    return result == kNotSupported ? "Not Supported" : "Something Else";
  };
  table.device_by_index = [](unsigned, NvmlDevice* device) {
    *device = fake;
    return fake->handle;
  };
  table.device_by_bus_id = [](const char* bus_id, NvmlDevice* device) {
    fake->bus_id = bus_id;
    *device = fake;
    return fake->handle;
  };
  table.clock = [](NvmlDevice, NvmlClockType type, unsigned* mhz) {
    *mhz = type == kNvmlClockSm ? 1980 : type == kNvmlClockMem ? 3201 : 0;
    return fake->clock_queries++ < fake->clock_answers ? kNvmlSuccess : kNotSupported;
  };
  table.temperature = [](NvmlDevice, NvmlSensor, unsigned* celsius) {
    ++fake->temperature_queries;
    *celsius = 41;
    return fake->temperature;
  };
  table.power_usage = [](NvmlDevice, unsigned* mw) {
    *mw = 99'000;
    return kNvmlSuccess;
  };
  table.field_values = [](NvmlDevice, int count, NvmlFieldValue* fields) {
    EXPECT_EQ(count, 1);
    EXPECT_EQ(fields->field, 186U);
    EXPECT_EQ(fields->scope, 0U);
    fields->value = 312'418;
    fields->result = fake->instant_power;
    return kNvmlSuccess;
  };
  table.clocks_event_reasons = [](NvmlDevice, unsigned long long* mask) {
    *mask = 4;
    return kNvmlSuccess;
  };
  return table;
}

class GpuCountersTest : public testing::Test {
 protected:
  GpuCountersTest() { fake = &gpu_; }
  ~GpuCountersTest() override { fake = nullptr; }

  [[nodiscard]] GpuCounterOptions options() const { return {.nvml = &table_}; }

  FakeGpu gpu_;
  NvmlTable table_ = fake_table();
};

std::map<GpuCounter, std::vector<double>> by_counter(const GpuCounters& counters) {
  std::map<GpuCounter, std::vector<double>> values;
  for (const GpuCounterSample& sample : counters.samples()) {
    values[sample.counter].push_back(sample.value);
  }
  return values;
}

TEST_F(GpuCountersTest, TheShortestRunHasTwoSamplesOfEach) {
  GpuCounterOptions wished = options();
  wished.period = 1h;
  GpuCounters counters(wished);
  EXPECT_TRUE(counters.available());
  EXPECT_EQ(counters.says(), "");
  const std::int64_t begin_ns = clock_now_ns();
  counters.start();
  counters.stop();
  const std::int64_t end_ns = clock_now_ns();
  using enum GpuCounter;
  EXPECT_EQ(by_counter(counters),
            (std::map<GpuCounter, std::vector<double>>{{kSmClock, {1980, 1980}},
                                                       {kMemoryClock, {3201, 3201}},
                                                       {kTemperature, {41, 41}},
                                                       {kPower, {312.418, 312.418}},
                                                       {kClockReasons, {4, 4}}}));
  EXPECT_GE(counters.samples().front().ts_ns, begin_ns);
  EXPECT_LE(counters.samples().back().ts_ns, end_ns);
}

TEST_F(GpuCountersTest, SamplesWhileItRunsAndNotAfterwards) {
  GpuCounterOptions wished = options();
  wished.period = 200us;
  GpuCounters counters(wished);
  counters.start();
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  while (gpu_.temperature_queries < 20 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_THROW((void)counters.samples(), UsageError);
  counters.stop();
  const int queries = gpu_.temperature_queries;
  EXPECT_GE(queries, 20);
  EXPECT_EQ(counters.samples().size(), static_cast<std::size_t>(5 * (queries - 1)))
      << "all but those of the constructor";
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(gpu_.temperature_queries, queries);
  EXPECT_TRUE(std::ranges::is_sorted(counters.samples(), {}, &GpuCounterSample::ts_ns));
}

TEST_F(GpuCountersTest, SamplesNoMoreOftenThanWished) {
  GpuCounterOptions wished = options();
  wished.period = 20ms;
  GpuCounters counters(wished);
  const auto begin = std::chrono::steady_clock::now();
  counters.start();
  std::this_thread::sleep_for(90ms);
  counters.stop();
  const auto most = (std::chrono::steady_clock::now() - begin) / wished.period + 2;
  EXPECT_LE(static_cast<long>(by_counter(counters)[GpuCounter::kPower].size()), most);
}

TEST_F(GpuCountersTest, StartsAndStopsAsOftenAsOneLikes) {
  GpuCounterOptions wished = options();
  wished.period = 1h;
  GpuCounters counters(wished);
  counters.stop();
  EXPECT_TRUE(counters.samples().empty());
  counters.start();
  counters.start();
  counters.stop();
  const auto first = counters.samples();
  counters.stop();
  EXPECT_EQ(counters.samples(), first);
  EXPECT_EQ(first.size(), 10U);
  counters.start();
  counters.stop();
  const auto second = counters.samples();
  EXPECT_EQ(second.size(), 10U) << "those of the first run are forgotten";
  EXPECT_GT(second.front().ts_ns, first.back().ts_ns);
}

TEST_F(GpuCountersTest, LetsGoOfNvmlOnce) {
  {
    GpuCounters counters(options());
    counters.start();  // and the destructor stops it
    EXPECT_EQ(gpu_.closed, 0);
  }
  EXPECT_EQ(gpu_.opened, 1);
  EXPECT_EQ(gpu_.closed, 1);
}

TEST_F(GpuCountersTest, ARefusedQueryLeavesTheOthers) {
  gpu_.temperature = kNotSupported;
  table_.clocks_event_reasons = nullptr;
  GpuCounters counters(options());
  EXPECT_TRUE(counters.available());
  EXPECT_EQ(counters.says(),
            "GPU counters: no Temperature (Not Supported); no Clock event reasons "
            "(Something Else)");
  counters.start();
  counters.stop();
  EXPECT_EQ(gpu_.temperature_queries, 1) << "not asked again";
  const auto values = by_counter(counters);
  EXPECT_EQ(values.count(GpuCounter::kTemperature), 0U);
  EXPECT_GE(values.at(GpuCounter::kSmClock).size(), 2U);
  EXPECT_GE(values.at(GpuCounter::kPower).size(), 2U);
}

TEST_F(GpuCountersTest, AQueryRefusedLaterIsSaidAtTheEnd) {
  gpu_.clock_answers = 4;  // both clocks: in the constructor and at the start
  GpuCounterOptions wished = options();
  wished.period = 1h;
  GpuCounters counters(wished);
  EXPECT_EQ(counters.says(), "");
  counters.start();
  counters.stop();
  EXPECT_EQ(counters.says(),
            "GPU counters: no SM clock (Not Supported); no Memory clock (Not Supported)");
  EXPECT_EQ(by_counter(counters)[GpuCounter::kSmClock], (std::vector<double>{1980}));
  EXPECT_EQ(by_counter(counters)[GpuCounter::kTemperature].size(), 2U);
}

TEST_F(GpuCountersTest, TakesTheMeanPowerWhereThereIsNoOther) {
  gpu_.instant_power = kNotSupported;
  GpuCounters counters(options());
  EXPECT_EQ(counters.says(),
            "GPU counters: Power is the mean of the last second on GPUs after the A100");
  counters.start();
  counters.stop();
  EXPECT_EQ(by_counter(counters)[GpuCounter::kPower].front(), 99);
}

TEST_F(GpuCountersTest, KeepsTheLatestSamples) {
  GpuCounterOptions wished = options();
  wished.period = 1h;
  wished.capacity = 7;
  GpuCounters counters(wished);
  counters.start();
  const std::int64_t between_ns = clock_now_ns();
  counters.stop();
  const auto samples = counters.samples();
  ASSERT_EQ(samples.size(), 7U);
  EXPECT_TRUE(std::ranges::is_sorted(samples, {}, &GpuCounterSample::ts_ns));
  EXPECT_LT(samples[1].ts_ns, between_ns);
  EXPECT_GT(samples[2].ts_ns, between_ns);
  EXPECT_EQ(samples.back().counter, GpuCounter::kClockReasons);
  EXPECT_EQ(counters.says(), "GPU counters: room for 7 samples, the 3 before them are lost");
}

TEST_F(GpuCountersTest, AsksForTheGpuByItsBus) {
  GpuCounterOptions wished = options();
  wished.bus_id = "0000:1B:00.0";
  const GpuCounters counters(wished);
  EXPECT_EQ(gpu_.bus_id, "0000:1B:00.0");
}

void expect_nothing(GpuCounters& counters, const std::string& says) {
  EXPECT_FALSE(counters.available());
  EXPECT_EQ(counters.says(), says);
  counters.start();
  counters.stop();
  EXPECT_TRUE(counters.samples().empty());
  EXPECT_EQ(counters.says(), says);
}

TEST_F(GpuCountersTest, WithoutAGpuThereIsNothing) {
  gpu_.handle = kNotFound;
  GpuCounterOptions wished = options();
  GpuCounters first(wished);
  expect_nothing(first,
                 "no GPU counters are sampled: NVML does not give out the GPU: Something Else");
  wished.bus_id = "0000:1B:00.0";
  GpuCounters of_bus(wished);
  expect_nothing(of_bus,
                 "no GPU counters are sampled: NVML does not give out the GPU at 0000:1B:00.0: "
                 "Something Else");
}

TEST_F(GpuCountersTest, WithoutADriverThereIsNothing) {
  gpu_.init = kNotFound;
  {
    GpuCounters counters(options());
    expect_nothing(counters, "no GPU counters are sampled: nvmlInit says: Something Else");
  }
  EXPECT_EQ(gpu_.closed, 0) << "what was not opened is not closed";
}

TEST(GpuCounters, WithoutTheLibraryThereIsNothing) {
  GpuCounters missing({.library = "libnothing-of-this-name.so.1"});
  expect_nothing(missing,
                 "no GPU counters are sampled: there is no libnothing-of-this-name.so.1, which "
                 "comes with NVIDIA's driver");
  GpuCounters another({.library = "libm.so.6"});
  expect_nothing(another, "no GPU counters are sampled: libm.so.6 has no nvmlInit_v2");
}

TEST(GpuCounters, RefuseOptionsThatMakeNoSense) {
  EXPECT_THROW(GpuCounters({.period = 0us}), UsageError);
  EXPECT_THROW(GpuCounters({.capacity = 0}), UsageError);
}

TEST(ClockReasons, AreWords) {
  EXPECT_EQ(clock_reasons(0), "none");
  EXPECT_EQ(clock_reasons(1), "idle");
  EXPECT_EQ(clock_reasons(0x24), "power cap, thermal slowdown");
  EXPECT_EQ(clock_reasons(0x1ff),
            "idle, clocks set by the user, power cap, hardware slowdown, sync boost, thermal "
            "slowdown, hardware thermal slowdown, power brake, display clocks");
  EXPECT_EQ(clock_reasons(0x4004), "power cap, unknown");
}

// ---- in a trace ------------------------------------------------------------------------------

constexpr std::int64_t kBase_ns = 1'790'857'026'000'000'000;

/// A trace from 1,000 to 5,000 ns behind its base.
HandMade short_trace() {
  HandMade made;
  made.trace.head.base_time_ns = kBase_ns;
  made.op("aten::mm", 1'000, 3'000);
  made.kernel("gemm", 2'000, 5'000);
  return made;
}

GpuCounterSample at(std::int64_t ns, double value, GpuCounter counter = GpuCounter::kSmClock) {
  return {.ts_ns = kBase_ns + ns, .value = value, .counter = counter};
}

/// "name ts_ns args", one line a counter.
std::string counters_of(const Trace& trace) {
  std::string text;
  for (const OtherEvent& event : trace.others) {
    if (event.phase != 'C') continue;
    text += std::string(trace.strings.view(event.name)) + " " + std::to_string(event.ts_ns) + " " +
            std::string(trace.args(event.args)) + "\n";
  }
  return text;
}

TEST(AddCounters, KeepsTheWindowAndWhatIsNextToIt) {
  using enum GpuCounter;
  HandMade made = short_trace();
  add_counters(made.trace,
               {at(-500, 210), at(-400, 41, kTemperature), at(100, 345), at(1'000, 1980),
                at(2'500, 1965), at(2'500, 312.418, kPower), at(5'000, 1980), at(5'001, 1755),
                at(6'000, 42, kTemperature), at(7'000, 345)});
  EXPECT_EQ(counters_of(made.trace),
            "Temperature -400 {\"C\": 41}\n"
            "SM clock 100 {\"MHz\": 345}\n"
            "SM clock 1000 {\"MHz\": 1980}\n"
            "SM clock 2500 {\"MHz\": 1965}\n"
            "Power 2500 {\"W\": 312.418}\n"
            "SM clock 5000 {\"MHz\": 1980}\n"
            "SM clock 5001 {\"MHz\": 1755}\n"
            "Temperature 6000 {\"C\": 42}\n");
}

TEST(AddCounters, SortsWhatIsNot) {
  HandMade made = short_trace();
  add_counters(made.trace, {at(4'000, 4), at(2'000, 2), at(3'000, 3)});
  EXPECT_EQ(counters_of(made.trace),
            "SM clock 2000 {\"MHz\": 2}\nSM clock 3000 {\"MHz\": 3}\nSM clock 4000 {\"MHz\": 4}\n");
}

TEST(AddCounters, AnEmptyTraceGetsAll) {
  Trace trace;
  add_counters(trace, {at(1, 7), at(2, 8)});
  EXPECT_EQ(trace.others.size(), 2U);
}

TEST(AddCounters, NoSamplesLeaveATraceAsItIs) {
  HandMade made = short_trace();
  const Trace before = made.trace;
  add_counters(made.trace, {});
  EXPECT_EQ(first_difference(before, made.trace), "");
  EXPECT_EQ(made.trace.tracks.size(), before.tracks.size());
}

TEST(AddCounters, AreWrittenAsChromesFormatWantsThem) {
  HandMade made = short_trace();
  add_counters(made.trace, {at(2'500, 312.4, GpuCounter::kPower)}, 1);
  const auto json = nlohmann::ordered_json::parse(write_trace_text(made.trace));
  EXPECT_EQ(json["traceEvents"].back().dump(),
            nlohmann::ordered_json::parse(R"({"name": "Power", "ph": "C", "pid": 1, "tid": 0,
                                              "ts": 2.5, "args": {"W": 312.4}})")
                .dump());
}

TEST(AddCounters, ReadBackTheyAreTheSame) {
  using enum GpuCounter;
  for (const std::int64_t stream : {7, 0}) {  // 0: the counters' own pid and tid
    HandMade made = short_trace();
    made.kernel("add", 3'000, 4'000, {.stream = stream});
    made.gpu_span("step", 3'000, 4'000, {.stream = stream});
    OtherEvent instant;
    instant.name = made.trace.strings.intern("Record Window End");
    instant.track =
        made.trace.track_of(TrackKind::kOther, {.is_text = true}, {.is_text = true}, -1);
    instant.ts_ns = 9'000;
    made.trace.others.push_back(instant);
    add_counters(made.trace, {at(-1'234'567, 1980), at(2'001, 312.418, kPower),
                              at(2'002, 0.001, kPower), at(2'003, 41, kTemperature),
                              at(2'004, 4, kClockReasons), at(9'000'001, 345, kMemoryClock)});
    const ReadResult read = read_trace_text(write_trace_text(made.trace), "text");
    EXPECT_EQ(first_difference(made.trace, read.trace), "") << stream;
    EXPECT_TRUE(read.trace.issues.empty());
    EXPECT_EQ(read.trace.window_ns(), made.trace.window_ns());
  }
}

TEST(AddCounters, RedactedTheyKeepTheirNames) {
  using enum GpuCounter;
  HandMade made = short_trace();
  add_counters(made.trace, {at(2'001, 1980, kSmClock), at(2'002, 3201, kMemoryClock),
                            at(2'003, 41, kTemperature), at(2'004, 312.4, kPower),
                            at(2'005, 4, kClockReasons)});
  const std::string before = counters_of(made.trace);
  EXPECT_TRUE(redact(made.trace).empty());
  EXPECT_EQ(counters_of(made.trace), before);
}

}  // namespace
}  // namespace tracebook
