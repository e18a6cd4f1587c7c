// SPDX-License-Identifier: Apache-2.0
#include "common/render/timeline_page.h"

#include <algorithm>

#include "common/render/terminal.h"

namespace tracebook {
namespace {

constexpr std::size_t kGutter = 9;  // columns of the lanes' names
constexpr std::size_t kIndent = 2;  // of what stands below the lanes

std::string_view escape_of(Style style) {
  switch (style) {
    case Style::kTitle:
      return "\033[1m";
    case Style::kFaint:
      return "\033[2m";
    case Style::kCpu:
      return "\033[36m";
    case Style::kCalls:
      return "\033[33m";
    case Style::kOverhead:
      return "\033[31m";
    case Style::kDevice:
      return "\033[32m";
    case Style::kPlain:
      break;
  }
  return "";
}

std::string_view separator(bool ascii) { return ascii ? " - " : " · "; }

}  // namespace

TimelinePage::TimelinePage(const TimelineOptions& options)
    : width_(static_cast<std::size_t>(std::clamp(options.width, kMinWidth, kMaxWidth))),
      color_(options.color),
      glyphs_(options.ascii ? ascii_glyphs() : unicode_glyphs()) {}

void TimelinePage::note(const DrawnBars& drawn) {
  seen.bars = true;
  seen.several = seen.several || drawn.any_several;
}

void TimelinePage::add(std::string_view text, Style style) {
  std::string line = shortened(printable(text, ascii()), width_, ascii());
  line.erase(line.find_last_not_of(' ') + 1);
  const std::string_view escape = color_ && !line.empty() ? escape_of(style) : std::string_view();
  out_ += escape;
  out_ += line;
  if (!escape.empty()) out_ += "\033[0m";
  out_ += '\n';
}

void TimelinePage::add_wrapped(std::string_view text) {
  while (text.size() > width_) {
    const auto blank = text.substr(0, width_ + 1).rfind(' ');
    if (blank == std::string_view::npos || blank == 0) break;
    add(text.substr(0, blank));
    text.remove_prefix(blank + 1);
  }
  add(text);
}

void TimelinePage::add_row(std::string_view lane, std::string_view cells, Style style) {
  add(fitted(lane, kGutter - 1, ascii()) + " " + std::string(cells), style);
}

void TimelinePage::add_below(std::string_view text, Style style) {
  add(std::string(kIndent, ' ') + std::string(text), style);
}

int TimelinePage::columns() const { return static_cast<int>(width_ - kGutter); }

std::size_t TimelinePage::width_below() const { return width_ - kIndent; }

std::string TimelinePage::joined(const std::vector<std::string>& parts) const {
  std::string line = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string longer = line + std::string(separator(ascii())) + parts[i];
    if (display_width(longer) > width_) break;
    line = longer;
  }
  return line;
}

std::string TimelinePage::counted(std::size_t count, const std::string& what) const {
  return count == 1 ? what : std::to_string(count) + (ascii() ? " x " : " × ") + what;
}

std::string TimelinePage::more(std::size_t count, const std::string& what) const {
  return (ascii() ? "... " : "… ") + std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

void TimelinePage::add_key() {
  const auto text = [](std::string_view mark, std::string_view meaning) {
    return std::string(mark) + " " + std::string(meaning);
  };
  std::vector<std::string> items;
  if (seen.bars) {
    std::string bar(glyphs_.left);
    bar += glyphs_.line;
    bar += glyphs_.right;
    items.push_back(bar + " or " + text(glyphs_.single, "a range or call"));
  }
  if (seen.several) items.push_back(text(glyphs_.many, "several"));
  if (seen.gap) {
    std::string dots;
    for (int i = 0; i < 3; ++i) dots += glyphs_.gap;
    items.push_back(text(dots, "in a range, before its first op"));
  }
  if (seen.letters) items.emplace_back("A (CUDA API): the call that launched A");
  if (seen.work) {
    const auto& heights = glyphs_.heights;
    std::string blocks(heights.front());
    blocks += heights[heights.size() / 2];
    blocks += heights.back();
    items.push_back(text(blocks, "share of the time that the GPU works"));
  }
  if (seen.other_work) items.push_back(text(glyphs_.other_work, "work of another step"));
  if (seen.letters) items.emplace_back("delay: from call to kernel (median)");
  std::vector<std::string> line;
  for (std::string& item : items) {
    line.push_back(item);
    const std::string whole = joined(line);
    if (line.size() == 1 || whole.ends_with(item)) continue;
    line.pop_back();
    add(joined(line), Style::kFaint);
    line = {std::move(item)};
  }
  if (!line.empty()) add(joined(line), Style::kFaint);
}

}  // namespace tracebook
