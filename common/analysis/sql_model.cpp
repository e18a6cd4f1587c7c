// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/sql_model.h"

#include <set>
#include <tuple>
#include <utility>

#include "common/analysis/launches.h"
#include "common/trace/args.h"

namespace tracebook {

namespace {

std::string id_text(const Trace& trace, const EventId& id) {
  return id.is_text ? std::string(trace.strings.view(id.text)) : std::to_string(id.number);
}

}  // namespace

SqlModel::SqlModel(const Trace& trace, const Structure& structure)
    : trace_(trace), structure_(structure) {
  std::tie(start_ns_, end_ns_) = window_ns(trace, structure);
  name_tracks();
}

void SqlModel::name_tracks() {
  const Track* first = nullptr;
  bool several_processes = false;
  for (const Track& track : trace_.tracks) {
    if (track.kind != TrackKind::kCpuThread) continue;
    if (first == nullptr) first = &track;
    several_processes = several_processes || track.pid != first->pid;
  }
  for (const Track& track : trace_.tracks) {
    track_name_.push_back(track_names_.intern(track_name(track, several_processes)));
  }
}

std::string SqlModel::track_name(const Track& track, bool say_process) const {
  const std::string tid = id_text(trace_, track.tid);
  switch (track.kind) {
    case TrackKind::kCpuThread:
      return (say_process ? "process " + id_text(trace_, track.pid) + " " : "") + "thread " + tid;
    case TrackKind::kStream:
      return "GPU " + std::to_string(track.device) + " stream " + tid;
    case TrackKind::kGpuSpans:
      return "GPU " + std::to_string(track.device) + " stream " + tid + " spans";
    case TrackKind::kOverhead:
      return "overhead";
    case TrackKind::kOther:
      break;
  }
  const std::string pid = id_text(trace_, track.pid);
  return pid.empty() || tid.empty() ? pid + tid : pid + " " + tid;
}

std::vector<SliceId> SqlModel::select(bool (*wanted)(Category)) const {
  std::vector<SliceId> ids;
  for (SliceId id = 0; id < trace_.slices.size(); ++id) {
    if (wanted(trace_.slices.category[id])) ids.push_back(id);
  }
  return ids;
}

const std::vector<SliceId>& SqlModel::launches() {
  if (!launches_) launches_ = find_launches(trace_, structure_);
  return *launches_;
}

SqlModel::Integer SqlModel::known_ts_ns(SliceId id) const {
  if (!has_impossible_time(trace_, id)) return ts_ns(id);
  // A range that was left open has a start at least, if one that can be.
  const std::int64_t start_ns = trace_.slices.ts_ns[id];
  const bool is_open = trace_.slices.dur_ns[id] > 0 && start_ns >= start_ns_ && start_ns <= end_ns_;
  return is_open ? Integer(ts_ns(id)) : std::nullopt;
}

SqlModel::Integer SqlModel::known_dur_ns(SliceId id) const {
  if (has_impossible_time(trace_, id)) return std::nullopt;
  return dur_ns(id);
}

std::int64_t SqlModel::self_ns(SliceId id) {
  if (self_ns_.empty()) {
    self_ns_ = trace_.slices.dur_ns;
    for (const SliceId child : structure_.cpu_order) {
      if (trace_.slices.category[child] == Category::kPythonFunction) continue;
      SliceId parent = structure_.parent[child];
      while (parent != kNoSlice && trace_.slices.category[parent] == Category::kPythonFunction) {
        parent = structure_.parent[parent];
      }
      if (parent != kNoSlice) self_ns_[parent] -= trace_.slices.dur_ns[child];
    }
  }
  return self_ns_[id];
}

SqlModel::Integer SqlModel::gap_before_ns(SliceId id) {
  if (lanes_ == nullptr) lanes_ = std::make_unique<Lanes>(build_lanes(trace_, structure_));
  const std::int64_t gap_ns = lanes_->gap_before_ns[id];
  if (gap_ns == Lanes::kNoGap) return std::nullopt;
  return gap_ns;
}

SliceId SqlModel::first_work(SliceId launch) const {
  SliceId first = kNoSlice;
  for (const SliceId work : structure_.launched_by(launch)) {
    if (has_impossible_time(trace_, work)) continue;
    if (first == kNoSlice || trace_.slices.ts_ns[work] < trace_.slices.ts_ns[first]) first = work;
  }
  return first;
}

SqlModel::Integer SqlModel::delay_ns(SliceId launch) const {
  const SliceId first = first_work(launch);
  if (first == kNoSlice) return std::nullopt;
  return trace_.slices.ts_ns[first] - trace_.slices.ts_ns[launch];
}

SqlModel::Integer SqlModel::step_number(SliceId id) const {
  const std::int32_t step = structure_.step[id];
  if (step == kNoStep) return std::nullopt;
  return structure_.steps[static_cast<std::size_t>(step)].number;
}

SliceId SqlModel::around(SliceId id) const {
  const SliceId parent = structure_.parent[id];
  if (!is_api_call(trace_.slices.category[id])) return parent;
  // A call that crosses the edge of its op stands beside it in the nesting.
  SliceId op = parent;
  while (op != kNoSlice && !is_op(trace_.slices.category[op])) op = structure_.parent[op];
  return op == structure_.op[id] ? parent : structure_.op[id];
}

std::string SqlModel::path(SliceId id) const {
  std::vector<std::string_view> names = {trace_.name(id)};
  SliceId outer = structure_.launch[id] != kNoSlice ? structure_.launch[id] : around(id);
  if (outer == kNoSlice && is_device_work(trace_.slices.category[id])) outer = structure_.op[id];
  while (outer != kNoSlice) {
    names.push_back(trace_.name(outer));
    outer = around(outer);
  }
  std::string path;
  for (std::size_t i = names.size(); i-- > 0;) {
    path += names[i];
    if (i > 0) path += " > ";
  }
  return path;
}

SqlModel::Integer SqlModel::device(SliceId id) const {
  const Track& track = trace_.tracks[trace_.slices.track[id]];
  if (track.device >= 0) return track.device;
  return ArgsView(trace_.args(id)).integer("device");
}

SqlModel::Integer SqlModel::stream(SliceId id) const {
  const Track& track = trace_.tracks[trace_.slices.track[id]];
  if (track.kind == TrackKind::kStream && !track.tid.is_text) return track.tid.number;
  return ArgsView(trace_.args(id)).integer("stream");
}

std::optional<LaunchShape> SqlModel::shape(SliceId id) const {
  if (trace_.slices.category[id] != Category::kKernel) return std::nullopt;
  const ArgsView args(trace_.args(id));
  const auto grid = args.dim3("grid");
  const auto block = args.dim3("block");
  if (!grid || !block) return std::nullopt;
  return LaunchShape{.grid = *grid,
                     .block = *block,
                     .registers = args.integer("registers per thread").value_or(0),
                     .shared_bytes = args.integer("shared memory").value_or(0)};
}

const SqlModel::StepSums& SqlModel::step(std::size_t index) {
  if (steps_) return (*steps_)[index];
  std::vector<StepSums> steps(structure_.steps.size());
  std::vector<Intervals> work(steps.size());
  const Slices& slices = trace_.slices;
  const auto keep_first = [&slices](SliceId& first, SliceId id) {
    if (first == kNoSlice || slices.ts_ns[id] < slices.ts_ns[first]) first = id;
  };
  for (SliceId id = 0; id < slices.size(); ++id) {
    if (structure_.step[id] == kNoStep) continue;
    const auto step = static_cast<std::size_t>(structure_.step[id]);
    if (is_op(slices.category[id])) {
      if (structure_.steps[step].slice != id) ++steps[step].ops;
    } else if (is_device_work(slices.category[id])) {
      ++steps[step].kernels;
      if (has_impossible_time(trace_, id)) continue;
      steps[step].device_time_ns += slices.dur_ns[id];
      keep_first(steps[step].first_kernel, id);
      work[step].push_back({slices.ts_ns[id], structure_.end_ns(slices, id)});
    }
  }
  for (const SliceId launch : launches()) {
    if (structure_.step[launch] == kNoStep) continue;
    const auto step = static_cast<std::size_t>(structure_.step[launch]);
    ++steps[step].launches;
    keep_first(steps[step].first_launch, launch);
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i].device_busy_ns = total_ns(merge_intervals(std::move(work[i])));
  }
  steps_ = std::move(steps);
  return (*steps_)[index];
}

const SqlModel::Totals& SqlModel::totals() {
  if (totals_) return *totals_;
  Totals totals;
  std::set<std::int64_t> devices;
  for (const SliceId work : structure_.device_order) {
    if (structure_.launch[work] == kNoSlice) ++totals.unlaunched;
  }
  for (const Track& track : trace_.tracks) {
    if (track.kind == TrackKind::kStream) devices.insert(track.device);
  }
  for (const SliceId launch : launches()) {
    if (structure_.launched_by(launch).empty()) ++totals.empty_launches;
  }
  totals.devices = static_cast<std::int64_t>(devices.size());
  totals_ = totals;
  return *totals_;
}

const Health& SqlModel::health() {
  if (!health_) health_ = examine_health(trace_, structure_);
  return *health_;
}

const Averages& SqlModel::averages() {
  if (!averages_) averages_ = key_averages(trace_, structure_);
  return *averages_;
}

}  // namespace tracebook
