// SPDX-License-Identifier: Apache-2.0
//
// The timeline's drawing: moments become cells of a line of text. Knows intervals and labels, but
// no traces.
//
//   const Scale scale({0, 290'700}, 74);
//   Row row(scale.columns());
//   draw_bars(row, scale, {{.time = {0, 190'000}, .labels = {"aten::matmul", "matmul"}}}, glyphs);
//   row.text();  // "├─ aten::matmul ──────────┤"
//
// Values without shared state, usable from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/analysis/lanes.h"

namespace tracebook {

/// The characters of a picture; each takes one column.
struct Glyphs {
  bool ascii = false;
  std::string_view left, right, line, single, many, gap, tick, other_work;
  std::vector<std::string_view> heights;  ///< a cell busy for a little, more, …, all of its time
};
const Glyphs& unicode_glyphs();
const Glyphs& ascii_glyphs();

/// A window of time on so many cells. An empty window counts as 1 ns long.
class Scale {
 public:
  Scale(Interval window, int columns);

  struct Cells {
    int begin = 0;
    int end = 0;
    [[nodiscard]] int count() const { return end - begin; }
  };
  /// The cells that draw an interval: to the nearest borders, or the one in which it begins.
  /// {0, 0} for what lies outside the window.
  [[nodiscard]] Cells cells(Interval time) const;
  /// The cells that an interval touches; {0, 0} outside.
  [[nodiscard]] Cells touched_cells(Interval time) const;
  /// The cell in which a moment of the window lies.
  [[nodiscard]] int cell_at(std::int64_t ns) const;
  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] const Interval& window() const { return window_; }
  /// Length of a cell in ns.
  [[nodiscard]] double cell_ns() const { return length_ns_ / columns_; }

 private:
  [[nodiscard]] double position(std::int64_t ns) const;

  Interval window_;
  int columns_;
  double length_ns_;
};

/// One line of cells.
class Row {
 public:
  explicit Row(int columns) : cells_(static_cast<std::size_t>(columns), " ") {}

  /// Puts `text` into the cells from `column` on; what does not fit into `room` cells is left out.
  void write(int column, std::string_view text, int room);
  void fill(int begin, int end, std::string_view glyph);
  /// The line without blanks at its end.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::string> cells_;
};

/// What may be written on a bar, the longest first. Copies share the texts: a trace has few names
/// and many bars.
class Labels {
 public:
  Labels() = default;
  Labels(std::initializer_list<std::string> texts)
      : texts_(std::make_shared<const std::vector<std::string>>(texts)) {}

  [[nodiscard]] bool empty() const { return texts_ == nullptr || texts_->empty(); }
  [[nodiscard]] const std::string& front() const { return texts_->front(); }
  [[nodiscard]] std::span<const std::string> all() const {
    return texts_ == nullptr ? std::span<const std::string>() : std::span(*texts_);
  }

 private:
  std::shared_ptr<const std::vector<std::string>> texts_;
};

/// A range to draw between brackets. Bars of a row come by start.
struct Bar {
  Interval time;
  Labels labels = {};   ///< the first that fits is written
  char letter = 0;      ///< stands for the bar where it is too short for brackets
  bool is_gap = false;  ///< a dotted line for time without a bar
};

struct DrawnBars {
  std::vector<std::size_t> unnamed;  ///< indices of the bars whose name did not fit
  bool any_several = false;          ///< there is a "several" mark
};

/// Draws bars beside each other; such as share a cell become one "several" mark.
DrawnBars draw_bars(Row& row, const Scale& scale, const std::vector<Bar>& bars,
                    const Glyphs& glyphs);

/// Writes, where each bar begins, its letter and as much of its first label as has room. Of bars
/// that share a cell the longest one's.
void draw_labels(Row& row, const Scale& scale, const std::vector<Bar>& bars, const Glyphs& glyphs);

/// Draws how much of each cell's time is covered, as the height of a block.
void draw_heights(Row& row, const Scale& scale, const Intervals& busy, const Glyphs& glyphs);

/// " (1.4 %)", with a blank before it; "" of an empty whole.
std::string percent_text(std::int64_t part_ns, std::int64_t whole_ns);
/// By start, as `draw_bars` wants them.
bool starts_before(const Bar& left, const Bar& right);

/// A ruler with round times since `origin_ns`, which need not lie in the window.
std::string ruler(const Scale& scale, std::int64_t origin_ns, const Glyphs& glyphs);

/// "8.3 µs", "290.7 µs", "2.74 ms", "1.20 s"; "us" in ASCII.
std::string time_text(std::int64_t ns, bool ascii);

}  // namespace tracebook
