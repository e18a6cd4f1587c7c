// SPDX-License-Identifier: Apache-2.0
//
// The page that the timeline is written on: lines of a given width, in one of two alphabets, with
// or without colours, and a key of the marks that were used.
//
//   TimelinePage page({.width = 80});
//   page.add_row("GPU", row.text(), Style::kDevice);
//   page.add_key();
//   std::string text = page.take();
//
// A value; one writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/render/timeline.h"
#include "common/render/timeline_raster.h"

namespace tracebook {

enum class Style : std::uint8_t { kPlain, kTitle, kFaint, kCpu, kCalls, kOverhead, kDevice };

/// Marks that the key must explain.
struct SeenMarks {
  bool bars = false;
  bool several = false;
  bool gap = false;
  bool letters = false;
  bool work = false;
  bool other_work = false;
};

class TimelinePage {
 public:
  explicit TimelinePage(const TimelineOptions& options);

  SeenMarks seen;

  /// Bars were drawn.
  void note(const DrawnBars& drawn);
  /// A line, cut to the page's width.
  void add(std::string_view text, Style style = Style::kPlain);
  /// A line of a lane: its name, then `columns()` cells.
  void add_row(std::string_view lane, std::string_view cells, Style style);
  /// A text of any length, broken at blanks.
  void add_wrapped(std::string_view text);
  /// A line of what stands below the lanes; `width_below()` columns.
  void add_below(std::string_view text, Style style);
  /// Lines that explain the marks seen.
  void add_key();
  [[nodiscard]] std::string take() { return std::move(out_); }

  [[nodiscard]] bool ascii() const { return glyphs_.ascii; }
  [[nodiscard]] const Glyphs& glyphs() const { return glyphs_; }
  [[nodiscard]] int columns() const;
  [[nodiscard]] std::size_t width_below() const;

  /// As many of the parts as fit into a line, at least the first.
  [[nodiscard]] std::string joined(const std::vector<std::string>& parts) const;
  [[nodiscard]] std::string time(std::int64_t ns) const { return time_text(ns, ascii()); }
  /// "aten::mm", "3 × aten::mm".
  [[nodiscard]] std::string counted(std::size_t count, const std::string& what) const;
  /// "… 2 more threads".
  [[nodiscard]] std::string more(std::size_t count, const std::string& what) const;

 private:
  std::size_t width_;
  bool color_;
  const Glyphs& glyphs_;
  std::string out_;
};

}  // namespace tracebook
