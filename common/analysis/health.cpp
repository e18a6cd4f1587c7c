// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/health.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "common/analysis/diagnose/event_names.h"
#include "common/analysis/lanes.h"
#include "common/analysis/launches.h"
#include "common/trace/args.h"

namespace tracebook {
namespace {

constexpr std::int64_t kFarBefore_ns = 100'000;       // no clock's error, and no queue's
constexpr std::int64_t kFarAfter_ns = 1'000'000'000;  // an idle GPU starts within some 10 us
constexpr std::size_t kShown = 5;

class Examiner {
 public:
  Examiner(const Trace& trace, const Structure& structure)
      : trace_(trace), slices_(trace.slices), structure_(structure) {}

  Health examine() {
    count_events();
    count_device_work();
    count_late_starts();
    count_launches();
    if (!health_.clocks_disagree()) find_waits_for_unseen();
    count_orphan_flows();
    health_.undecided_work = structure_.undecided_work;
    health_.overruns = static_cast<std::int64_t>(structure_.overruns.size());
    return std::move(health_);
  }

 private:
  void count_events() {
    std::vector<std::int8_t> is_known(trace_.strings.size(), -1);
    const auto has_known_text = [&](SliceId id) {
      std::int8_t& known = is_known[slices_.category_text[id]];
      if (known < 0) {
        const std::string_view text = trace_.strings.view(slices_.category_text[id]);
        known = category_of(text) == Category::kOther ? 0 : 1;
      }
      return known == 1;
    };
    for (SliceId id = 0; id < slices_.size(); ++id) {
      const Category category = slices_.category[id];
      if (category == Category::kTraceSpan) continue;
      ++health_.timed_events;
      if (is_api_call(category)) ++health_.calls;
      if (category == Category::kOther) {
        ++health_.unplaced;
      } else if (!has_known_text(id)) {
        ++health_.uncategorised;
      }
      if (!has_impossible_time(trace_, id)) {
        last_ns_ = std::max(last_ns_, structure_.end_ns(slices_, id));
        first_ns_ = std::min(first_ns_, slices_.ts_ns[id]);
        continue;
      }
      ++health_.impossible_times;
      if (health_.impossible.size() < kShown) health_.impossible.push_back(id);
    }
  }

  void count_device_work() {
    for (std::size_t stream = 0; stream + 1 < structure_.stream_begin.size(); ++stream) {
      std::int64_t end_ns = std::numeric_limits<std::int64_t>::min();
      bool launched_before = false;
      for (std::uint32_t i = structure_.stream_begin[stream];
           i < structure_.stream_begin[stream + 1]; ++i) {
        const SliceId id = structure_.device_order[i];
        ++health_.device_work;
        if (slices_.correlation[id] == kNoId || slices_.correlation[id] == 0) ++unlinked_work_;
        if (has_impossible_time(trace_, id)) continue;
        const std::int64_t start_ns = slices_.ts_ns[id];
        const SliceId launch = structure_.launch[id];
        if (launch == kNoSlice) {
          ++health_.work_without_launch;
          // On a stream work starts in the order of its launches: what comes after launched work
          // was launched inside the recording, too.
          if (launched_before) ++health_.work_without_launch_inside;
        } else if (start_ns < slices_.ts_ns[launch]) {
          ++health_.starts_before_launch;
          if (slices_.ts_ns[launch] - start_ns > kFarBefore_ns) {
            ++health_.starts_long_before_launch;
          }
        }
        launched_before = launched_before || launch != kNoSlice;
        // A nanosecond is what rounding to microseconds with three decimals may cost.
        if (start_ns + 1 < end_ns && slices_.dur_ns[id] > 0) ++health_.overlaps_on_stream;
        end_ns = std::max(end_ns, structure_.end_ns(slices_, id));
      }
      last_work_ns_ = std::max(last_work_ns_, end_ns);
    }
  }

  /// The first launched work of each GPU finds it idle, unless earlier work is in its way: nothing
  /// but a clock can delay it long.
  void count_late_starts() {
    std::map<std::int32_t, SliceId> first;
    std::map<std::int32_t, std::int64_t> earlier_ns;
    for (const SliceId id : structure_.device_order) {
      if (has_impossible_time(trace_, id)) continue;
      if (structure_.launch[id] == kNoSlice) {
        earlier_ns[trace_.tracks[slices_.track[id]].device] += structure_.dur_ns(slices_, id);
        continue;
      }
      const auto [known, is_new] = first.try_emplace(trace_.tracks[slices_.track[id]].device, id);
      if (!is_new && slices_.ts_ns[id] < slices_.ts_ns[known->second]) known->second = id;
    }
    for (const auto& [device, id] : first) {
      const std::int64_t waited_ns = slices_.ts_ns[id] - slices_.end_ns(structure_.launch[id]);
      if (waited_ns - earlier_ns[device] > kFarAfter_ns) {
        ++health_.starts_long_after_launch;
      }
    }
  }

