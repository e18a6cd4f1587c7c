// SPDX-License-Identifier: Apache-2.0
//
// What the SQL views show beside the trace and its structure: lists of the slices of each view,
// self times, gaps, sums per step. Each is made when a query first needs it, so that opening a
// database costs nothing.
//
//   SqlModel model(trace, structure);
//   model.self_ns(op);
//
// The trace and its structure must outlive the model. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/analysis/averages.h"
#include "common/analysis/health.h"
#include "common/analysis/lanes.h"
#include "common/trace/launch_shape.h"
#include "common/trace/structure.h"
#include "common/trace/trace.h"

namespace tracebook {

class SqlModel {
 public:
  using Integer = std::optional<std::int64_t>;

  /// Sums over the work of one step.
  struct StepSums {
    std::int64_t ops = 0;
    std::int64_t launches = 0;
    std::int64_t kernels = 0;
    std::int64_t device_time_ns = 0;
    std::int64_t device_busy_ns = 0;
    SliceId first_launch = kNoSlice;
    SliceId first_kernel = kNoSlice;
  };
  /// Sums over the whole trace.
  struct Totals {
    std::int64_t unlaunched = 0;      ///< device events without the call that started them
    std::int64_t empty_launches = 0;  ///< launches without a device event
    std::int64_t devices = 0;         ///< GPUs that did something
  };

  SqlModel(const Trace& trace, const Structure& structure);

  [[nodiscard]] const Trace& trace() const { return trace_; }
  [[nodiscard]] const Structure& structure() const { return structure_; }

  /// Slices of one kind of category, in file order.
  [[nodiscard]] std::vector<SliceId> select(bool (*wanted)(Category)) const;
  /// API calls that start device work, or whose name says that they should.
  const std::vector<SliceId>& launches();

  [[nodiscard]] std::int64_t start_ns() const { return start_ns_; }
  [[nodiscard]] std::int64_t end_ns() const { return end_ns_; }
  /// Since the trace's first event.
  [[nodiscard]] std::int64_t ts_ns(SliceId id) const { return trace_.slices.ts_ns[id] - start_ns_; }
  [[nodiscard]] std::int64_t dur_ns(SliceId id) const { return trace_.slices.dur_ns[id]; }
  /// The same, or nothing where no clock gave it.
  [[nodiscard]] Integer known_ts_ns(SliceId id) const;
  [[nodiscard]] Integer known_dur_ns(SliceId id) const;
  std::int64_t self_ns(SliceId id);
  /// Idle time of the stream before this device work.
  Integer gap_before_ns(SliceId id);
  /// From a launch's start to the start of its first device event.
  [[nodiscard]] Integer delay_ns(SliceId launch) const;
  /// The first device event of a launch, or kNoSlice.
  [[nodiscard]] SliceId first_work(SliceId launch) const;
  [[nodiscard]] Integer step_number(SliceId id) const;
  /// Names from the outermost range to this; device work stands under its launch.
  [[nodiscard]] std::string path(SliceId id) const;
  /// "thread 474", "GPU 0 stream 7"; an id of track_names().
  [[nodiscard]] StringId track(SliceId id) const { return track_name_[trace_.slices.track[id]]; }
  [[nodiscard]] const StringTable& track_names() const { return track_names_; }
  [[nodiscard]] Integer device(SliceId id) const;
  [[nodiscard]] Integer stream(SliceId id) const;
  /// Grid, block, registers and shared memory of a kernel, if the trace says them.
  [[nodiscard]] std::optional<LaunchShape> shape(SliceId id) const;

  const StepSums& step(std::size_t index);
  const Totals& totals();
  const Averages& averages();
  const Health& health();

 private:
  void name_tracks();
  /// The range around a slice, or the op whose edge a call crosses.
  [[nodiscard]] SliceId around(SliceId id) const;
  [[nodiscard]] std::string track_name(const Track& track, bool say_process) const;

  const Trace& trace_;
  const Structure& structure_;
  std::int64_t start_ns_ = 0;
  std::int64_t end_ns_ = 0;
  StringTable track_names_;
  std::vector<StringId> track_name_;  // per track
  std::optional<std::vector<SliceId>> launches_;
  std::vector<std::int64_t> self_ns_;  // per slice
  std::unique_ptr<Lanes> lanes_;
  std::optional<std::vector<StepSums>> steps_;
  std::optional<Totals> totals_;
  std::optional<Averages> averages_;
  std::optional<Health> health_;
};

}  // namespace tracebook
