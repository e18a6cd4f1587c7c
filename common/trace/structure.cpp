// SPDX-License-Identifier: Apache-2.0
#include "common/trace/structure.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <queue>
#include <string_view>
#include <system_error>
#include <utility>

#include "common/trace/clock_faults.h"
#include "common/trace/launch_index.h"
#include "common/trace/time_order.h"

namespace tracebook {
namespace {

/// The ranges that are open at a point of one lane, outermost first. Each ends no later than the
/// one below it, for a range that would end after another is not nested in it.
class OpenRanges {
 public:
  struct Range {
    std::int64_t end_ns;
    SliceId id;
    std::int32_t step;
  };

  void clear() { ranges_.clear(); }
  /// Closes what cannot enclose a range from `start_ns` to `end_ns`.
  void close_for(std::int64_t start_ns, std::int64_t end_ns) {
    while (!ranges_.empty() &&
           (start_ns >= ranges_.back().end_ns || end_ns > ranges_.back().end_ns)) {
      ranges_.pop_back();
    }
  }
  void open(const Range& range) { ranges_.push_back(range); }
  [[nodiscard]] const Range* innermost() const {
    return ranges_.empty() ? nullptr : &ranges_.back();
  }
  /// The innermost range that encloses this one, without closing any.
  [[nodiscard]] SliceId holder_of(std::int64_t start_ns, std::int64_t end_ns) const {
    const auto past = std::partition_point(ranges_.begin(), ranges_.end(), [&](const Range& range) {
      return range.end_ns > start_ns && range.end_ns >= end_ns;
    });
    return past == ranges_.begin() ? kNoSlice : (past - 1)->id;
  }
  [[nodiscard]] std::uint16_t depth() const {
    return static_cast<std::uint16_t>(std::min<std::size_t>(ranges_.size(), UINT16_MAX));
  }

 private:
  std::vector<Range> ranges_;
};

/// Which step a moment falls into: of several that run at once (threads, merged processes), the one
/// that began last.
class StepTimes {
 public:
  StepTimes(const Slices& slices, const std::vector<Step>& steps) {
    struct Edge {
      std::int64_t at_ns;
      std::int32_t step;
      bool begins;
    };
    std::vector<Edge> edges;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const SliceId slice = steps[i].slice;
      if (slices.dur_ns[slice] == 0) continue;
      edges.push_back({slices.ts_ns[slice], static_cast<std::int32_t>(i), true});
      edges.push_back({slices.end_ns(slice), static_cast<std::int32_t>(i), false});
    }
    std::stable_sort(edges.begin(), edges.end(),
                     [](const Edge& left, const Edge& right) { return left.at_ns < right.at_ns; });
    std::priority_queue<std::int32_t> open;
    std::vector<bool> ended(steps.size(), false);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (edges[i].begins) {
        open.push(edges[i].step);
      } else {
        ended[static_cast<std::size_t>(edges[i].step)] = true;
      }
      while (!open.empty() && ended[static_cast<std::size_t>(open.top())]) open.pop();
      if (i + 1 < edges.size() && edges[i + 1].at_ns == edges[i].at_ns) continue;
      spans_.push_back({edges[i].at_ns, open.empty() ? kNoStep : open.top()});
    }
  }

  /// Moments of one thread are asked for in ascending order.
  void rewind() { next_ = 0; }
  [[nodiscard]] std::int32_t at(std::int64_t ns) {
    while (next_ < spans_.size() && spans_[next_].start_ns <= ns) ++next_;
    return next_ == 0 ? kNoStep : spans_[next_ - 1].step;
  }

 private:
  struct Span {
    std::int64_t start_ns;
    std::int32_t step;
  };
  std::vector<Span> spans_;
  std::size_t next_ = 0;
};

class Builder {
 public:
  explicit Builder(const Trace& trace)
      : trace_(trace), slices_(trace.slices), grouped_(group_slices(trace)) {
    out_.parent.assign(slices_.size(), kNoSlice);
    out_.depth.assign(slices_.size(), 0);
    out_.launch.assign(slices_.size(), kNoSlice);
    out_.op.assign(slices_.size(), kNoSlice);
    out_.step.assign(slices_.size(), kNoStep);
  }

