// SPDX-License-Identifier: Apache-2.0
#include "common/render/timeline_raster.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>

#include "common/render/terminal.h"

namespace tracebook {
namespace {

constexpr double kMicrosecond_ns = 1e3;
constexpr double kMillisecond_ns = 1e6;
constexpr double kSecond_ns = 1e9;

std::string print(const char* format, double value, std::string_view unit) {
  std::array<char, 64> text{};
  const int size = std::snprintf(text.data(), text.size(), format, value);
  return std::string(text.data(), static_cast<std::size_t>(size)) + " " + std::string(unit);
}

/// A bar's place in the line, or that of several bars that share a cell.
struct Placed {
  int begin = 0;
  int end = 0;
  std::vector<std::size_t> bars;
  char letter = 0;  ///< that of all its bars; 0 where they differ
};

/// Every bar gets a cell of its own if there is one: where two meet in a cell, the one that has
/// others gives it up.
std::vector<Placed> place(const std::vector<Bar>& bars, const std::vector<Scale::Cells>& cells) {
  std::vector<Placed> placed;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    auto [begin, end] = cells[i];
    if (begin == end) continue;
    if (!placed.empty() && begin < placed.back().end) {
      Placed& last = placed.back();
      if (begin > last.begin && last.bars.size() == 1) {
        last.end = begin;
      } else if (end > last.end) {
        begin = last.end;
      } else {
        last.bars.push_back(i);
        if (last.letter != bars[i].letter) last.letter = 0;
        continue;
      }
    }
    placed.push_back({begin, end, {i}, bars[i].letter});
  }
  return placed;
}

/// The first label that fits between the brackets, with lines or blanks around it if they fit too.
std::string label_for(const Bar& bar, std::size_t room, const Glyphs& glyphs) {
  for (const std::string& label : bar.labels.all()) {
    const std::size_t width = display_width(label);
    if (width + 3 <= room) return std::string(glyphs.line) + " " + label + " ";
    if (width + 2 <= room) return " " + label + " ";
    if (width <= room) return label;
  }
  constexpr std::size_t kShortest = 5;
  if (bar.labels.empty() || room < kShortest) return "";
  return shortened(bar.labels.front(), room, glyphs.ascii);
}

/// Draws one bar; false if its name did not fit.
bool draw_bar(Row& row, const Placed& at, const Bar& bar, const Glyphs& glyphs) {
  const int width = at.end - at.begin;
  if (bar.is_gap) {
    row.fill(at.begin, at.end, glyphs.gap);
    const std::string label = " " + bar.labels.front() + " ";
    const int label_width = static_cast<int>(display_width(label));
    if (label_width + 2 <= width) {
      row.write(at.begin + (width - label_width) / 2, label, label_width);
    }
    return true;
  }
  if (width <= 2) {
    const std::string mark = bar.letter != 0
                                 ? std::string(1, bar.letter)
                                 : std::string(width == 1 ? glyphs.single : glyphs.left);
    row.write(at.begin, mark, 1);
    if (width == 2) row.write(at.begin + 1, glyphs.right, 1);
    return false;
  }
  row.fill(at.begin, at.end, glyphs.line);
  row.write(at.begin, glyphs.left, 1);
  row.write(at.end - 1, glyphs.right, 1);
  const std::string label = label_for(bar, static_cast<std::size_t>(width) - 2, glyphs);
  row.write(at.begin + 1, label, width - 2);
  // A letter alone is no name.
  if (bar.letter == 0) return !label.empty();
  return label.find(bar.labels.front()) != std::string::npos;
}

}  // namespace

const Glyphs& unicode_glyphs() {
  static const Glyphs kGlyphs{.ascii = false,
                              .left = "├",
                              .right = "┤",
                              .line = "─",
                              .single = "│",
                              .many = "▒",
                              .gap = "·",
                              .tick = "┬",
                              .other_work = "░",
                              .heights = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}};
  return kGlyphs;
}

const Glyphs& ascii_glyphs() {
  static const Glyphs kGlyphs{.ascii = true,
                              .left = "[",
                              .right = "]",
                              .line = "-",
                              .single = "|",
                              .many = "%",
                              .gap = ".",
                              .tick = "+",
                              .other_work = "-",
                              .heights = {".", ":", "#"}};
  return kGlyphs;
}

Scale::Scale(Interval window, int columns)
    : window_(window),
      columns_(std::max(columns, 1)),
      length_ns_(std::max(
          1.0, static_cast<double>(window.end_ns) - static_cast<double>(window.start_ns))) {}

