// SPDX-License-Identifier: Apache-2.0
#include "common/profiler/gpu_counters.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "common/profiler/clock.h"
#include "common/trace/error.h"

namespace tracebook {
namespace {

struct CounterWords {
  const char* name;
  const char* series;
};
constexpr std::array<CounterWords, kGpuCounterCount> kWords = {{{"SM clock", "MHz"},
                                                                {"Memory clock", "MHz"},
                                                                {"Temperature", "C"},
                                                                {"Power", "W"},
                                                                {"Clock event reasons", "mask"}}};

struct ReasonWords {
  std::uint64_t bit;
  const char* says;
};
/// nvmlClocksEventReason…
constexpr ReasonWords kReasons[] = {{0x1, "idle"},
                                    {0x2, "clocks set by the user"},
                                    {0x4, "power cap"},
                                    {0x8, "hardware slowdown"},
                                    {0x10, "sync boost"},
                                    {0x20, "thermal slowdown"},
                                    {0x40, "hardware thermal slowdown"},
                                    {0x80, "power brake"},
                                    {0x100, "display clocks"}};

constexpr std::size_t index_of(GpuCounter counter) { return static_cast<std::size_t>(counter); }

}  // namespace

const char* counter_name(GpuCounter counter) { return kWords.at(index_of(counter)).name; }
const char* counter_series(GpuCounter counter) { return kWords.at(index_of(counter)).series; }

std::string clock_reasons(std::uint64_t mask) {
  std::string text;
  const auto append = [&text](std::string_view reason) {
    if (!text.empty()) text += ", ";
    text += reason;
  };
  for (const ReasonWords& reason : kReasons) {
    if ((mask & reason.bit) != 0) append(reason.says);
    mask &= ~reason.bit;
  }
  if (mask != 0) append("unknown");
  return text.empty() ? "none" : text;
}

class GpuCounters::Impl {
 public:
  explicit Impl(GpuCounterOptions options) : options_(std::move(options)) {
    if (options_.period.count() <= 0) {
      throw UsageError("the period of GPU counters must be longer than 0");
    }
    if (options_.capacity == 0) throw UsageError("GPU counters need room for at least one sample");
    start_clock();
    open();
    if (device_ == nullptr) return;
    double value = 0;
    // Once and for all, so that a track of power has one meaning.
    instant_power_ = nvml_->field_values != nullptr;
    instant_power_ = instant_power_ && ask_power(value) == kNvmlSuccess;
    for (int i = 0; i < kGpuCounterCount; ++i) {
      const auto counter = static_cast<GpuCounter>(i);
      result_.at(index_of(counter)) = ask(counter, value);
    }
    describe();
    if (available()) ring_.resize(options_.capacity);  // touched: no page fault while sampling
  }

  ~Impl() {
    end_thread();
    if (nvml_ != nullptr) nvml_->shutdown();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void start() {
    if (running_ || !available()) return;
    taken_ = 0;
    thread_error_.clear();
    stopping_ = false;
    running_ = true;
    sample();
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error& error) {
      thread_error_ = error.code().message();
    }
  }

  void stop() {
    if (!running_) return;
    end_thread();
    sample();
    running_ = false;
    describe();
  }

  [[nodiscard]] bool available() const {
    return device_ != nullptr && std::ranges::count(result_, kNvmlSuccess) > 0;
  }
  [[nodiscard]] const std::string& says() const { return says_; }

  [[nodiscard]] std::vector<GpuCounterSample> samples() const {
    if (running_) throw UsageError("stop the GPU counters before taking their samples");
    const std::size_t kept = std::min(taken_, ring_.size());
    std::vector<GpuCounterSample> samples;
    samples.reserve(kept);
    for (std::size_t i = taken_ - kept; i < taken_; ++i) samples.push_back(ring_[i % ring_.size()]);
    return samples;
  }

