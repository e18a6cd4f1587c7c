// SPDX-License-Identifier: Apache-2.0
#include "common/render/table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <vector>

#include "common/render/terminal.h"

namespace tracebook {
namespace {

constexpr std::size_t kColumnWidth = 12;
constexpr std::size_t kMaxShapesWidth = 80;  // torch's default
constexpr std::string_view kSpacing = "  ";

template <typename... Values>
std::string print(const char* format, Values... values) {
  std::array<char, 400> text{};  // the longest double has 309 digits before its point
  const int size = std::snprintf(text.data(), text.size(), format, values...);
  return {text.data(), static_cast<std::size_t>(size)};
}

/// torch computes in double microseconds; the same operations round the same way.
double microseconds(std::int64_t ns) { return static_cast<double>(ns) / 1000.0; }

std::string format_microseconds(double us) {
  constexpr double kSecond = 1000.0 * 1000.0;
  constexpr double kMillisecond = 1000.0;
  if (us >= kSecond) return print("%.3fs", us / kSecond);
  if (us >= kMillisecond) return print("%.3fms", us / kMillisecond);
  return print("%.3fus", us);
}

std::string format_average(std::int64_t total_ns, std::int64_t count) {
  return format_microseconds(count == 0 ? 0.0
                                        : microseconds(total_ns) / static_cast<double>(count));
}

std::string format_share(std::int64_t ns, std::int64_t total_ns) {
  return total_ns == 0 ? "NaN" : print("%.2f%%", microseconds(ns) * 100.0 / microseconds(total_ns));
}

class Table {
 public:
  Table(const Averages& averages, const TableOptions& options)
      : averages_(averages), options_(options) {
    has_device_time_ = options.has_device_time &&
                       std::any_of(averages.rows.begin(), averages.rows.end(),
                                   [](const AverageRow& row) { return row.self_device_ns > 0; });
    // The widest name of all rows counts, also of rows beyond the limit.
    for (const AverageRow& row : averages.rows) {
      name_width_ = std::max(name_width_, character_count(row.key) + 4);
    }
    if (options.max_name_column_width > 0) {
      name_width_ = std::min(name_width_, static_cast<std::size_t>(options.max_name_column_width));
    }
    for (const AverageRow& row : averages.rows) {
      shapes_width_ = std::max(shapes_width_, character_count(row.shape) + 4);
    }
    shapes_width_ = std::min(shapes_width_, kMaxShapesWidth);
  }

  std::string render() {
    const std::vector<std::string> headers = heads();
    add_rule(headers.size());
    add_line(headers);
    add_rule(headers.size());
    int shown = 0;
    for (const AverageRow& row : averages_.rows) {
      if (shown++ == options_.row_limit) break;
      add_line(cells(row));
    }
    add_rule(headers.size());
    out_ += "Self CPU time total: " + format_time(averages_.self_cpu_total_ns) + "\n";
    if (has_device_time_) {
      out_ += "Self CUDA time total: " + format_time(averages_.self_device_total_ns) + "\n";
    }
    if (options_.span_note) add_span_note();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::vector<std::string> heads() const {
    std::vector<std::string> heads{"Name",        "Self CPU %", "Self CPU",
                                   "CPU total %", "CPU total",  "CPU time avg"};
    if (has_device_time_) {
      heads.insert(heads.end(), {"Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg"});
    }
    heads.emplace_back("# of Calls");
    if (averages_.options.by_step) heads.emplace_back("Step");
    if (averages_.options.stats) {
      heads.insert(heads.end(), {"Call min", "Call median", "Call max", "Call spread"});
    }
    if (averages_.options.by_shape) heads.emplace_back("Input Shapes");
    return heads;
  }

  [[nodiscard]] std::string shown_name(const AverageRow& row) const {
    const int limit = options_.max_name_column_width;
    const int room = std::max(limit - 3, 0);
    if (limit <= 0 || character_count(row.key) < static_cast<std::size_t>(room)) {
      return printable(row.key);
    }
    return printable(first_characters(row.key, static_cast<std::size_t>(room))) + "...";
  }

  [[nodiscard]] std::vector<std::string> cells(const AverageRow& row) const {
    std::vector<std::string> cells{shown_name(row),
                                   format_share(row.self_cpu_ns, averages_.self_cpu_total_ns),
                                   format_time(row.self_cpu_ns),
                                   format_share(row.cpu_ns, averages_.self_cpu_total_ns),
                                   format_time(row.cpu_ns),
                                   format_average(row.cpu_ns, row.count)};
    if (has_device_time_) {
      cells.push_back(format_time(row.self_device_ns));
      cells.push_back(format_share(row.self_device_ns, averages_.self_device_total_ns));
      cells.push_back(format_time(row.device_ns));
      cells.push_back(format_average(row.device_ns, row.count));
    }
    cells.push_back(std::to_string(row.count));
    if (averages_.options.by_step) cells.push_back(row.step ? std::to_string(*row.step) : "-");
    if (averages_.options.stats) {
      const CallTimes calls = row.calls.value_or(CallTimes{});
      for (const std::int64_t ns : {calls.min_ns, calls.median_ns, calls.max_ns, calls.spread_ns}) {
        cells.push_back(format_time(ns));
      }
    }
    if (averages_.options.by_shape) {
      cells.push_back(printable(first_characters(row.shape, shapes_width_)));
    }
    return cells;
  }

  [[nodiscard]] std::size_t width_of(std::size_t column, std::size_t columns) const {
    if (column == 0) return name_width_;
    return averages_.options.by_shape && column + 1 == columns ? shapes_width_ : kColumnWidth;
  }

  void add_rule(std::size_t columns) {
    for (std::size_t c = 0; c < columns; ++c) {
      out_.append(width_of(c, columns), '-');
      out_ += kSpacing;
    }
    out_ += '\n';
  }

  void add_line(const std::vector<std::string>& cells) {
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::size_t room = width_of(c, cells.size());
      out_.append(room - std::min(room, character_count(cells[c])), ' ');
      out_ += cells[c];
      out_ += kSpacing;
    }
    out_ += '\n';
  }

  void add_span_note() {
    std::string names;
    int count = 0;
    for (const AverageRow& row : averages_.rows) {
      if (!row.is_span || ++count > 3) continue;
      names += (names.empty() ? "" : ", ") + printable(row.key);
    }
    if (count == 0) return;
    if (count > 3) names += " and " + std::to_string(count - 3) + " more";
    out_ +=
        "Spans, not work (the time on the GPU from a range's first to its last kernel, idle time "
        "included): " +
        names + "\n";
  }

  const Averages& averages_;
  const TableOptions& options_;
  bool has_device_time_ = false;
  std::size_t name_width_ = 0;
  std::size_t shapes_width_ = kColumnWidth;
  std::string out_;
};

}  // namespace

std::string format_time(std::int64_t ns) { return format_microseconds(microseconds(ns)); }

std::string render_table(const Averages& averages, const TableOptions& options) {
  if (averages.rows.empty()) return "";
  return Table(averages, options).render();
}

}  // namespace tracebook