double Scale::position(std::int64_t ns) const {
  const double since_ns = static_cast<double>(ns) - static_cast<double>(window_.start_ns);
  return since_ns / length_ns_ * columns_;
}

int Scale::cell_at(std::int64_t ns) const {
  return static_cast<int>(std::clamp(std::floor(position(ns)), 0.0, columns_ - 1.0));
}

Scale::Cells Scale::cells(Interval time) const {
  const bool outside = time.end_ns < window_.start_ns || time.start_ns > window_.end_ns;
  const double last = columns_;
  Cells cells;
  if (outside) return cells;
  cells.begin = static_cast<int>(std::lround(std::clamp(position(time.start_ns), 0.0, last)));
  cells.end = static_cast<int>(std::lround(std::clamp(position(time.end_ns), 0.0, last)));
  // What is too short for a border keeps to the cell in which it began.
  if (cells.begin == cells.end) cells = {cell_at(time.start_ns), cell_at(time.start_ns) + 1};
  return cells;
}

Scale::Cells Scale::touched_cells(Interval time) const {
  if (time.end_ns < window_.start_ns || time.start_ns > window_.end_ns) return {};
  Cells cells{cell_at(time.start_ns), cell_at(time.end_ns) + 1};
  const bool ends_at_border = position(time.end_ns) <= cells.end - 1;
  if (ends_at_border && cells.count() > 1) --cells.end;
  return cells;
}

void Row::write(int column, std::string_view text, int room) {
  int at = column;
  const int end = std::min(column + room, static_cast<int>(cells_.size()));
  while (!text.empty()) {
    const std::string_view character = first_characters(text, 1);
    const int width = static_cast<int>(display_width(character));
    if (at + width > end) return;
    if (width == 0 && at > column) cells_[static_cast<std::size_t>(at - 1)] += character;
    for (int i = 0; i < width; ++i) {
      cells_[static_cast<std::size_t>(at++)] = i == 0 ? std::string(character) : std::string();
    }
    text.remove_prefix(character.size());
  }
}

void Row::fill(int begin, int end, std::string_view glyph) {
  for (int i = begin; i < end; ++i) cells_[static_cast<std::size_t>(i)] = glyph;
}