 private:
  void open() {
    const NvmlTable* table = options_.nvml;
    if (table == nullptr) {
      library_ = std::make_unique<NvmlLibrary>(options_.library);
      table = library_->table();
      if (table == nullptr) return refuse(library_->says());
    }
    if (const NvmlReturn result = table->init(); result != kNvmlSuccess) {
      return refuse(std::string("nvmlInit says: ") + table->error_string(result));
    }
    nvml_ = table;
    const std::string& bus = options_.bus_id;
    const NvmlReturn result = bus.empty() ? nvml_->device_by_index(0, &device_)
                                          : nvml_->device_by_bus_id(bus.c_str(), &device_);
    if (result == kNvmlSuccess) return;
    device_ = nullptr;
    refuse("NVML does not give out the GPU" + (bus.empty() ? "" : " at " + bus) + ": " +
           nvml_->error_string(result));
  }
  void refuse(const std::string& why) { says_ = "no GPU counters are sampled: " + why; }

  [[nodiscard]] NvmlReturn ask(GpuCounter counter, double& value) {
    unsigned small = 0;
    unsigned long long mask = 0;
    NvmlReturn result = kNvmlFunctionNotFound;
    switch (counter) {
      case GpuCounter::kSmClock:
      case GpuCounter::kMemoryClock:
        if (nvml_->clock != nullptr) {
          result = nvml_->clock(
              device_, counter == GpuCounter::kSmClock ? kNvmlClockSm : kNvmlClockMem, &small);
        }
        value = small;
        break;
      case GpuCounter::kTemperature:
        if (nvml_->temperature != nullptr) {
          result = nvml_->temperature(device_, kNvmlTemperatureGpu, &small);
        }
        value = small;
        break;
      case GpuCounter::kPower:
        return ask_power(value);
      case GpuCounter::kClockReasons:
        if (nvml_->clocks_event_reasons != nullptr) {
          result = nvml_->clocks_event_reasons(device_, &mask);
        }
        value = static_cast<double>(mask);
        break;
    }
    return result;
  }

  [[nodiscard]] NvmlReturn ask_power(double& value) {
    constexpr double kMilli = 1000;
    if (instant_power_) {
      NvmlFieldValue field{.field = kNvmlPowerInstant};
      const NvmlReturn result = nvml_->field_values(device_, 1, &field);
      value = static_cast<double>(field.value) / kMilli;
      return result == kNvmlSuccess ? field.result : result;
    }
    if (nvml_->power_usage == nullptr) return kNvmlFunctionNotFound;
    unsigned milliwatts = 0;
    const NvmlReturn result = nvml_->power_usage(device_, &milliwatts);
    value = milliwatts / kMilli;
    return result;
  }

  /// Every counter once. What is refused is not asked for again.
  void sample() noexcept {
    for (int i = 0; i < kGpuCounterCount; ++i) {
      const auto counter = static_cast<GpuCounter>(i);
      NvmlReturn& result = result_[index_of(counter)];
      if (result != kNvmlSuccess) continue;
      double value = 0;
      const std::int64_t begin_ns = clock_now_ns();
      result = ask(counter, value);
      const std::int64_t end_ns = clock_now_ns();
      if (result != kNvmlSuccess) continue;
      ring_[taken_++ % ring_.size()] = {
          .ts_ns = begin_ns + (end_ns - begin_ns) / 2, .value = value, .counter = counter};
    }
  }

  void run() noexcept {
    using Clock = std::chrono::steady_clock;
    auto next = Clock::now() + options_.period;
    const auto is_over = [&] {
      std::unique_lock lock(mutex_);
      return wake_.wait_until(lock, next, [this] { return stopping_; });
    };
    while (!is_over()) {
      sample();
      next = std::max(next + options_.period, Clock::now());  // late samples are not made up for
    }
  }

