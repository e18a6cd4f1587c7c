// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/compare_steps.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>

#include "common/analysis/lanes.h"

namespace tracebook {
namespace {

constexpr std::size_t kNoPart = SIZE_MAX;

bool is_counted(Category category) {
  return is_device_work(category) || is_op(category) || is_api_call(category) ||
         category == Category::kOverhead;
}

/// The step of a slice; work whose launch was not recorded has that of the op it names.
std::int32_t step_of(const Structure& structure, SliceId id) {
  const SliceId op = structure.op[id];
  if (structure.step[id] == kNoStep && op != kNoSlice) return structure.step[op];
  return structure.step[id];
}

/// The usable steps, as indices into Structure::steps.
std::vector<std::size_t> usable(const TraceView& view) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < view.structure.steps.size(); ++i) {
    if (!has_impossible_time(view.trace, view.structure.steps[i].slice)) out.push_back(i);
  }
  return out;
}

std::string op_key(std::string_view name) {
  return name.starts_with("ProfilerStep#") ? "ProfilerStep*" : std::string(name);
}

class Summer {
 public:
  Summer(const TraceView& view, bool per_step) : view_(view), per_step_(per_step) {}

  SideSums sum() {
    describe();
    const std::vector<std::vector<SliceId>> parts = cut();
    out_.side.used = parts.size();
    string_of_.resize(view_.trace.strings.size());
    stamp_.assign(view_.trace.strings.size(), kNoPart);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      add_part(part, parts.size(), parts[part]);
    }
    const auto count = static_cast<double>(parts.size());
    out_.side.launches = static_cast<double>(launches_) / count;
    out_.side.device_work = static_cast<double>(work_) / count;
    out_.side.has_gpu = work_ > 0;
    return std::move(out_);
  }

 private:
  void describe() {
    const Trace& trace = view_.trace;
    out_.side.label = view_.label;
    steps_ = usable(view_);
    out_.side.steps = steps_.size();
    std::set<std::int32_t> devices;
    for (const SliceId id : view_.structure.device_order) {
      devices.insert(trace.tracks[trace.slices.track[id]].device);
    }
    for (const std::int32_t device : devices) {
      const DeviceProperties* const properties = trace.device(device);
      std::string name = properties != nullptr ? properties->name : trace.head.provenance.gpu;
      out_.side.gpus.push_back(name.empty() ? "unknown GPU" : name);
    }
  }

  /// What belongs to each step that is compared, in file order.
  std::vector<std::vector<SliceId>> cut() {
    const Slices& slices = view_.trace.slices;
    std::vector<std::size_t> part_of_step(view_.structure.steps.size(), kNoPart);
    std::size_t parts = 1;
    if (per_step_) {
      if (steps_.size() > 1) steps_.erase(steps_.begin());
      for (std::size_t i = 0; i < steps_.size(); ++i) part_of_step[steps_[i]] = i;
      parts = steps_.size();
    }
    std::vector<std::vector<SliceId>> out(parts);
    for (SliceId id = 0; id < slices.size(); ++id) {
      if (!is_counted(slices.category[id]) || has_impossible_time(view_.trace, id)) continue;
      if (!per_step_) {
        out[0].push_back(id);
        continue;
      }
      const std::int32_t step = step_of(view_.structure, id);
      if (step == kNoStep) {
        if (is_device_work(slices.category[id])) ++out_.side.outside;
      } else if (part_of_step[static_cast<std::size_t>(step)] != kNoPart) {
        out[part_of_step[static_cast<std::size_t>(step)]].push_back(id);
      }
    }
    if (per_step_) {
      for (std::size_t i = 0; i < steps_.size(); ++i) {
        const Step& step = view_.structure.steps[steps_[i]];
        out_.duration_ns.push_back(slices.dur_ns[step.slice]);
        if (i == 0) continue;
        // Between two recording cycles lies a pause that nobody measured.
        const Step& last = view_.structure.steps[steps_[i - 1]];
        if (step.number != last.number + 1) continue;
        out_.period_ns.push_back(slices.ts_ns[step.slice] - slices.ts_ns[last.slice]);
      }
    } else {
      const auto [start_ns, end_ns] = window_ns(view_.trace, view_.structure);
      out_.duration_ns.push_back(end_ns - start_ns);
    }
    return out;
  }

  /// The step as a trace of its own, so that it is counted exactly as a whole trace is.
  Trace part_of(std::size_t part, const std::vector<SliceId>& ids) {
    const Slices& slices = view_.trace.slices;
    Trace trace;
    trace.tracks = view_.trace.tracks;
    trace.slices.reserve(ids.size());
    for (const SliceId id : ids) {
      const StringId name = slices.name[id];
      if (stamp_[name] != part) {
        stamp_[name] = part;
        string_of_[name] = trace.strings.intern(view_.trace.strings.view(name));
      }
      trace.add_slice(slices.category[id], 0, string_of_[name], slices.track[id], slices.ts_ns[id],
                      slices.dur_ns[id], slices.correlation[id], slices.external_id[id], "");
    }
    return trace;
  }

  void add_part(std::size_t part, std::size_t parts, const std::vector<SliceId>& ids) {
    const Trace trace = part_of(part, ids);
    const Structure structure = build_structure(trace);
    const Lanes lanes = build_lanes(trace, structure);
    out_.gpu_busy_ns.push_back(
        std::accumulate(lanes.devices.begin(), lanes.devices.end(), std::int64_t{0},
                        [](std::int64_t sum, const DeviceLane& d) { return sum + d.busy_ns(); }));
    out_.cpu_ns.push_back(std::accumulate(
        lanes.threads.begin(), lanes.threads.end(), std::int64_t{0},
        [](std::int64_t sum, const ThreadLane& thread) {
          return sum + total_ns(thread.busy) - total_ns(intersect(thread.busy, thread.waiting));
        }));
    // torch keeps an op and an annotation of one name apart; here they are one row.
    for (const AverageRow& row : key_averages(trace, structure).rows) {
      if (row.is_span) continue;
      RowSums& sums = out_.rows[{row.device_type, row.key}];
      if (sums.self_ns.empty()) {
        sums.first = static_cast<std::int64_t>(out_.rows.size());
        for (auto* series : {&sums.self_ns, &sums.cpu_ns, &sums.self_device_ns, &sums.device_ns}) {
          series->assign(parts, 0);
        }
      }
      sums.self_ns[part] +=
          row.device_type == DeviceType::kCpu ? row.self_cpu_ns : row.self_device_ns;
      sums.cpu_ns[part] += row.cpu_ns;
      sums.self_device_ns[part] += row.self_device_ns;
      sums.device_ns[part] += row.device_ns;
      sums.calls += row.count;
      if (sums.last_part != part) ++sums.present;
      sums.last_part = part;
    }
    count_launches(trace, structure);
  }

  void count_launches(const Trace& trace, const Structure& structure) {
    const auto add = [this](DeviceType device, std::string key) {
      const auto row = out_.rows.find({device, std::move(key)});
      if (row != out_.rows.end()) ++row->second.launches;
    };
    for (SliceId call = 0; call < trace.slices.size(); ++call) {
      if (!is_api_call(trace.slices.category[call])) continue;
      const auto launched = structure.launched_by(call);
      if (launched.empty()) continue;
      ++launches_;
      add(DeviceType::kCpu, std::string(trace.name(call)));
      if (const SliceId op = structure.op[call]; op != kNoSlice) {
        add(DeviceType::kCpu, op_key(trace.name(op)));
      }
      // A graph's launch starts many kernels, also several of one name.
      std::set<StringId> names;
      for (const SliceId work : launched) names.insert(trace.slices.name[work]);
      for (const StringId name : names) {
        add(DeviceType::kCuda, std::string(trace.strings.view(name)));
      }
    }
    for (const SliceId work : structure.device_order) {
      ++work_;
      const auto row = out_.rows.find({DeviceType::kCuda, std::string(trace.name(work))});
      if (row == out_.rows.end()) continue;
      const SliceId op = structure.op[work];
      row->second.ops_ns[op == kNoSlice ? "" : op_key(trace.name(op))] += trace.slices.dur_ns[work];
    }
  }

  const TraceView& view_;
  bool per_step_;
  SideSums out_;
  std::vector<std::size_t> steps_;
  std::int64_t launches_ = 0;
  std::int64_t work_ = 0;
  std::vector<StringId> string_of_;  // by string of the whole trace
  std::vector<std::size_t> stamp_;   // the part for which string_of_ holds
};

}  // namespace

std::size_t usable_steps(const TraceView& view) { return usable(view).size(); }

SideSums sum_up(const TraceView& view, bool per_step) { return Summer(view, per_step).sum(); }

}  // namespace tracebook