  /// Launches that a stream capture swallowed start nothing by themselves.
  [[nodiscard]] Intervals capture_times() const {
    constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();
    std::vector<std::int8_t> by_name(trace_.strings.size(), -1);
    Intervals out;
    for (std::size_t t = 0; t + 1 < structure_.thread_begin.size(); ++t) {
      std::int64_t begin_ns = kNever;  // a capture may have begun before the recording
      for (std::uint32_t i = structure_.thread_begin[t]; i < structure_.thread_begin[t + 1]; ++i) {
        const SliceId id = structure_.cpu_order[i];
        if (!is_api_call(slices_.category[id])) continue;
        std::int8_t& what = by_name[slices_.name[id]];
        if (what < 0) {
          const std::string_view name = trace_.name(id);
          const bool begins = name.find("StreamBeginCapture") != std::string_view::npos;
          const bool ends = name.find("StreamEndCapture") != std::string_view::npos;
          what = static_cast<std::int8_t>(begins ? 1 : ends ? 2 : 0);
        }
        if (what == 1) begin_ns = slices_.ts_ns[id];
        if (what != 2) continue;
        out.push_back({begin_ns, slices_.end_ns(id)});
        begin_ns = slices_.end_ns(id);
      }
    }
    return merge_intervals(std::move(out));
  }

  void count_launches() {
    std::vector<std::int32_t> roles(trace_.strings.size(), -1);
    const auto roles_of = [&](SliceId call) {
      std::int32_t& known = roles[slices_.name[call]];
      if (known < 0) known = event_roles(trace_.name(call));
      return static_cast<std::uint16_t>(known);
    };
    const Intervals captures = capture_times();
    std::vector<SliceId> empty;
    std::vector<SliceId> graphs;
    std::int64_t last_launch_ns = std::numeric_limits<std::int64_t>::min();
    for (const SliceId call : find_launches(trace_, structure_)) {
      const std::uint16_t is = roles_of(call);
      const std::int64_t start_ns = slices_.ts_ns[call];
      const bool has_work = !structure_.launched_by(call).empty();
      if (has_work) last_launch_ns = std::max(last_launch_ns, start_ns);
      if ((is & kLaunch) == 0) continue;
      ++health_.launches;
      if (has_work && is_unfilled(call)) health_.lost_launches.push_back(call);
      if (has_work && (is & kGraphLaunch) != 0) graphs.push_back(call);
      if (!has_work && covered_ns(captures, start_ns, start_ns + 1) == 0) empty.push_back(call);
    }
    find_short_replays(graphs);
    if (unlinked_work_ >= static_cast<std::int64_t>(empty.size())) {
      health_.launches_unlinked = static_cast<std::int64_t>(empty.size());
    } else {
      SpareWork spare = spare_work(empty);
      for (const SliceId call : empty) {
        if (const auto found = spare.find(slices_.correlation[call]);
            found != spare.end() && found->second > 0) {
          --found->second;
          ++health_.launches_unlinked;
        } else if (slices_.ts_ns[call] > last_launch_ns && gpu_worked_to_the_end()) {
          ++health_.launches_at_end;
        } else {
          ++health_.launches_without_work;
          health_.lost_launches.push_back(call);
        }
      }
    }
    std::ranges::stable_sort(health_.lost_launches, {},
                             [this](SliceId call) { return slices_.ts_ns[call]; });
  }

  /// By correlation id: pieces of work beyond the first of each call that owns some. Processes of a
  /// merged file use the same ids, so that one call may own the work of another.
  using SpareWork = std::unordered_map<std::int64_t, std::int64_t>;
  [[nodiscard]] SpareWork spare_work(const std::vector<SliceId>& empty) const {
    SpareWork spare;
    for (const SliceId call : empty) {
      if (slices_.correlation[call] != kNoId) spare.try_emplace(slices_.correlation[call], 0);
    }
    if (spare.empty()) return spare;
    std::vector<bool> seen(slices_.size(), false);
    for (const SliceId work : structure_.device_order) {
      const auto found = spare.find(slices_.correlation[work]);
      if (found == spare.end()) continue;
      const SliceId launch = structure_.launch[work];
      if (launch == kNoSlice || seen[launch]) ++found->second;
      if (launch != kNoSlice) seen[launch] = true;
    }
    return spare;
  }

