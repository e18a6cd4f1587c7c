// SPDX-License-Identifier: Apache-2.0
#include "common/trace/clock_faults.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace tracebook {
namespace {

constexpr std::int64_t kSkew_ns = 1'000;       // of CUPTI's clock against the CPU's
constexpr std::int64_t kOverrun_ns = 100'000;  // far above what one kernel may share with the next
constexpr std::int64_t kOverrunPart = 4;       // beyond the next one's start, of what lies before

/// Finds the op whose edge a call crosses.
class CrossingCalls {
 public:
  CrossingCalls(const Trace& trace, Structure& structure)
      : slices_(trace.slices), structure_(structure) {}

  void adopt() {
    for (std::size_t t = 0; t + 1 < structure_.thread_begin.size(); ++t) {
      const std::uint32_t begin = structure_.thread_begin[t];
      thread_ =
          std::span(structure_.cpu_order).subspan(begin, structure_.thread_begin[t + 1] - begin);
      for (std::size_t i = 0; i < thread_.size(); ++i) {
        if (!is_api_call(slices_.category[thread_[i]])) continue;
        SliceId op = op_that_starts_late(i);
        if (op == kNoSlice) op = op_that_ends_early(i);
        if (op == kNoSlice) continue;
        structure_.op[thread_[i]] = op;
        if (structure_.step[op] != kNoStep) structure_.step[thread_[i]] = structure_.step[op];
      }
    }
  }

 private:
  /// Whether External id allows, or even says, that the op made the call.
  [[nodiscard]] bool may_own(SliceId op, SliceId call) const {
    const std::int64_t wanted = slices_.external_id[call];
    const std::int64_t own = slices_.external_id[op];
    if (structure_.regime != ExternalIdRegime::kOp || wanted == kNoId || wanted == 0) return true;
    return wanted == own;
  }

  /// The first op that begins in the call, soon after it, and outlasts it.
  [[nodiscard]] SliceId op_that_starts_late(std::size_t place) const {
    const SliceId call = thread_[place];
    const std::int64_t end_ns = slices_.end_ns(call);
    const std::int64_t last_ns = std::min(end_ns - 1, slices_.ts_ns[call] + kSkew_ns);
    for (std::size_t i = place + 1; i < thread_.size(); ++i) {
      const SliceId other = thread_[i];
      if (slices_.ts_ns[other] > last_ns) break;
      if (is_op(slices_.category[other]) && slices_.end_ns(other) > end_ns &&
          may_own(other, call)) {
        return other;
      }
    }
    return kNoSlice;
  }

  /// The innermost op that the call began in and that ended shortly before it.
  [[nodiscard]] SliceId op_that_ends_early(std::size_t place) const {
    if (place == 0) return kNoSlice;
    const SliceId call = thread_[place];
    const std::int64_t end_ns = slices_.end_ns(call);
    const SliceId stop = structure_.parent[call];
    for (SliceId up = thread_[place - 1]; up != kNoSlice && up != stop;
         up = structure_.parent[up]) {
      const std::int64_t op_end_ns = slices_.end_ns(up);
      if (op_end_ns <= slices_.ts_ns[call] || op_end_ns >= end_ns) continue;
      if (is_op(slices_.category[up]) && end_ns - op_end_ns <= kSkew_ns && may_own(up, call)) {
        return up;
      }
    }
    return kNoSlice;
  }

  const Slices& slices_;
  Structure& structure_;
  std::span<const SliceId> thread_;
};

bool is_graph_launch(const Trace& trace, SliceId launch) {
  return launch != kNoSlice && trace.name(launch).find("GraphLaunch") != std::string_view::npos;
}

/// Whether the stream cannot have begun `next` before `work` was done.
bool run_in_order(const Trace& trace, const Structure& structure, SliceId work, SliceId next) {
  const SliceId left = structure.launch[work];
  const SliceId right = structure.launch[next];
  if (is_graph_launch(trace, left) || is_graph_launch(trace, right)) return false;
  if (left == kNoSlice || right == kNoSlice) return true;
  const auto process = [&trace](SliceId call) -> const EventId& {
    return trace.tracks[trace.slices.track[call]].pid;
  };
  return left != right && process(left) == process(right);
}

std::int64_t last_cpu_end(const Trace& trace, const Structure& structure) {
  std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
  for (const SliceId id : structure.cpu_order) {
    if (!has_impossible_time(trace, id)) last_ns = std::max(last_ns, trace.slices.end_ns(id));
  }
  return last_ns;
}

}  // namespace

void adopt_crossing_calls(const Trace& trace, Structure& structure) {
  CrossingCalls(trace, structure).adopt();
}

std::vector<Structure::CutEnd> find_overruns(const Trace& trace, const Structure& structure) {
  const Slices& slices = trace.slices;
  std::vector<Structure::CutEnd> out;
  for (std::size_t s = 0; s + 1 < structure.stream_begin.size(); ++s) {
    SliceId next = kNoSlice;
    SliceId last = kNoSlice;
    const std::size_t before = out.size();
    for (std::uint32_t i = structure.stream_begin[s + 1]; i-- > structure.stream_begin[s];) {
      const SliceId work = structure.device_order[i];
      if (slices.dur_ns[work] == 0 || has_impossible_time(trace, work)) continue;
      if (next != kNoSlice) {
        const std::int64_t before_ns = slices.ts_ns[next] - slices.ts_ns[work];
        const std::int64_t beyond_ns = slices.end_ns(work) - slices.ts_ns[next];
        if (before_ns > 0 && beyond_ns > kOverrun_ns && beyond_ns / kOverrunPart > before_ns &&
            run_in_order(trace, structure, work, next)) {
          out.push_back({work, slices.ts_ns[next]});
        }
      }
      if (next == kNoSlice) last = work;
      next = work;
    }
    // No work follows the last, but if others of its stream overran, it may have outlasted the
    // recording, too.
    if (out.size() == before) continue;
    const std::int64_t end_ns = std::max(last_cpu_end(trace, structure), slices.ts_ns[last]);
    if (slices.end_ns(last) - end_ns > kOverrun_ns) out.push_back({last, end_ns});
  }
  std::ranges::sort(out, {}, &Structure::CutEnd::id);
  return out;
}

std::int64_t Structure::believable_end_ns(const Slices& slices, SliceId id) const {
  const auto cut = std::ranges::lower_bound(overruns, id, {}, &CutEnd::id);
  return cut != overruns.end() && cut->id == id ? cut->end_ns : slices.end_ns(id);
}

std::pair<std::int64_t, std::int64_t> window_ns(const Trace& trace, const Structure& structure) {
  if (structure.overruns.empty()) return trace.window_ns();
  const Slices& slices = trace.slices;
  bool any = false;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  for (SliceId id = 0; id < slices.size(); ++id) {
    if (slices.category[id] == Category::kTraceSpan || has_impossible_time(trace, id)) continue;
    begin = any ? std::min(begin, slices.ts_ns[id]) : slices.ts_ns[id];
    const std::int64_t end_ns = structure.end_ns(slices, id);
    end = any ? std::max(end, end_ns) : end_ns;
    any = true;
  }
  return {begin, end};
}

}  // namespace tracebook