  Structure build() {
    find_steps();
    order_cpu();
    nest_cpu();
    for (std::size_t track = 0; track < grouped_.tracks; ++track) {
      nest_spans(grouped_.of(kSpanGroup, track));
      nest_others(grouped_.of(kOtherGroup, track));
    }
    order_device();
    link();
    decide_regime();
    adopt_crossing_calls(trace_, out_);
    attribute_device_work();
    list_launched();
    out_.overruns = find_overruns(trace_, out_);
    return std::move(out_);
  }

 private:
  void find_steps() {
    constexpr std::string_view kPrefix = "ProfilerStep#";
    std::vector<std::int64_t> number(trace_.strings.size(), -1);
    bool any = false;
    for (StringId name = 0; name < number.size(); ++name) {
      const std::string_view text = trace_.strings.view(name);
      if (!text.starts_with(kPrefix)) continue;
      const char* const end = text.data() + text.size();
      std::int64_t value = 0;
      const auto [stop, error] = std::from_chars(text.data() + kPrefix.size(), end, value);
      if (error != std::errc() || stop != end || value < 0) continue;
      number[name] = value;
      any = true;
    }
    if (!any) return;
    for (SliceId id = 0; id < slices_.size(); ++id) {
      if (is_op(slices_.category[id]) && number[slices_.name[id]] >= 0) {
        out_.steps.push_back({id, number[slices_.name[id]]});
      }
    }
    std::stable_sort(out_.steps.begin(), out_.steps.end(),
                     [this](const Step& left, const Step& right) {
                       return starts_before(slices_, left.slice, right.slice);
                     });
    for (std::size_t i = 0; i < out_.steps.size(); ++i) {
      out_.step[out_.steps[i].slice] = static_cast<std::int32_t>(i);
    }
  }

  /// Kineto keeps overhead records in a track of their own; each moves to the thread that it
  /// stalled.
  [[nodiscard]] bool is_detached_overhead(std::size_t track) const {
    return trace_.tracks[track].kind != TrackKind::kCpuThread;
  }

  void order_cpu() {
    constexpr std::size_t kNoThread = SIZE_MAX;
    std::vector<SliceId> overheads;
    for (std::size_t track = 0; track < grouped_.tracks; ++track) {
      if (!is_detached_overhead(track)) continue;
      for (const SliceId id : grouped_.of(kCpuGroup, track)) {
        if (slices_.category[id] == Category::kOverhead) overheads.push_back(id);
      }
    }
    std::vector<std::size_t> thread_of(overheads.size(), kNoThread);
    std::vector<SliceId> holder(overheads.size(), kNoSlice);
    if (!overheads.empty()) {
      std::stable_sort(overheads.begin(), overheads.end(), [this](SliceId left, SliceId right) {
        return starts_before(slices_, left, right);
      });
      for (std::size_t track = 0; track < grouped_.tracks; ++track) {
        if (!is_detached_overhead(track)) offer_holders(track, overheads, holder, thread_of);
      }
    }
    std::vector<std::vector<SliceId>> adopted(overheads.empty() ? 0 : grouped_.tracks);
    std::vector<bool> moved(overheads.empty() ? 0 : slices_.size(), false);
    for (std::size_t i = 0; i < overheads.size(); ++i) {
      if (thread_of[i] == kNoThread) continue;
      adopted[thread_of[i]].push_back(overheads[i]);
      moved[overheads[i]] = true;
    }
    std::vector<SliceId>& order = out_.cpu_order;
    for (std::size_t track = 0; track < grouped_.tracks; ++track) {
      const std::span<SliceId> ids = grouped_.of(kCpuGroup, track);
      const auto begin = static_cast<std::uint32_t>(order.size());
      if (overheads.empty()) {
        order.insert(order.end(), ids.begin(), ids.end());
      } else if (!adopted[track].empty()) {
        std::merge(ids.begin(), ids.end(), adopted[track].begin(), adopted[track].end(),
                   std::back_inserter(order), [this](SliceId left, SliceId right) {
                     return starts_before(slices_, left, right);
                   });
      } else {
        std::copy_if(ids.begin(), ids.end(), std::back_inserter(order),
                     [&](SliceId id) { return !moved[id]; });
      }
      if (order.size() > begin) out_.thread_begin.push_back(begin);
    }
    out_.thread_begin.push_back(static_cast<std::uint32_t>(order.size()));
  }

