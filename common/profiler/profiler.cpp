// SPDX-License-Identifier: Apache-2.0
#include "common/profiler/profiler.h"

#include <cuda_runtime_api.h>

#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include "common/profiler/build_trace.h"
#include "common/profiler/clock.h"
#include "common/profiler/cupti/session.h"
#include "common/profiler/environment.h"
#include "common/profiler/gpu_status.h"
#include "common/profiler/record_function.h"
#include "common/trace/error.h"

namespace tracebook {
namespace {

std::atomic<bool> a_profiler_runs{false};

constexpr bool records(ProfilerAction action) {
  return action == ProfilerAction::kRecord || action == ProfilerAction::kRecordAndSave;
}

void check_options(const ProfilerOptions& options) {
  constexpr std::size_t kLeast = std::size_t{1} << 10;
  constexpr std::size_t kMost = std::size_t{1} << 30;
  if (options.buffers.bytes < kLeast || options.buffers.bytes > kMost) {
    throw UsageError("activity buffers of " + std::to_string(options.buffers.bytes) +
                     " bytes, expected 1024 (1 KiB) to 1073741824 (1 GiB)");
  }
  if (!options.activities.cpu && !options.activities.cuda) {
    throw UsageError("the profiler has no activities to record, expected cpu, cuda or both");
  }
}

void synchronize() {
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) {
    throw InputError(std::string("the GPU reports an error of the work before: ") +
                     cudaGetErrorString(error) + " (" + cudaGetErrorName(error) + ")");
  }
}

}  // namespace

class Profiler::Impl {
 public:
  explicit Impl(ProfilerOptions options) : options_(std::move(options)) { check_options(options_); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  Impl(Impl&&) = delete;
  Impl& operator=(Impl&&) = delete;
  ~Impl() {
    if (running_) abandon();
  }

  void start() {
    if (running_) throw UsageError("this profiler has been started, expected stop() first");
    if (options_.activities.cuda) {
      const GpuStatus& status = gpu_status();
      if (!status.usable()) throw CannotJudge(status.says);
    }
    if (a_profiler_runs.exchange(true)) {
      throw UsageError("another profiler is running in this process, expected one at a time");
    }
    running_ = true;
    trace_.reset();
    step_ = 0;
    phase_ = Phase::kOff;
    guarded([&] { enter(action_of(0)); });
  }

  void step() {
    if (!running_) throw UsageError("step() of a profiler that is not running");
    step_range_.reset();
    guarded([&] {
      if (phase_ == Phase::kRecording && saves_) finish_window();
      ++step_;
      enter(action_of(step_));
    });
  }

  void stop() {
    if (!running_) throw UsageError("stop() of a profiler that is not running");
    step_range_.reset();
    guarded([&] {
      if (phase_ == Phase::kRecording) finish_window();
      turn_off();
    });
    running_ = false;
    a_profiler_runs = false;
  }

  Trace take_trace() {
    if (!trace_) {
      throw UsageError(
          "no step was recorded, so there is no trace: the schedule expects more steps");
    }
    Trace trace = std::move(*trace_);
    trace_.reset();
    return trace;
  }

  [[nodiscard]] bool has_trace() const { return trace_.has_value(); }
  [[nodiscard]] std::int64_t step_number() const { return step_; }
  [[nodiscard]] const BufferStats& buffer_stats() const { return stats_; }

 private:
  enum class Phase : std::uint8_t { kOff, kWarm, kRecording };

  [[nodiscard]] ProfilerAction action_of(std::int64_t step) const {
    return options_.schedule ? options_.schedule(step) : ProfilerAction::kRecord;
  }

  /// Leaves nothing running behind an error.
  template <class Work>
  void guarded(Work work) {
    try {
      work();
    } catch (...) {
      abandon();
      throw;
    }
  }

  void abandon() noexcept {
    step_range_.reset();
    if (recording_ranges()) stop_ranges(clock_now_ns());
    if (options_.activities.cuda) CuptiSession::instance().discard();
    phase_ = Phase::kOff;
    running_ = false;
    a_profiler_runs = false;
  }

  void enter(ProfilerAction action) {
    saves_ = action == ProfilerAction::kRecordAndSave;
    if (records(action)) {
      if (phase_ != Phase::kRecording) begin_window();
    } else {
      // A schedule of the user's own may go from recording to anything: torch ends the window too.
      if (phase_ == Phase::kRecording) finish_window();
      if (action == ProfilerAction::kWarmup) {
        turn_on();
      } else {
        turn_off();
      }
    }
    if (options_.schedule && options_.activities.cpu) {
      step_range_.emplace("ProfilerStep#" + std::to_string(step_));
    }
  }

  void turn_on() {
    if (phase_ != Phase::kOff) return;
    // Asked here, where time does not count: it takes some milliseconds.
    environment_ = describe_environment(options_.activities.cuda);
    prepare_ranges();
    if (options_.activities.cuda) {
      CuptiSession::instance().enable(options_.buffers, options_.op_links, options_.cuda_sync);
    }
    phase_ = Phase::kWarm;
  }

  void turn_off() {
    if (phase_ == Phase::kOff) return;
    if (options_.activities.cuda) CuptiSession::instance().discard();
    phase_ = Phase::kOff;
  }

  void begin_window() {
    // Before CUPTI is on, if it is not: the call would be the first to ask for a buffer, and a
    // schedule without warm-up is there to show what that costs a step.
    if (options_.activities.cuda && options_.synchronize_at_start) synchronize();
    turn_on();
    const bool push = options_.activities.cuda && options_.op_links == OpLinks::kByCupti;
    window_.start_ns = clock_now_ns();
    if (options_.activities.cpu) {
      start_ranges(push ? CuptiSession::correlation_hooks() : CorrelationHooks{});
    }
    phase_ = Phase::kRecording;
  }

  void finish_window() {
    // Ranges end before the synchronisation, which is therefore in none: as in PyTorch's traces.
    const RangeLog ranges = options_.activities.cpu ? stop_ranges(clock_now_ns()) : RangeLog{};
    ActivityRecords records;
    if (options_.activities.cuda) {
      synchronize();
      window_.end_ns = clock_now_ns();
      CuptiSession::instance().disable();
      window_.disabled_ns = clock_now_ns();
      records = CuptiSession::instance().collect();
      stats_ = CuptiSession::instance().buffer_stats();
    } else {
      window_.end_ns = clock_now_ns();
      window_.disabled_ns = window_.end_ns;
    }
    phase_ = Phase::kOff;
    trace_ =
        build_trace(window_, ranges, records, environment_, options_.op_links == OpLinks::kByCupti);
    if (options_.on_trace_ready) options_.on_trace_ready(*trace_);
  }

  ProfilerOptions options_;
  TraceEnvironment environment_;
  RecordedWindow window_;
  BufferStats stats_;
  std::optional<RecordFunction> step_range_;
  std::optional<Trace> trace_;
  std::int64_t step_ = 0;
  Phase phase_ = Phase::kOff;
  bool saves_ = false;
  bool running_ = false;
};

Profiler::Profiler(ProfilerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Profiler::~Profiler() = default;
void Profiler::start() { impl_->start(); }
void Profiler::step() { impl_->step(); }
void Profiler::stop() { impl_->stop(); }
Trace Profiler::take_trace() { return impl_->take_trace(); }
bool Profiler::has_trace() const { return impl_->has_trace(); }
std::int64_t Profiler::step_number() const { return impl_->step_number(); }
const BufferStats& Profiler::buffer_stats() const { return impl_->buffer_stats(); }

}  // namespace tracebook