  void end_thread() noexcept {
    if (!thread_.joinable()) return;
    {
      const std::scoped_lock lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  void describe() {
    says_.clear();
    const auto append = [this](const std::string& text) {
      says_ += says_.empty() ? "GPU counters: " : "; ";
      says_ += text;
    };
    for (int i = 0; i < kGpuCounterCount; ++i) {
      const NvmlReturn result = result_.at(static_cast<std::size_t>(i));
      if (result == kNvmlSuccess) continue;
      append(std::string("no ") + counter_name(static_cast<GpuCounter>(i)) + " (" +
             nvml_->error_string(result) + ")");
    }
    if (!instant_power_ && result_.at(index_of(GpuCounter::kPower)) == kNvmlSuccess) {
      append("Power is the mean of the last second on GPUs after the A100");
    }
    if (taken_ > ring_.size()) {
      append("room for " + std::to_string(ring_.size()) + " samples, the " +
             std::to_string(taken_ - ring_.size()) + " before them are lost");
    }
    if (!thread_error_.empty()) append("only the two ends are sampled (" + thread_error_ + ")");
  }

  GpuCounterOptions options_;
  std::unique_ptr<NvmlLibrary> library_;
  const NvmlTable* nvml_ = nullptr;  // once initialised
  NvmlDevice device_ = nullptr;
  std::array<NvmlReturn, kGpuCounterCount> result_{};  // of the last query, per counter
  bool instant_power_ = false;  // NVML_FI_DEV_POWER_INSTANT, else nvmlDeviceGetPowerUsage
  std::string says_;
  std::string thread_error_;

  // The thread writes these between start() and stop(), and nobody else does.
  std::vector<GpuCounterSample> ring_;
  std::size_t taken_ = 0;

  bool running_ = false;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;  // under mutex_
};

GpuCounters::GpuCounters(GpuCounterOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
GpuCounters::~GpuCounters() = default;
void GpuCounters::start() { impl_->start(); }
void GpuCounters::stop() { impl_->stop(); }
bool GpuCounters::available() const { return impl_->available(); }
const std::string& GpuCounters::says() const { return impl_->says(); }
std::vector<GpuCounterSample> GpuCounters::samples() const { return impl_->samples(); }

namespace {

/// `{"W": 312.4}`, in the fewest digits that give the value back.
/// Those from … to …, and of each counter the last one before and the first one behind.
std::vector<GpuCounterSample> around(const std::vector<GpuCounterSample>& samples,
                                     std::int64_t from_ns, std::int64_t to_ns) {
  using Seen = std::array<bool, kGpuCounterCount>;
  const auto is_first = [](Seen& seen, const GpuCounterSample& sample) {
    return !std::exchange(seen.at(index_of(sample.counter)), true);
  };
  Seen before{};
  Seen behind{};
  std::vector<GpuCounterSample> kept;
  for (auto sample = samples.rbegin(); sample != samples.rend(); ++sample) {
    if (sample->ts_ns < from_ns && is_first(before, *sample)) kept.push_back(*sample);
  }
  std::ranges::reverse(kept);
  for (const GpuCounterSample& sample : samples) {
    if (sample.ts_ns >= from_ns && (sample.ts_ns <= to_ns || is_first(behind, sample))) {
      kept.push_back(sample);
    }
  }
  return kept;
}

}  // namespace

void add_counters(Trace& trace, std::vector<GpuCounterSample> samples, std::int32_t device) {
  std::ranges::stable_sort(samples, {}, &GpuCounterSample::ts_ns);
  if (const auto window = trace.window_ns(); window != std::pair<std::int64_t, std::int64_t>()) {
    samples = around(samples, window.first + trace.head.base_time_ns,
                     window.second + trace.head.base_time_ns);
  }
  for (const GpuCounterSample& sample : samples) {
    trace.add_counter(counter_name(sample.counter), counter_series(sample.counter), sample.value,
                      sample.ts_ns - trace.head.base_time_ns, EventId{.number = device});
  }
}

}  // namespace tracebook
