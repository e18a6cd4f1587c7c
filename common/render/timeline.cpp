// SPDX-License-Identifier: Apache-2.0
#include "common/render/timeline.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/analysis/health.h"
#include "common/analysis/lanes.h"
#include "common/render/kernel_names.h"
#include "common/render/terminal.h"
#include "common/render/timeline_legend.h"
#include "common/render/timeline_overview.h"
#include "common/render/timeline_page.h"
#include "common/render/timeline_raster.h"
#include "common/render/timeline_window.h"

namespace tracebook {
namespace {

using Window = TimelineWindow;

constexpr std::size_t kMaxLevels = 8;
constexpr std::size_t kMaxThreads = 3;
constexpr std::size_t kMaxStreams = 4;

class Picture {
 public:
  Picture(const Trace& trace, const Structure& structure, const TimelineOptions& options)
      : trace_(trace),
        slices_(trace.slices),
        structure_(structure),
        options_(options),
        page_(options),
        windows_(timeline_windows(trace, structure, options)),
        letters_(trace, all_work()) {}

  std::string draw() {
    if (windows_.empty()) {
      page_.add_wrapped(options_.only_step ? "The step has no possible length: recording stopped "
                                             "before it ended. Without --step, what it holds "
                                             "stands after the last whole step."
                                           : why_nothing_to_show(trace_));
      return page_.take();
    }
    link_calls();
    if (structure_.steps.size() > 1 && !options_.only_step)
      draw_overview(page_, trace_, structure_);
    bool summed_up = false;
    for (const Window& window : windows_) {
      if (window.kind == Window::Kind::kAfter) {
        sum_up_further_steps(page_, trace_, structure_, options_);
        summed_up = true;
      }
      draw_window(window);
    }
    if (!summed_up) sum_up_further_steps(page_, trace_, structure_, options_);
    page_.add_key();
    return page_.take();
  }

 private:
  // Slices

  [[nodiscard]] std::string name(SliceId id) const {
    return printable(trace_.name(id), page_.ascii());
  }
  void sort_by_start(std::vector<SliceId>& ids) const {
    std::stable_sort(ids.begin(), ids.end(), [this](SliceId left, SliceId right) {
      return slices_.ts_ns[left] < slices_.ts_ns[right];
    });
  }
  /// Device work launched in a window, by start.
  [[nodiscard]] std::vector<SliceId> own_work(const Window& window) const {
    std::vector<SliceId> work;
    for (const Window::Stream& stream : window.streams) {
      work.insert(work.end(), stream.own.begin(), stream.own.end());
    }
    sort_by_start(work);
    return work;
  }
  [[nodiscard]] std::vector<SliceId> all_work() const {
    std::vector<SliceId> all;
    for (const Window& window : windows_) {
      const std::vector<SliceId> work = own_work(window);
      all.insert(all.end(), work.begin(), work.end());
    }
    return all;
  }

  /// Calls take the letter of their first work. A runtime call may hold the driver call that did
  /// it.
  void link_calls() {
    for (const SliceId work : all_work()) {
      SliceId call = structure_.launch[work];
      if (call == kNoSlice) continue;
      for (SliceId outer = structure_.parent[call];
           outer != kNoSlice && is_api_call(slices_.category[outer]);
           outer = structure_.parent[outer]) {
        call = outer;
      }
      call_letters_.try_emplace(call, letters_.of(work));
    }
    page_.seen.letters = !call_letters_.empty();
  }

  // One window

