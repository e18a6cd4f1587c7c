// SPDX-License-Identifier: Apache-2.0
#include "common/render/compact_table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace tracebook {
namespace {

constexpr std::size_t kNumberColumns = 5;
constexpr std::size_t kMinNameWidth = 10;
using Heads = std::array<std::string_view, kNumberColumns>;
constexpr Heads kHeads{"Self CPU", "CPU total", "Self CUDA", "CUDA total", "Calls"};
constexpr Heads kStatsHeads{"Min", "Median", "Max", "Spread", "Calls"};

struct Line {
  std::string name;
  std::array<std::string, kNumberColumns> numbers;
};

Line line_of(const AverageRow& row, const AveragesOptions& options) {
  const bool cpu = row.device_type == DeviceType::kCpu;
  Line line;
  // What keeps rows of one name apart stands in front, where it is not cut off.
  if (options.by_step) line.name = (row.step ? std::to_string(*row.step) : "-") + " ";
  line.name += printable(row.key) + (row.is_span ? " (GPU span)" : "");
  if (options.by_shape && !row.shape.empty()) line.name += " " + printable(row.shape);
  if (options.stats) {
    const CallTimes calls = row.calls.value_or(CallTimes{});
    line.numbers = {format_time(calls.min_ns), format_time(calls.median_ns),
                    format_time(calls.max_ns), format_time(calls.spread_ns),
                    std::to_string(row.count)};
    return line;
  }
  line.numbers = {cpu ? format_time(row.self_cpu_ns) : "-", cpu ? format_time(row.cpu_ns) : "-",
                  row.self_device_ns == 0 ? "-" : format_time(row.self_device_ns),
                  row.device_ns == 0 ? "-" : format_time(row.device_ns), std::to_string(row.count)};
  return line;
}

std::size_t longest_line(std::string_view text) {
  std::size_t longest = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    longest = std::max(longest, display_width(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return longest;
}

}  // namespace

std::string render_compact_table(const Averages& averages, const TableOptions& options, int width) {
  std::vector<Line> lines;
  for (const AverageRow& row : averages.rows) {
    if (options.row_limit >= 0 && lines.size() == static_cast<std::size_t>(options.row_limit))
      break;
    lines.push_back(line_of(row, averages.options));
  }
  const bool stats = averages.options.stats;
  const Heads& heads = stats ? kStatsHeads : kHeads;
  std::array<std::size_t, kNumberColumns> widths{};
  std::size_t numbers_width = 0;
  for (std::size_t c = 0; c < kNumberColumns; ++c) {
    widths[c] = heads[c].size();
    for (const Line& line : lines) widths[c] = std::max(widths[c], line.numbers[c].size());
    numbers_width += widths[c] + 2;
  }
  std::array<bool, kNumberColumns> shown{true, true, true, true, true};
  // As in torch's form, a trace without device time has no CUDA columns.
  const bool has_device_time =
      options.has_device_time &&
      std::any_of(averages.rows.begin(), averages.rows.end(),
                  [](const AverageRow& row) { return row.self_device_ns > 0; });
  const auto hide = [&](std::size_t column) {
    if (shown[column]) numbers_width -= widths[column] + 2;
    shown[column] = false;
  };
  if (!has_device_time && !stats) {
    hide(2);
    hide(3);
  }
  const auto room = static_cast<std::size_t>(std::max(width, 40));
  // On a very narrow terminal the totals go, then the self times (of the calls' times all but the
  // median): the name must stay legible.
  constexpr std::array<std::size_t, 3> kFirstToGo{1, 3, 0};
  constexpr std::array<std::size_t, 3> kFirstStatsToGo{3, 0, 2};
  for (const std::size_t c : stats ? kFirstStatsToGo : kFirstToGo) {
    if (numbers_width + kMinNameWidth <= room) break;
    hide(c);
  }
  std::size_t name_width = display_width(averages.options.by_step ? "Step, name" : "Name");
  for (const Line& line : lines) name_width = std::max(name_width, display_width(line.name));
  name_width = std::min(name_width, room - numbers_width);

  std::string out;
  const auto add = [&](const std::string& name, auto&& cell) {
    std::string line = fitted(name, name_width);
    for (std::size_t c = 0; c < kNumberColumns; ++c) {
      if (!shown[c]) continue;
      const std::string text(cell(c));
      line += std::string(widths[c] + 2 - text.size(), ' ') + text;
    }
    out += line + "\n";
  };
  add(averages.options.by_step ? "Step, name" : "Name",
      [&heads](std::size_t c) { return heads[c]; });
  out += std::string(name_width + numbers_width, '-') + "\n";
  for (const Line& line : lines) {
    add(line.name, [&line](std::size_t c) { return std::string_view(line.numbers[c]); });
  }
  if (lines.size() < averages.rows.size()) {
    const std::size_t more = averages.rows.size() - lines.size();
    out += "… " + std::to_string(more) + (more == 1 ? " more row\n" : " more rows\n");
  }
  out += "Self CPU time total: " + format_time(averages.self_cpu_total_ns) + "\n";
  if (has_device_time) {
    out += "Self CUDA time total: " + format_time(averages.self_device_total_ns) + "\n";
  }
  return out;
}

std::string render_table_for(const Averages& averages, const TableOptions& options,
                             const Terminal& terminal) {
  std::string full = render_table(averages, options);
  if (!terminal.is_terminal || longest_line(full) <= static_cast<std::size_t>(terminal.width)) {
    return full;
  }
  return render_compact_table(averages, options, terminal.width);
}

}  // namespace tracebook
