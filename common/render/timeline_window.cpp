// SPDX-License-Identifier: Apache-2.0
#include "common/render/timeline_window.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

namespace tracebook {
namespace {

using Kind = TimelineWindow::Kind;

constexpr std::int32_t kNoWindow = -1;
/// Work that a deep queue delays by more than so many lengths of the step would leave the step
/// itself too small to see.
constexpr std::int64_t kMaxStretch = 8;

class WindowBuilder {
 public:
  WindowBuilder(const Trace& trace, const Structure& structure, const TimelineOptions& options)
      : trace_(trace), slices_(trace.slices), structure_(structure) {
    const auto is_drawable = [this](const Step& step) {
      return slices_.dur_ns[step.slice] > 0 && !has_impossible_time(trace_, step.slice);
    };
    if (std::ranges::none_of(structure.steps, is_drawable)) {
      if (options.only_step) return;
      windows_.push_back({.kind = Kind::kWhole});
      return;
    }
    first_start_ns_ = std::numeric_limits<std::int64_t>::max();
    last_end_ns_ = std::numeric_limits<std::int64_t>::min();
    for (const Step& step : structure.steps) {
      starts_ns_.push_back(slices_.ts_ns[step.slice]);
      if (!is_drawable(step)) continue;
      first_start_ns_ = std::min(first_start_ns_, slices_.ts_ns[step.slice]);
      last_end_ns_ = std::max(last_end_ns_, slices_.end_ns(step.slice));
    }
    window_of_step_.assign(structure.steps.size(), kNoWindow);
    can_draw_step_.assign(structure.steps.size(), false);
    if (!options.only_step) add_window(Kind::kBefore, kNoStep);
    int drawn = 0;
    for (std::size_t i = 0; i < structure.steps.size(); ++i) {
      if (!is_drawable(structure.steps[i])) continue;
      can_draw_step_[i] = true;
      const bool wanted = options.only_step ? structure.steps[i].number == *options.only_step
                                            : drawn < options.max_steps;
      if (!wanted) continue;
      ++drawn;
      window_of_step_[i] = add_window(Kind::kStep, static_cast<std::int32_t>(i));
    }
    if (!options.only_step) after_ = add_window(Kind::kAfter, kNoStep);
  }

  std::vector<TimelineWindow> build() {
    add_threads();
    add_own_work();
    for (TimelineWindow& window : windows_) {
      if (is_empty(window)) continue;
      set_time(window);
      add_other_work(window);
    }
    std::erase_if(windows_, is_empty);
    return std::move(windows_);
  }

 private:
  static bool is_empty(const TimelineWindow& window) {
    return window.threads.empty() && window.streams.empty();
  }

  std::int32_t add_window(Kind kind, std::int32_t step) {
    windows_.push_back({.kind = kind, .step = step});
    return static_cast<std::int32_t>(windows_.size() - 1);
  }

  /// Where something outside all steps belongs, by its start. What begins between two steps is not
  /// drawn by itself, nor what encloses a step.
  [[nodiscard]] std::int32_t window_of_outsider(SliceId id, std::int64_t at_ns) const {
    if (windows_.empty()) return kNoWindow;
    if (windows_.front().kind == Kind::kWhole) return 0;
    if (windows_.front().kind != Kind::kBefore) return kNoWindow;
    if (at_ns >= last_end_ns_) return after_;
    const bool is_before = at_ns < first_start_ns_ && (is_device_work(slices_.category[id]) ||
                                                       slices_.end_ns(id) <= first_start_ns_);
    return is_before ? 0 : kNoWindow;
  }

  [[nodiscard]] std::int32_t window_of(SliceId id, std::int64_t at_ns) const {
    const std::int32_t step = structure_.step[id];
    if (step != kNoStep && !can_draw_step_.empty() &&
        can_draw_step_[static_cast<std::size_t>(step)]) {
      return window_of_step_[static_cast<std::size_t>(step)];
    }
    return window_of_outsider(id, at_ns);  // also what lies in a step without a possible length
  }

  void add_threads() {
    std::vector<std::uint16_t> level(slices_.size(), 0);
    for (std::size_t t = 0; t + 1 < structure_.thread_begin.size(); ++t) {
      std::map<std::int32_t, std::size_t> place;  // of this thread in a window's list
      for (std::uint32_t i = structure_.thread_begin[t]; i < structure_.thread_begin[t + 1]; ++i) {
        const SliceId id = structure_.cpu_order[i];
        const SliceId parent = structure_.parent[id];
        if (parent != kNoSlice) {
          const bool is_drawn = is_op(slices_.category[parent]);
          level[id] = static_cast<std::uint16_t>(level[parent] + (is_drawn ? 1 : 0));
        }
        const Category category = slices_.category[id];
        if (category == Category::kPythonFunction || has_impossible_time(trace_, id)) continue;
        if (is_api_call(category) && parent != kNoSlice && is_api_call(slices_.category[parent])) {
          continue;
        }
        const std::int32_t w = window_of(id, slices_.ts_ns[id]);
        if (w == kNoWindow) continue;
        TimelineWindow& window = windows_[static_cast<std::size_t>(w)];
        const auto [entry, is_new] = place.try_emplace(w, window.threads.size());
        if (is_new) window.threads.push_back({.track = slices_.track[id]});
        add_to_thread(window.threads[entry->second], id, level[id]);
        window.cpu_end_ns = is_new && window.threads.size() == 1
                                ? slices_.end_ns(id)
                                : std::max(window.cpu_end_ns, slices_.end_ns(id));
      }
    }
    for (TimelineWindow& window : windows_) order_threads(window);
  }