  /// Whether no clock gave a time to any of a launch's work: when it ran is lost as well.
  [[nodiscard]] bool is_unfilled(SliceId call) const {
    return std::ranges::all_of(structure_.launched_by(call),
                               [this](SliceId work) { return has_impossible_time(trace_, work); });
  }

  /// A GPU that is busy until the recording stops has a queue whose work is never recorded.
  [[nodiscard]] bool gpu_worked_to_the_end() const {
    constexpr std::int64_t kPart = 20;  // of the whole recording
    return last_work_ns_ > first_ns_ && last_work_ns_ >= last_ns_ - (last_ns_ - first_ns_) / kPart;
  }

  /// Replays of one graph start the same kernels each time.
  void find_short_replays(const std::vector<SliceId>& graphs) {
    std::map<std::int64_t, std::size_t> most;
    std::vector<std::pair<SliceId, std::int64_t>> known;
    for (const SliceId call : graphs) {
      const auto work = structure_.launched_by(call);
      const auto graph = ArgsView(trace_.args(work.front())).integer("graph id");
      if (!graph || *graph == 0) continue;
      known.emplace_back(call, *graph);
      most[*graph] = std::max(most[*graph], work.size());
    }
    for (const auto& [call, graph] : known) {
      if (2 * structure_.launched_by(call).size() > most[graph]) continue;
      ++health_.short_replays;
      health_.lost_launches.push_back(call);
    }
  }

  /// A wait ends soon after the GPU's work does: one that goes on over a GPU without any waits for
  /// work that was not recorded. Within real recordings the driver adds up to 2.4 ms to a long
  /// wait, a tenth of it at most. What the start of a recording waits for was launched before.
  void find_waits_for_unseen() {
    constexpr std::int64_t kStretch_ns = 500'000;
    constexpr std::int64_t kLeast_ns = 1'000'000;
    constexpr std::int64_t kPart = 4;  // of the wait
    Intervals busy;
    for (const SliceId id : structure_.device_order) {
      if (has_impossible_time(trace_, id)) continue;
      busy.push_back({slices_.ts_ns[id], structure_.end_ns(slices_, id)});
    }
    busy = merge_intervals(std::move(busy));
    if (busy.empty()) return;
    std::vector<std::int8_t> by_name(trace_.strings.size(), -1);
    for (const SliceId id : structure_.cpu_order) {
      if (!is_api_call(slices_.category[id]) || slices_.dur_ns[id] < kLeast_ns) continue;
      std::int8_t& waits = by_name[slices_.name[id]];
      if (waits < 0) waits = trace_.name(id).find("Synchronize") != std::string_view::npos ? 1 : 0;
      if (waits == 0 || has_impossible_time(trace_, id)) continue;
      const std::int64_t end_ns = slices_.end_ns(id);
      std::int64_t at_ns = std::max(slices_.ts_ns[id], busy.front().start_ns);
      Intervals unseen;
      const auto take = [&](std::int64_t until_ns) {
        if (until_ns - at_ns >= kStretch_ns) unseen.push_back({at_ns, until_ns});
      };
      for (auto next = std::ranges::upper_bound(busy, at_ns, {}, &Interval::end_ns);
           next != busy.end() && next->start_ns < end_ns; ++next) {
        take(next->start_ns);
        at_ns = next->end_ns;
      }
      take(end_ns);
      const std::int64_t sum = total_ns(unseen);
      if (sum < kLeast_ns || kPart * sum < slices_.dur_ns[id]) continue;
      ++health_.waits_for_unseen;
      health_.waiting_for_unseen.push_back(id);
      health_.unseen.insert(health_.unseen.end(), unseen.begin(), unseen.end());
    }
    health_.unseen = merge_intervals(std::move(health_.unseen));
  }

  void count_orphan_flows() {
    std::unordered_map<std::int64_t, int> ends;
    for (const Flow& flow : trace_.flows) {
      if (flow.phase == 's') ends[flow.id] |= 1;
      if (flow.phase == 'f') ends[flow.id] |= 2;
    }
    for (const auto& [id, seen] : ends) health_.orphan_flows += seen == 3 ? 0 : 1;
  }

