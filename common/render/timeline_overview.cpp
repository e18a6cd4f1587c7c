// SPDX-License-Identifier: Apache-2.0
#include "common/render/timeline_overview.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "common/render/terminal.h"
#include "common/render/timeline_window.h"

namespace tracebook {

void draw_overview(TimelinePage& page, const Trace& trace, const Structure& structure) {
  const Slices& slices = trace.slices;
  std::vector<Bar> bars;
  std::size_t steps = 0;
  for (const Step& step : structure.steps) {
    if (slices.dur_ns[step.slice] == 0 || has_impossible_time(trace, step.slice)) continue;
    ++steps;
    const std::string number = "#" + std::to_string(step.number);
    bars.push_back({.time = interval_of(trace, structure, step.slice),
                    .labels = {number + " " + page.time(slices.dur_ns[step.slice]), number}});
  }
  const std::vector<SliceId> outside = outside_steps(trace, structure);
  for (const SliceId id : outside)
    bars.push_back({.time = interval_of(trace, structure, id),
                    .labels = {printable(trace.name(id), page.ascii())}});
  std::stable_sort(bars.begin(), bars.end(), starts_before);
  std::vector<SliceId> work;
  for (const SliceId id : structure.device_order) {
    if (!has_impossible_time(trace, id)) work.push_back(id);
  }
  const Intervals gpu = busy_time(trace, structure, work);
  if (bars.empty() && gpu.empty()) return;  // nothing here has a possible time

  Interval all{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  const auto widen = [&all](const Interval& time) {
    all.start_ns = std::min(all.start_ns, time.start_ns);
    all.end_ns = std::max(all.end_ns, time.end_ns);
  };
  for (const Bar& bar : bars) widen(bar.time);
  for (const Interval& time : gpu) widen(time);
  const std::int64_t length_ns = all.end_ns - all.start_ns;
  std::vector<std::string> title{"Whole trace", page.time(length_ns),
                                 std::to_string(steps) + (steps == 1 ? " step" : " steps")};
  if (!gpu.empty()) {
    title.push_back("GPU busy " + page.time(total_ns(gpu)) +
                    percent_text(total_ns(gpu), length_ns));
  }
  page.add(page.joined(title), Style::kTitle);
  const Scale scale(all, page.columns());
  page.add_row("", ruler(scale, all.start_ns, page.glyphs()), Style::kFaint);
  Row row(page.columns());
  page.note(draw_bars(row, scale, bars, page.glyphs()));
  page.add_row(outside.empty() ? "steps" : "CPU", row.text(), Style::kCpu);
  if (!gpu.empty()) {
    Row blocks(page.columns());
    draw_heights(blocks, scale, gpu, page.glyphs());
    page.add_row("GPU", blocks.text(), Style::kDevice);
  }
  page.add("");
}

void sum_up_further_steps(TimelinePage& page, const Trace& trace, const Structure& structure,
                          const TimelineOptions& options) {
  if (options.only_step) return;
  const Slices& slices = trace.slices;
  int drawn = 0;
  std::int64_t first = 0;
  const Step* longest = nullptr;
  std::vector<std::int64_t> lengths_ns;
  for (const Step& step : structure.steps) {
    if (slices.dur_ns[step.slice] == 0 || has_impossible_time(trace, step.slice)) continue;
    if (drawn++ < options.max_steps) continue;
    if (lengths_ns.empty()) first = step.number;
    lengths_ns.push_back(slices.dur_ns[step.slice]);
    if (longest == nullptr || lengths_ns.back() > slices.dur_ns[longest->slice]) {
      longest = &step;
    }
  }
  if (longest == nullptr) return;
  const auto middle = lengths_ns.begin() + static_cast<std::ptrdiff_t>(lengths_ns.size() / 2);
  std::nth_element(lengths_ns.begin(), middle, lengths_ns.end());
  std::vector<std::string> line{page.more(lengths_ns.size(), "more step") + ", from #" +
                                std::to_string(first) + " on"};
  if (lengths_ns.size() > 1) line.push_back("median " + page.time(*middle));
  line.push_back((lengths_ns.size() > 1 ? "longest #" + std::to_string(longest->number) + " "
                                        : std::string()) +
                 page.time(slices.dur_ns[longest->slice]));
  page.add(page.joined(line));
  page.add("");
}

}  // namespace tracebook