  void draw_window(const Window& window) {
    const std::vector<SliceId> work = own_work(window);
    page_.add(title_of(window, work), Style::kTitle);
    const Scale scale(window.time, page_.columns());
    page_.add_row("", ruler(scale, window.time.start_ns, page_.glyphs()), Style::kFaint);
    below_.clear();
    const std::size_t threads = std::min(window.threads.size(), kMaxThreads);
    for (std::size_t t = 0; t < threads; ++t) draw_thread(scale, window.threads[t], t);
    const std::size_t streams = std::min(window.streams.size(), kMaxStreams);
    for (std::size_t s = 0; s < streams; ++s) {
      draw_stream(scale, window.streams[s], lane_of(window.streams[s], window.streams.size()));
    }
    if (window.streams.empty() && !structure_.device_order.empty()) {
      page_.add_row("GPU", "idle", Style::kDevice);
    }
    if (window.threads.size() > threads) {
      below_.push_back(page_.more(window.threads.size() - threads, "more thread"));
    }
    if (window.streams.size() > streams) {
      below_.push_back(page_.more(window.streams.size() - streams, "more stream"));
    }
    if (window.is_cut) {
      below_.push_back("Its GPU work ends " +
                       page_.time(window.device_end_ns - window.time.start_ns) +
                       " after the step's start: beyond this picture.");
    }
    note_waits(window);
    const LegendForm form{.width = page_.width_below(), .ascii = page_.ascii()};
    const auto legend = kernel_legend(trace_, structure_, letters_, work, form);
    for (std::size_t i = 0; i < legend.size(); ++i) {
      page_.add_below(legend[i], i == 0 ? Style::kFaint : Style::kPlain);
    }
    for (const std::string& line : below_) page_.add_below(line, Style::kFaint);
    page_.add("");
  }

  [[nodiscard]] std::string title_of(const Window& window, std::span<const SliceId> work) const {
    std::int64_t length_ns = window.time.end_ns - window.time.start_ns;
    std::string what = "Whole trace";
    if (window.kind == Window::Kind::kBefore) what = "Before the steps";
    if (window.kind == Window::Kind::kAfter) what = "After the steps";
    if (window.kind == Window::Kind::kStep) {
      const SliceId step = structure_.steps[static_cast<std::size_t>(window.step)].slice;
      what = name(step);
      length_ns = slices_.dur_ns[step];
    }
    std::vector<std::string> title{what, page_.time(length_ns)};
    if (!work.empty()) {
      const std::int64_t busy_ns = total_ns(busy_time(trace_, structure_, work));
      const bool is_step = window.kind == Window::Kind::kStep;
      title.push_back((is_step ? "its GPU work " : "GPU busy ") + page_.time(busy_ns) +
                      (is_step ? std::string() : percent_text(busy_ns, length_ns)));
      if (is_step && window.device_end_ns > window.cpu_end_ns) {
        title.push_back("done " + page_.time(window.device_end_ns - window.cpu_end_ns) +
                        " after it");
      }
    }
    return page_.joined(title);
  }

  void draw_thread(const Scale& scale, const Window::Thread& thread, std::size_t index) {
    const std::string cpu = index == 0 ? "CPU" : "CPU " + std::to_string(index + 1);
    const std::string prefix = index == 0 ? "" : cpu + " ";
    if (index > 0) below_.push_back(cpu + ": thread " + thread_text(thread.track));
    const std::size_t levels = std::min(thread.levels.size(), kMaxLevels);
    for (std::size_t l = 0; l < levels; ++l) {
      std::vector<Bar> bars;
      for (const SliceId id : thread.levels[l]) {
        bars.push_back({.time = interval_of(trace_, structure_, id), .labels = range_labels(id)});
      }
      if (l > 0) add_gaps(scale, thread.levels[l - 1], bars);
      const std::string level = "level " + std::to_string(l + 1);
      draw_lane(scale, {l == 0 ? cpu : "", level, prefix + level}, bars, Style::kCpu);
    }
    if (thread.levels.size() > levels) {
      page_.add_row("", page_.more(thread.levels.size() - levels, "deeper level"), Style::kFaint);
    }
    std::vector<Bar> calls;
    calls.reserve(thread.calls.size());
    for (const SliceId id : thread.calls) calls.push_back(call_bar(id));
    if (!calls.empty()) {
      draw_lane(scale, {"CUDA API", "", prefix + "CUDA API"}, calls, Style::kCalls);
    }
    std::vector<Bar> overheads;
    overheads.reserve(thread.overheads.size());
    for (const SliceId id : thread.overheads) {
      overheads.push_back(
          {.time = interval_of(trace_, structure_, id), .labels = range_labels(id)});
    }
    if (!overheads.empty()) {
      draw_lane(scale, {"overhead", "", prefix + "overhead"}, overheads, Style::kOverhead);
    }
  }