  const Trace& trace_;
  const Slices& slices_;
  const Structure& structure_;
  Health health_;
  std::int64_t unlinked_work_ = 0;
  std::int64_t first_ns_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ns_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t last_work_ns_ = std::numeric_limits<std::int64_t>::min();
};

/// "3 launches" or "1 launch".
std::string counted(std::int64_t count, std::string_view singular, std::string_view plural) {
  return std::to_string(count) + " " + std::string(count == 1 ? singular : plural);
}

}  // namespace

Health examine_health(const Trace& trace, const Structure& structure) {
  return Examiner(trace, structure).examine();
}

std::vector<std::string> recording_problems(const Health& health) {
  std::vector<std::string> out;
  const auto add = [&out](std::int64_t count, std::string_view one, std::string_view many) {
    if (count > 0) out.push_back(counted(count, one, many));
  };
  if (health.timed_events == 0) {
    out.emplace_back("no work was recorded");
  } else if (health.device_work == 0 && health.launches == 0) {
    out.emplace_back("no device work: recorded without the GPU");
  } else if (health.device_work == 0) {
    out.push_back("no device work, though the CPU launched some: all records of " +
                  counted(health.launches, "launch", "launches") + " were lost");
  } else if (health.launches_without_work > 0) {
    out.push_back(std::to_string(health.launches_without_work) + " of " +
                  counted(health.launches, "launch", "launches") +
                  " without device records: these were lost");
  }
  if (health.waits_for_unseen > 0) {
    out.push_back(counted(health.waits_for_unseen, "wait", "waits") +
                  " for a GPU that shows no work: records of its work are missing");
  }
  add(health.short_replays, "replay of a graph with less than half of its kernels",
      "replays of graphs with less than half of their kernels");
  if (health.undecided_work > 0) {
    out.push_back(counted(health.undecided_work, "piece", "pieces") +
                  " of device work left without a launch: several processes use the same "
                  "correlation ids (open each rank's file by itself)");
  }
  add(health.impossible_times,
      "event with an impossible time (never filled in, over a day long, or a century away)",
      "events with impossible times (never filled in, over a day long, or a century away)");
  add(health.overruns, "piece of device work that lasts far beyond the start of the next",
      "pieces of device work that last far beyond the start of the next");
  add(health.starts_long_before_launch, "kernel over 100 us before its launch",
      "kernels over 100 us before their launches");
  add(health.starts_long_after_launch, "GPU that begins its first work over 1 s after its launch",
      "GPUs that begin their first work over 1 s after its launch");
  if (health.device_work > 0 && health.calls == 0) {
    out.emplace_back("no CUDA calls were recorded: what launched the device work is unknown");
  }
  add(health.starts_before_launch - health.starts_long_before_launch, "kernel before its launch",
      "kernels before their launches");
  add(health.overlaps_on_stream, "overlap on a stream", "overlaps on a stream");
  add(health.work_without_launch_inside, "piece of device work without its launch",
      "pieces of device work without their launches");
  add(health.launches_unlinked, "launch whose device work is there but not linked to it",
      "launches whose device work is there but not linked to them");
  add(health.uncategorised, "range without a category of torch's, placed by name and lane",
      "ranges without a category of torch's, placed by name and lane");
  return out;
}

std::vector<std::string> health_problems(const Trace& trace, const Health& health) {
  std::vector<std::string> out = recording_problems(health);
  for (const Issue& issue : trace.issues) {
    out.push_back(issue.says + " (" + std::to_string(issue.count) + ")");
  }
  return out;
}

std::string why_nothing_to_show(const Trace& trace) {
  const auto timed = std::ranges::count_if(
      trace.slices.category, [](Category category) { return category != Category::kTraceSpan; });
  if (timed == 0) return "The trace holds no work. " + std::string(why_nothing_was_recorded());
  return "None of the trace's " + counted(timed, "timed event", "timed events") +
         " is an op, a CUDA call or GPU work with a possible time; tracebook info lists what they "
         "are.";
}

std::string_view why_nothing_was_recorded() {
  return "Usual causes: the schedule never reached its active steps (step() was called too few "
         "times), another profiler held the GPU (a range profiler, Nsight), or the work ran in a "
         "process or thread that was not recorded.";
}

}  // namespace tracebook