  void add_to_thread(TimelineWindow::Thread& thread, SliceId id, std::size_t level) {
    const Category category = slices_.category[id];
    if (category == Category::kOverhead) {
      thread.overheads.push_back(id);
      return;
    }
    thread.track = slices_.track[id];  // an overhead record's track is none of a thread
    if (is_api_call(category)) {
      thread.calls.push_back(id);
      if (structure_.parent[id] == kNoSlice) thread.busy_ns += slices_.dur_ns[id];
      return;
    }
    if (thread.levels.size() <= level) thread.levels.resize(level + 1);
    thread.levels[level].push_back(id);
    if (structure_.op[id] == kNoSlice) thread.busy_ns += slices_.dur_ns[id];
  }

  void order_threads(TimelineWindow& window) {
    for (TimelineWindow::Thread& thread : window.threads) {
      // Levels of ranges that enclose the whole window are empty here.
      const auto first = std::find_if(thread.levels.begin(), thread.levels.end(),
                                      [](const auto& level) { return !level.empty(); });
      thread.levels.erase(thread.levels.begin(), first);
      std::erase_if(thread.levels, [](const auto& level) { return level.empty(); });
    }
    const SliceId step = window.step == kNoStep
                             ? kNoSlice
                             : structure_.steps[static_cast<std::size_t>(window.step)].slice;
    const auto holds_step = [step](const TimelineWindow::Thread& thread) {
      return step != kNoSlice && !thread.levels.empty() && thread.levels.front().front() == step;
    };
    std::stable_sort(window.threads.begin(), window.threads.end(),
                     [&holds_step](const auto& left, const auto& right) {
                       if (holds_step(left) != holds_step(right)) return holds_step(left);
                       return left.busy_ns > right.busy_ns;
                     });
  }

  /// Calls `use` for the device work of each stream that has possible times.
  template <typename Use>
  void for_each_work(Use use) const {
    for (std::size_t s = 0; s + 1 < structure_.stream_begin.size(); ++s) {
      for (std::uint32_t i = structure_.stream_begin[s]; i < structure_.stream_begin[s + 1]; ++i) {
        const SliceId id = structure_.device_order[i];
        if (!has_impossible_time(trace_, id)) use(id);
      }
    }
  }

  [[nodiscard]] std::int32_t window_of_work(SliceId id) const {
    const SliceId call = structure_.launch[id];
    if (call != kNoSlice) return window_of(id, slices_.ts_ns[call]);
    // Nobody is known to have launched it: it is shown where it ran.
    const std::int64_t at_ns = slices_.ts_ns[id];
    const auto next = std::upper_bound(starts_ns_.begin(), starts_ns_.end(), at_ns);
    if (next != starts_ns_.begin()) {
      const auto step = static_cast<std::size_t>(next - starts_ns_.begin() - 1);
      if (at_ns < slices_.end_ns(structure_.steps[step].slice)) return window_of_step_[step];
    }
    return window_of_outsider(id, at_ns);
  }

  static TimelineWindow::Stream& stream_of(TimelineWindow& window, TrackId track) {
    // The work of a stream comes in one run.
    for (auto stream = window.streams.rbegin(); stream != window.streams.rend(); ++stream) {
      if (stream->track == track) return *stream;
    }
    return window.streams.emplace_back(TimelineWindow::Stream{.track = track});
  }

  void add_own_work() {
    for_each_work([this](SliceId id) {
      const std::int32_t w = window_of_work(id);
      if (w == kNoWindow) return;
      TimelineWindow& window = windows_[static_cast<std::size_t>(w)];
      window.device_end_ns = window.streams.empty()
                                 ? structure_.end_ns(slices_, id)
                                 : std::max(window.device_end_ns, structure_.end_ns(slices_, id));
      stream_of(window, slices_.track[id]).own.push_back(id);
    });
    for (TimelineWindow& window : windows_) {
      std::map<TrackId, std::int64_t> work_ns;
      for (const TimelineWindow::Stream& stream : window.streams) {
        for (const SliceId id : stream.own) work_ns[stream.track] += structure_.dur_ns(slices_, id);
      }
      std::stable_sort(window.streams.begin(), window.streams.end(),
                       [&work_ns](const auto& left, const auto& right) {
                         return work_ns[left.track] > work_ns[right.track];
                       });
    }
  }