  [[nodiscard]] Bar call_bar(SliceId id) {
    const auto letter = call_letters_.find(id);
    if (letter == call_letters_.end()) {
      return {.time = interval_of(trace_, structure_, id), .labels = range_labels(id)};
    }
    const std::string mark(1, letter->second);
    Labels& labels = call_labels_[{slices_.name[id], letter->second}];
    if (labels.empty()) labels = {mark + " " + name(id), mark};
    return {
        .time = interval_of(trace_, structure_, id), .labels = labels, .letter = letter->second};
  }

  const Labels& range_labels(SliceId id) {
    Labels& labels = range_labels_[slices_.name[id]];
    if (labels.empty()) {
      const std::string full = name(id);
      labels = {full, std::string(without_namespace(full))};
    }
    return labels;
  }
  const Labels& kernel_labels(SliceId id) {
    Labels& labels = kernel_labels_[slices_.name[id]];
    if (labels.empty()) labels = {short_kernel_name(name(id))};
    return labels;
  }

  /// From the start of a range that the user opened to its first op: time without a name.
  void add_gaps(const Scale& scale, std::span<const SliceId> parents, std::vector<Bar>& bars) {
    constexpr int kVisible = 3;
    std::vector<Bar> gaps;
    for (const SliceId parent : parents) {
      if (slices_.category[parent] != Category::kUserAnnotation) continue;
      const std::int64_t start_ns = slices_.ts_ns[parent];
      const auto child =
          std::lower_bound(bars.begin(), bars.end(), start_ns,
                           [](const Bar& bar, std::int64_t ns) { return bar.time.start_ns < ns; });
      if (child == bars.end() || child->time.start_ns >= slices_.end_ns(parent)) continue;
      const Interval gap{start_ns, child->time.start_ns};
      if (scale.cells(gap).count() < kVisible) continue;
      gaps.push_back(
          {.time = gap, .labels = {page_.time(gap.end_ns - gap.start_ns)}, .is_gap = true});
      page_.seen.gap = true;
    }
    bars.insert(bars.end(), gaps.begin(), gaps.end());
  }

  /// A lane's name; that of a lane whose bars are listed below; how the list calls it.
  struct LaneName {
    std::string usual;
    std::string listed;
    std::string in_list;
  };

  void draw_lane(const Scale& scale, const LaneName& lane, std::vector<Bar>& bars, Style style) {
    std::stable_sort(bars.begin(), bars.end(), starts_before);
    Row row(page_.columns());
    const DrawnBars drawn = draw_bars(row, scale, bars, page_.glyphs());
    page_.note(drawn);
    struct Total {
      std::string name;
      std::size_t count = 0;
      std::int64_t total_ns = 0;
    };
    const auto totals_of = [&](bool with_letters) {
      std::vector<Total> totals;
      std::unordered_map<std::string_view, std::size_t> place;
      for (const std::size_t i : drawn.unnamed) {
        std::string_view text = bars[i].labels.front();
        if (bars[i].letter != 0 && !with_letters) text.remove_prefix(2);  // letter and blank
        const auto [entry, is_new] = place.try_emplace(text, totals.size());
        if (is_new) totals.push_back({std::string(text)});
        Total& total = totals[entry->second];
        ++total.count;
        total.total_ns += bars[i].time.end_ns - bars[i].time.start_ns;
      }
      return totals;
    };
    // A few stay in the order in which they stand in the lane; of many, the longest matter.
    constexpr std::size_t kFew = 4;
    std::vector<Total> totals = totals_of(true);
    if (totals.size() > kFew) {
      totals = totals_of(false);
      std::stable_sort(totals.begin(), totals.end(), [](const Total& left, const Total& right) {
        return left.total_ns > right.total_ns;
      });
    }
    const bool is_listed = !totals.empty();
    page_.add_row(lane.usual.empty() && is_listed ? lane.listed : lane.usual, row.text(), style);
    if (!is_listed) return;
    std::string line;
    for (const Total& total : totals) {
      line += (line.empty() ? lane.in_list + ": " : ", ") + page_.counted(total.count, total.name);
    }
    below_.push_back(line);
  }

