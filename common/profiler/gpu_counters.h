// SPDX-License-Identifier: Apache-2.0
//
// Samples what the GPU does besides working: SM clock, memory clock, temperature, power, and why
// its driver holds the clocks back. For questions such as why one kernel takes different times.
//
//   GpuCounters counters({.bus_id = "0000:1B:00.0"});   // cudaDeviceGetPCIBusId
//   counters.start();  …  counters.stop();
//   add_counters(trace, counters.samples());            // counter tracks, view `counter`
//
// The numbers come from the driver's management library, NVML, which is loaded at run time. Where
// it is missing, or refuses a query, says() has one line about it and the rest is sampled: nothing
// here throws for the want of a counter. A thread asks every `period`; start() and stop() ask once
// themselves, so that the shortest run has two samples. Times are those of clock.h, as the trace's.
//
// The driver may measure less often than it is asked, power above all: neighbouring samples may be
// one reading. What a round of queries costs, gpu_counters_live_test prints.
//
// start() and stop() from one thread. The destructor stops, and lets go of NVML.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/profiler/nvml_table.h"
#include "common/trace/trace.h"

namespace tracebook {

enum class GpuCounter : std::uint8_t {
  kSmClock,       ///< "SM clock", MHz
  kMemoryClock,   ///< "Memory clock", MHz
  kTemperature,   ///< "Temperature", °C
  kPower,         ///< "Power", W: now, or the mean of the last second where says() says so
  kClockReasons,  ///< "Clock event reasons", a bit mask: clock_reasons()
};
inline constexpr int kGpuCounterCount = static_cast<int>(GpuCounter::kClockReasons) + 1;

/// The counter's name in a trace, and that of its series: its unit ("MHz", "C", "W", "mask").
const char* counter_name(GpuCounter counter);
const char* counter_series(GpuCounter counter);

/// What a mask of nvmlDeviceGetCurrentClocksEventReasons says: "idle", "power cap, thermal
/// slowdown", or "none" where nothing holds the clocks back.
std::string clock_reasons(std::uint64_t mask);

struct GpuCounterSample {
  std::int64_t ts_ns = 0;  ///< since 1970, the middle of the query
  double value = 0;
  GpuCounter counter = GpuCounter::kSmClock;
  bool operator==(const GpuCounterSample&) const = default;
};

struct GpuCounterOptions {
  /// The GPU as cudaDeviceGetPCIBusId names it; "": the driver's first one.
  std::string bus_id = {};
  std::chrono::microseconds period = std::chrono::milliseconds(1);
  /// How many samples are kept, of all counters together; of more, the latest. 24 bytes each,
  /// reserved beforehand: 50 s at the usual period.
  std::size_t capacity = std::size_t{1} << 18;
  std::string library = "libnvidia-ml.so.1";
  /// Asked in the library's place, for tests. Must outlive the GpuCounters.
  const NvmlTable* nvml = nullptr;
};

class GpuCounters {
 public:
  /// Loads NVML and asks for each counter once. UsageError for a period or capacity of 0.
  explicit GpuCounters(GpuCounterOptions options = {});
  ~GpuCounters();
  GpuCounters(const GpuCounters&) = delete;
  GpuCounters& operator=(const GpuCounters&) = delete;

  /// Forgets earlier samples and begins. Nothing happens if it is running, or has nothing to ask.
  void start();
  /// Ends the thread. Nothing happens if it is not running.
  void stop();

  /// Whether there is any counter to sample.
  [[nodiscard]] bool available() const;
  /// One line on what is not sampled, and why; "" if all is. Of queries that were refused while
  /// it ran, from stop() on.
  [[nodiscard]] const std::string& says() const;
  /// In order of time. UsageError before stop().
  [[nodiscard]] std::vector<GpuCounterSample> samples() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Appends the samples to trace.others as counters ("ph": "C") of the GPU's process, whose pid is
/// its number, as Kineto's: those within trace.window_ns(), and of each counter the last one before
/// it and the first one behind it, so that a trace shorter than the period has values too. All of
/// them, if the trace has no events.
void add_counters(Trace& trace, std::vector<GpuCounterSample> samples, std::int32_t device = 0);

}  // namespace tracebook