  void set_time(TimelineWindow& window) const {
    if (window.kind == Kind::kStep) {
      const SliceId step = structure_.steps[static_cast<std::size_t>(window.step)].slice;
      window.time = {slices_.ts_ns[step], std::max(slices_.end_ns(step), window.cpu_end_ns)};
      window.cpu_end_ns = slices_.end_ns(step);
      const std::int64_t room_ns = std::max<std::int64_t>(slices_.dur_ns[step], 1) * kMaxStretch;
      window.is_cut = window.device_end_ns - window.time.start_ns > room_ns;
      if (!window.is_cut) window.time.end_ns = std::max(window.time.end_ns, window.device_end_ns);
      return;
    }
    std::int64_t start_ns = std::numeric_limits<std::int64_t>::max();
    std::int64_t end_ns = window.threads.empty() ? window.device_end_ns : window.cpu_end_ns;
    if (!window.streams.empty()) end_ns = std::max(end_ns, window.device_end_ns);
    for (const TimelineWindow::Thread& thread : window.threads) {
      if (!thread.levels.empty()) {
        start_ns = std::min(start_ns, slices_.ts_ns[thread.levels.front().front()]);
      }
      for (const auto* list : {&thread.calls, &thread.overheads}) {
        if (!list->empty()) start_ns = std::min(start_ns, slices_.ts_ns[list->front()]);
      }
    }
    for (const TimelineWindow::Stream& stream : window.streams) {
      start_ns = std::min(start_ns, slices_.ts_ns[stream.own.front()]);
    }
    if (window.kind == Kind::kAfter) start_ns = std::min(start_ns, last_end_ns_);
    if (window.kind == Kind::kBefore) end_ns = std::max(end_ns, first_start_ns_);
    window.time = {start_ns, std::max(end_ns, start_ns)};
  }

  void add_other_work(TimelineWindow& window) const {
    const auto index = static_cast<std::int32_t>(&window - windows_.data());
    for_each_work([this, &window, index](SliceId id) {
      if (slices_.ts_ns[id] >= window.time.end_ns ||
          structure_.end_ns(slices_, id) <= window.time.start_ns) {
        return;
      }
      if (window_of_work(id) == index) return;
      stream_of(window, slices_.track[id]).other.push_back(id);
    });
  }

  const Trace& trace_;
  const Slices& slices_;
  const Structure& structure_;
  std::vector<TimelineWindow> windows_;
  std::vector<std::int32_t> window_of_step_;
  std::vector<bool> can_draw_step_;
  std::vector<std::int64_t> starts_ns_;  // of the steps
  std::int32_t after_ = kNoWindow;
  std::int64_t first_start_ns_ = 0;
  std::int64_t last_end_ns_ = 0;
};

}  // namespace

std::vector<TimelineWindow> timeline_windows(const Trace& trace, const Structure& structure,
                                             const TimelineOptions& options) {
  return WindowBuilder(trace, structure, options).build();
}

std::vector<SliceId> outside_steps(const Trace& trace, const Structure& structure) {
  const Slices& slices = trace.slices;
  std::vector<std::int64_t> starts_ns;
  starts_ns.reserve(structure.steps.size());
  for (const Step& step : structure.steps) starts_ns.push_back(slices.ts_ns[step.slice]);
  std::vector<bool> encloses(slices.size(), false);
  std::vector<SliceId> found;
  for (const SliceId id : structure.cpu_order) {
    const Category category = slices.category[id];
    const bool is_shown = is_op(category) || is_api_call(category);
    if (structure.step[id] != kNoStep || !is_shown || has_impossible_time(trace, id)) continue;
    const auto next = std::lower_bound(starts_ns.begin(), starts_ns.end(), slices.ts_ns[id]);
    encloses[id] = next != starts_ns.end() && *next < slices.end_ns(id);
    SliceId outer = structure.parent[id];
    while (outer != kNoSlice &&
           (encloses[outer] || slices.category[outer] == Category::kPythonFunction)) {
      outer = structure.parent[outer];
    }
    if (!encloses[id] && outer == kNoSlice) found.push_back(id);
  }
  std::stable_sort(found.begin(), found.end(), [&slices](SliceId left, SliceId right) {
    return slices.ts_ns[left] < slices.ts_ns[right];
  });
  return found;
}

Intervals busy_time(const Trace& trace, const Structure& structure, std::span<const SliceId> ids) {
  Intervals all;
  all.reserve(ids.size());
  for (const SliceId id : ids) all.push_back(interval_of(trace, structure, id));
  return merge_intervals(std::move(all));
}

}  // namespace tracebook