  /// Offers the innermost ranges of a thread as holders of the overhead records (sorted by start);
  /// the shortest holder of all threads wins, and a Python frame yields to anything else.
  void offer_holders(std::size_t track, std::span<const SliceId> overheads,
                     std::vector<SliceId>& holder, std::vector<std::size_t>& thread_of) {
    const auto is_better = [this](SliceId mine, SliceId best) {
      if (best == kNoSlice) return true;
      const bool mine_is_python = slices_.category[mine] == Category::kPythonFunction;
      const bool best_is_python = slices_.category[best] == Category::kPythonFunction;
      if (mine_is_python != best_is_python) return best_is_python;
      return slices_.dur_ns[mine] < slices_.dur_ns[best];
    };
    open_.clear();
    const std::span<SliceId> ids = grouped_.of(kCpuGroup, track);
    std::size_t next = 0;
    for (std::size_t i = 0; i < overheads.size(); ++i) {
      const SliceId overhead = overheads[i];
      for (; next < ids.size() && !starts_before(slices_, overhead, ids[next]); ++next) {
        open_.close_for(slices_.ts_ns[ids[next]], slices_.end_ns(ids[next]));
        open_.open({slices_.end_ns(ids[next]), ids[next], kNoStep});
      }
      const SliceId mine = open_.holder_of(slices_.ts_ns[overhead], slices_.end_ns(overhead));
      if (mine == kNoSlice || !is_better(mine, holder[i])) continue;
      holder[i] = mine;
      thread_of[i] = track;
    }
  }

  void nest_cpu() {
    StepTimes step_times(slices_, out_.steps);
    for (std::size_t thread = 0; thread + 1 < out_.thread_begin.size(); ++thread) {
      open_.clear();
      step_times.rewind();
      for (std::uint32_t i = out_.thread_begin[thread]; i < out_.thread_begin[thread + 1]; ++i) {
        const SliceId id = out_.cpu_order[i];
        const std::int64_t start_ns = slices_.ts_ns[id];
        const std::int64_t end_ns = slices_.end_ns(id);
        open_.close_for(start_ns, end_ns);
        out_.depth[id] = open_.depth();
        std::int32_t step = out_.step[id];  // its own, if it is one
        if (const OpenRanges::Range* const outer = open_.innermost()) {
          out_.parent[id] = outer->id;
          out_.op[id] = is_op(slices_.category[outer->id]) ? outer->id : out_.op[outer->id];
          if (step == kNoStep) step = outer->step;
        }
        open_.open({end_ns, id, step});
        out_.step[id] = step == kNoStep ? step_times.at(start_ns) : step;
      }
    }
  }

  void nest_spans(std::span<const SliceId> spans) {
    open_.clear();
    for (const SliceId id : spans) {
      open_.close_for(slices_.ts_ns[id], slices_.end_ns(id));
      out_.depth[id] = open_.depth();
      open_.open({slices_.end_ns(id), id, kNoStep});
    }
  }

  void nest_others(std::span<const SliceId> others) {
    open_.clear();
    for (const SliceId id : others) {
      open_.close_for(slices_.ts_ns[id], slices_.end_ns(id));
      out_.depth[id] = open_.depth();
      if (open_.innermost() != nullptr) out_.parent[id] = open_.innermost()->id;
      open_.open({slices_.end_ns(id), id, kNoStep});
    }
  }

  void order_device() {
    for (std::size_t track = 0; track < grouped_.tracks; ++track) {
      const std::span<SliceId> ids = grouped_.of(kDeviceGroup, track);
      if (ids.empty()) continue;
      out_.stream_begin.push_back(static_cast<std::uint32_t>(out_.device_order.size()));
      out_.device_order.insert(out_.device_order.end(), ids.begin(), ids.end());
    }
    out_.stream_begin.push_back(static_cast<std::uint32_t>(out_.device_order.size()));
  }