  [[nodiscard]] std::string id_text(const EventId& id) const {
    return id.is_text ? std::string(trace_.strings.view(id.text)) : std::to_string(id.number);
  }
  [[nodiscard]] std::string lane_of(const Window::Stream& stream, std::size_t streams) const {
    const Track& track = trace_.tracks[stream.track];
    return streams == 1 ? "GPU" : "GPU" + std::to_string(track.device) + " s" + id_text(track.tid);
  }
  [[nodiscard]] std::string thread_text(TrackId track_id) const {
    const Track& track = trace_.tracks[track_id];
    for (const ThreadName& thread : trace_.threads) {
      if (thread.pid != track.pid || thread.tid != track.tid || thread.name.empty()) continue;
      return id_text(track.tid) + ", " + thread.name;
    }
    return id_text(track.tid);
  }

  void draw_stream(const Scale& scale, const Window::Stream& stream, const std::string& lane) {
    std::vector<Bar> bars;
    bars.reserve(stream.own.size());
    for (const SliceId id : stream.own) {
      bars.push_back({.time = interval_of(trace_, structure_, id),
                      .labels = kernel_labels(id),
                      .letter = letters_.of(id)});
    }
    Row labels(page_.columns());
    draw_labels(labels, scale, bars, page_.glyphs());
    if (!bars.empty()) page_.add_row(lane, labels.text(), Style::kDevice);
    Row blocks(page_.columns());
    for (const SliceId id : stream.other) {
      const Scale::Cells cells = scale.cells(interval_of(trace_, structure_, id));
      blocks.fill(cells.begin, cells.end, page_.glyphs().other_work);
      page_.seen.other_work = true;
    }
    draw_heights(blocks, scale, busy_time(trace_, structure_, stream.own), page_.glyphs());
    page_.add_row(bars.empty() ? lane : "", blocks.text(), Style::kDevice);
    page_.seen.work = page_.seen.work || !bars.empty();
  }

  /// What the GPU did while the CPU waited for it.
  void note_waits(const Window& window) {
    std::vector<SliceId> work;
    for (const Window::Stream& stream : window.streams) {
      work.insert(work.end(), stream.own.begin(), stream.own.end());
      work.insert(work.end(), stream.other.begin(), stream.other.end());
    }
    const Intervals gpu = busy_time(trace_, structure_, work);
    struct Waits {
      std::size_t count = 0;
      std::int64_t total_ns = 0;
      std::int64_t busy_ns = 0;
    };
    std::map<std::string, Waits> by_call;
    for (const Window::Thread& thread : window.threads) {
      for (const SliceId id : thread.calls) {
        if (trace_.name(id).find("Synchronize") == std::string_view::npos) continue;
        Waits& waits = by_call[name(id)];
        ++waits.count;
        waits.total_ns += slices_.dur_ns[id];
        waits.busy_ns += covered_ns(gpu, slices_.ts_ns[id], slices_.end_ns(id));
      }
    }
    for (const auto& [call, waits] : by_call) {
      below_.push_back(page_.counted(waits.count, call) + ", " + page_.time(waits.total_ns) +
                       ": the GPU worked for " + page_.time(waits.busy_ns) + " of it");
    }
  }

  const Trace& trace_;
  const Slices& slices_;
  const Structure& structure_;
  const TimelineOptions& options_;
  TimelinePage page_;
  std::vector<Window> windows_;
  KernelLetters letters_;
  std::map<SliceId, char> call_letters_;
  std::unordered_map<StringId, Labels> range_labels_;
  std::unordered_map<StringId, Labels> kernel_labels_;
  std::map<std::pair<StringId, char>, Labels> call_labels_;
  std::vector<std::string> below_;  ///< lines to stand below the window's lanes
};

}  // namespace

std::string render_timeline(const Trace& trace, const Structure& structure,
                            const TimelineOptions& options) {
  return Picture(trace, structure, options).draw();
}

}  // namespace tracebook
