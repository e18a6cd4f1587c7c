// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/sql_model.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

#include "common/trace/args.h"

namespace tracebook {

namespace {

// Calls of CUDA and HIP that put work on a stream. A recording may lack that work: it was captured
// into a graph, or its record was lost.
bool is_launch_name(std::string_view name) {
  static constexpr std::array<std::string_view, 3> kPrefixes = {"cuda", "cu", "hip"};
  static constexpr std::array<std::string_view, 7> kCalls = {
      "Launch", "GraphLaunch", "ModuleLaunch", "ExtLaunch", "ExtModuleLaunch", "Memcpy", "Memset"};
  const auto calls = [name](std::string_view prefix) {
    if (!name.starts_with(prefix)) return false;
    const std::string_view call = name.substr(prefix.size());
    return !call.starts_with("LaunchHostFunc") &&
           std::ranges::any_of(kCalls, [call](auto known) { return call.starts_with(known); });
  };
  return std::ranges::any_of(kPrefixes, calls);
}

std::string id_text(const Trace& trace, const EventId& id) {
  return id.is_text ? std::string(trace.strings.view(id.text)) : std::to_string(id.number);
}

}  // namespace

SqlModel::SqlModel(const Trace& trace, const Structure& structure)
    : trace_(trace), structure_(structure) {
  std::tie(start_ns_, end_ns_) = trace.window_ns();
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
  if (launches_) return *launches_;
  std::vector<std::int8_t> by_name(trace_.strings.size(), -1);
  const std::vector<SliceId> calls = select(is_api_call);
  // A runtime call and the driver call inside it are one launch: that which owns the work.
  std::vector<bool> holds_launch(trace_.slices.size(), false);
  for (const SliceId call : calls) {
    const SliceId outer = structure_.parent[call];
    if (outer != kNoSlice && !structure_.launched_by(call).empty()) holds_launch[outer] = true;
  }
  std::vector<SliceId> launches;
  for (const SliceId call : calls) {
    if (!structure_.launched_by(call).empty()) {
      launches.push_back(call);
      continue;
    }
    std::int8_t& known = by_name[trace_.slices.name[call]];
    if (known < 0) known = is_launch_name(trace_.name(call)) ? 1 : 0;
    const SliceId outer = structure_.parent[call];
    const bool is_inner = outer != kNoSlice && is_api_call(trace_.slices.category[outer]);
    if (known == 1 && !is_inner && !holds_launch[call]) launches.push_back(call);
  }
  launches_ = std::move(launches);
  return *launches_;
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

std::string SqlModel::path(SliceId id) const {
  std::vector<std::string_view> names = {trace_.name(id)};
  SliceId outer = structure_.launch[id] != kNoSlice ? structure_.launch[id] : structure_.parent[id];
  if (outer == kNoSlice && is_device_work(trace_.slices.category[id])) outer = structure_.op[id];
  for (; outer != kNoSlice; outer = structure_.parent[outer]) names.push_back(trace_.name(outer));
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
      steps[step].device_time_ns += slices.dur_ns[id];
      keep_first(steps[step].first_kernel, id);
      work[step].push_back({slices.ts_ns[id], slices.end_ns(id)});
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

const Averages& SqlModel::averages() {
  if (!averages_) averages_ = key_averages(trace_, structure_);
  return *averages_;
}

}  // namespace tracebook