  void link() {
    std::vector<SliceId> calls;
    for (SliceId id = 0; id < slices_.size(); ++id) {
      if (is_api_call(slices_.category[id])) calls.push_back(id);
    }
    const CallsByCorrelation by_correlation(trace_, calls, out_.device_order);
    for (const SliceId work : out_.device_order) {
      out_.launch[work] = by_correlation.launch_of(work);
      if (by_correlation.is_undecided(work)) ++out_.undecided_work;
    }
  }

  /// An External id that differs from the correlation id cannot be one; one that equals it and is
  /// not that of an op around it either, is one.
  void decide_regime() {
    std::int64_t op_votes = 0;
    std::int64_t correlation_votes = 0;
    bool any = false;
    for (SliceId id = 0; id < slices_.size(); ++id) {
      const bool is_work = is_device_work(slices_.category[id]);
      if (!is_work && !is_api_call(slices_.category[id])) continue;
      const std::int64_t external_id = slices_.external_id[id];
      if (external_id == kNoId || external_id == 0 || slices_.correlation[id] == kNoId) continue;
      any = true;
      const SliceId call = is_work ? out_.launch[id] : id;
      const SliceId op = call == kNoSlice ? kNoSlice : out_.op[call];
      if (external_id != slices_.correlation[id]) {
        ++op_votes;
      } else if (op == kNoSlice || slices_.external_id[op] != external_id) {
        ++correlation_votes;
      }
    }
    if (!any) return;
    out_.regime =
        correlation_votes > op_votes ? ExternalIdRegime::kCorrelation : ExternalIdRegime::kOp;
  }

  void attribute_device_work() {
    bool any_unlaunched = false;
    for (const SliceId work : out_.device_order) {
      const SliceId call = out_.launch[work];
      if (call == kNoSlice) {
        any_unlaunched = true;
        continue;
      }
      out_.op[work] = out_.op[call];
      out_.step[work] = out_.step[call];
    }
    if (!any_unlaunched || out_.regime != ExternalIdRegime::kOp) return;
    IdTable ops(out_.cpu_order.size());
    for (const SliceId id : out_.cpu_order) {
      const std::int64_t external_id = slices_.external_id[id];
      if (is_op(slices_.category[id]) && external_id != kNoId && external_id != 0) {
        ops.add(external_id, id);
      }
    }
    for (const SliceId work : out_.device_order) {
      if (out_.launch[work] != kNoSlice || slices_.external_id[work] == kNoId) continue;
      const IdTable::Entry* const entry = ops.find(slices_.external_id[work]);
      if (entry != nullptr && !entry->shared) out_.op[work] = entry->slice;
    }
  }

  void list_launched() {
    std::vector<std::uint32_t>& begin = out_.launched_begin_;
    begin.assign(std::size_t{slices_.size()} + 1, 0);
    std::uint32_t total = 0;
    for (const SliceId work : out_.device_order) {
      if (out_.launch[work] == kNoSlice) continue;
      ++begin[out_.launch[work]];
      ++total;
    }
    std::uint32_t end = 0;
    for (std::uint32_t& entry : begin) entry = end += entry;
    // `begin` holds ends now; filling from the back turns them into beginnings.
    out_.launched_.resize(total);
    for (SliceId id = slices_.size(); id-- > 0;) {
      if (out_.launch[id] != kNoSlice) out_.launched_[--begin[out_.launch[id]]] = id;
    }
  }

  const Trace& trace_;
  const Slices& slices_;
  GroupedSlices grouped_;
  OpenRanges open_;
  Structure out_;
};

}  // namespace

Structure build_structure(const Trace& trace) { return Builder(trace).build(); }

bool has_impossible_time(const Trace& trace, SliceId id) {
  constexpr std::int64_t kLongest_ns = 86'400'000'000'000;  // a day
  const Slices& slices = trace.slices;
  if (slices.dur_ns[id] > kLongest_ns) return true;
  if (slices.ts_ns[id] > kFarthestTime_ns || slices.ts_ns[id] < -kFarthestTime_ns) return true;
  if (slices.dur_ns[id] != 0 || !is_device_work(slices.category[id])) return false;
  // An absolute 0, which a file with a base time shows as minus that.
  return slices.ts_ns[id] == 0 || slices.ts_ns[id] == -trace.head.base_time_ns;
}

}  // namespace tracebook