std::string Row::text() const {
  std::string text;
  for (const std::string& cell : cells_) text += cell;
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

DrawnBars draw_bars(Row& row, const Scale& scale, const std::vector<Bar>& bars,
                    const Glyphs& glyphs) {
  std::vector<Scale::Cells> cells;
  cells.reserve(bars.size());
  for (const Bar& bar : bars) cells.push_back(scale.cells(bar.time));
  DrawnBars drawn;
  for (const Placed& at : place(bars, cells)) {
    if (at.bars.size() == 1) {
      const std::size_t bar = at.bars.front();
      if (!draw_bar(row, at, bars[bar], glyphs)) drawn.unnamed.push_back(bar);
      continue;
    }
    row.fill(at.begin, at.end, at.letter == 0 ? glyphs.many : std::string_view(&at.letter, 1));
    drawn.any_several = drawn.any_several || at.letter == 0;
    drawn.unnamed.insert(drawn.unnamed.end(), at.bars.begin(), at.bars.end());
  }
  return drawn;
}

void draw_labels(Row& row, const Scale& scale, const std::vector<Bar>& bars, const Glyphs& glyphs) {
  constexpr int kReadable = 8;
  std::vector<Scale::Cells> cells;
  cells.reserve(bars.size());
  for (const Bar& bar : bars) cells.push_back(scale.touched_cells(bar.time));
  const auto length_ns = [&bars](std::size_t i) {
    return bars[i].time.end_ns - bars[i].time.start_ns;
  };
  for (const Placed& at : place(bars, cells)) {
    const std::size_t longest = *std::max_element(
        at.bars.begin(), at.bars.end(),
        [&](std::size_t left, std::size_t right) { return length_ns(left) < length_ns(right); });
    row.write(at.begin, std::string(1, bars[longest].letter), 1);
    const int room = at.end - at.begin - 3;  // letter and blank before, blank behind
    if (room < kReadable || bars[longest].labels.empty()) continue;
    const std::string label =
        shortened(bars[longest].labels.front(), static_cast<std::size_t>(room), glyphs.ascii);
    row.write(at.begin + 2, label, room);
  }
}

void draw_heights(Row& row, const Scale& scale, const Intervals& busy, const Glyphs& glyphs) {
  std::vector<double> covered_cell(static_cast<std::size_t>(scale.columns()), 0.0);
  const Interval& window = scale.window();
  const double cell_ns = scale.cell_ns();
  for (const Interval& interval : busy) {
    if (interval.end_ns < window.start_ns || interval.start_ns > window.end_ns) continue;
    const std::int64_t start_ns = std::max(interval.start_ns, window.start_ns);
    const std::int64_t end_ns = std::min(interval.end_ns, window.end_ns);
    const auto from = static_cast<double>(start_ns - window.start_ns);
    const auto to = static_cast<double>(end_ns - window.start_ns);
    for (int cell = scale.cell_at(start_ns); cell <= scale.cell_at(end_ns); ++cell) {
      const double overlap_ns = std::min(to, (cell + 1) * cell_ns) - std::max(from, cell * cell_ns);
      covered_cell[static_cast<std::size_t>(cell)] += std::max(overlap_ns, 0.0);
    }
  }
  const auto steps = static_cast<double>(glyphs.heights.size());
  for (int cell = 0; cell < scale.columns(); ++cell) {
    const double share = covered_cell[static_cast<std::size_t>(cell)] / cell_ns;
    if (share <= 0) continue;
    // Up to the next height, so that the shortest work shows; the tolerance is for full cells.
    const double height = std::clamp(std::ceil(share * steps - 0.01), 1.0, steps);
    row.fill(cell, cell + 1, glyphs.heights[static_cast<std::size_t>(height) - 1]);
  }
}

std::string time_text(std::int64_t ns, bool ascii) {
  const auto value = static_cast<double>(ns);
  const double size = std::abs(value);
  // Borders such that rounding never yields "1000.0 µs".
  if (size < 999.95 * kMicrosecond_ns) {
    return print("%.1f", value / kMicrosecond_ns, ascii ? "us" : "µs");
  }
  if (size < 999.995 * kMillisecond_ns) return print("%.2f", value / kMillisecond_ns, "ms");
  return print("%.2f", value / kSecond_ns, "s");
}

bool starts_before(const Bar& left, const Bar& right) {
  return left.time.start_ns < right.time.start_ns;
}

std::string percent_text(std::int64_t part_ns, std::int64_t whole_ns) {
  if (whole_ns <= 0) return "";
  const double permille = static_cast<double>(part_ns) / static_cast<double>(whole_ns) * 1000.0;
  const std::int64_t tenths = std::llround(permille);
  return " (" + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %)";
}

std::string ruler(const Scale& scale, std::int64_t origin_ns, const Glyphs& glyphs) {
  constexpr int kCellsPerTick = 10;
  const Interval& window = scale.window();
  const double length_ns = scale.cell_ns() * scale.columns();
  double step_ns = std::pow(10.0, std::floor(std::log10(scale.cell_ns() * kCellsPerTick)));
  for (const double factor : {2.0, 2.5, 2.0}) {  // 1, 2, 5, 10
    if (step_ns >= scale.cell_ns() * kCellsPerTick) break;
    step_ns *= factor;
  }
  constexpr double kFewUnits = 5.0;
  const double unit_ns = length_ns >= kFewUnits * kSecond_ns        ? kSecond_ns
                         : length_ns >= kFewUnits * kMillisecond_ns ? kMillisecond_ns
                                                                    : kMicrosecond_ns;
  const std::string_view unit = unit_ns == kSecond_ns        ? " s"
                                : unit_ns == kMillisecond_ns ? " ms"
                                : glyphs.ascii               ? " us"
                                                             : " µs";
  const int decimals =
      static_cast<int>(std::clamp(std::ceil(std::log10(unit_ns / step_ns) - 1e-9), 0.0, 3.0));

  Row row(scale.columns());
  row.fill(0, scale.columns(), glyphs.line);
  const double from = static_cast<double>(window.start_ns) - static_cast<double>(origin_ns);
  bool first = true;
  for (double tick = std::ceil(from / step_ns) * step_ns; tick <= from + length_ns;
       tick += step_ns) {
    const int cell = static_cast<int>(std::lround((tick - from) / scale.cell_ns()));
    std::array<char, 64> number{};
    const int size = std::snprintf(number.data(), number.size(), "%.*f", decimals, tick / unit_ns);
    std::string text(number.data(), static_cast<std::size_t>(size));
    if (first) text += unit;
    const int width = static_cast<int>(display_width(text)) + 1;
    if (cell + width > scale.columns()) break;
    row.write(cell, glyphs.tick, 1);
    row.write(cell + 1, text, width - 1);
    first = false;
  }
  return row.text();
}

}  // namespace tracebook
