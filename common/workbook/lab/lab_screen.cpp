// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/lab_screen.h"

#include <algorithm>

#include "common/render/terminal.h"
#include "common/workbook/lab/lab_body.h"
#include "common/workbook/lab/leading.h"

namespace tracebook {
namespace {

/// As many of the words as fit on each line, two blanks between.
std::vector<std::string> packed(const std::vector<std::string>& words, std::size_t width) {
  std::vector<std::string> lines;
  for (const std::string& word : words) {
    const bool fits =
        !lines.empty() && display_width(lines.back()) + 2 + display_width(word) <= width;
    if (fits) {
      lines.back() += "  " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::vector<std::string> keys_of(const LabView& view, const ScreenSize& size) {
  const bool narrow = size.columns < 60;
  const char* const arrows = size.ascii ? "j k " : "↑↓ ";
  const auto width = static_cast<std::size_t>(size.columns);
  if (view.opened) {
    return packed(
        {"Esc back", std::string(arrows) + "scroll", narrow ? "h hint" : "h hint for it", "q quit"},
        width);
  }
  return packed({"h hint", narrow ? "n next" : "n next open",
                 size.ascii ? "[ ] chapters" : "←→ chapters", std::string(arrows) + "choose",
                 "Enter read", narrow ? "r check" : "r check again", "q quit"},
                width);
}

/// Where the parts stand: `rows` of the body between a head of two or three lines and the foot.
struct ScreenLayout {
  std::vector<std::string> keys;
  ScreenBody body;
  bool airy = false;  ///< an empty line below the head and above the foot
  std::size_t rows = 1;
  std::size_t hidden = 0;
  std::size_t first = 0;   ///< the first line of the body that is shown
  std::size_t pinned = 0;  ///< rows in which the message stands in place of such lines
};

ScreenBody body_of(const LabView& view, const ScreenSize& size) {
  if (view.reading) return {};
  const ChapterProgress& chapter = (*view.chapters)[view.at];
  const std::size_t selected = lab_selected(view);
  const BodyStyle style{size.columns, size.ascii};
  return view.opened ? item_body(chapter, selected, view.message, style)
                     : list_body(chapter, view.message, selected, style);
}

/// What is chosen shows, with its reason and what stands before it; above it a message, or as much
/// of it as leaves room.
void place_selected(const LabView& view, ScreenLayout& layout) {
  const std::size_t selected = lab_selected(view);
  if (view.opened || selected >= layout.body.items.size()) return;
  const auto [begin, end] = layout.body.items[selected];
  if (end <= layout.rows) return;
  const std::size_t room = std::min(end - begin, std::max<std::size_t>(1, layout.rows / 3));
  layout.pinned = std::min(layout.body.message_lines, layout.rows - std::min(room, layout.rows));
  const std::size_t before = layout.pinned > 0 ? layout.pinned : 1;
  layout.first = std::min(begin - std::min(begin, before), layout.hidden);
}

ScreenLayout layout_of(const LabView& view, const ScreenSize& size) {
  ScreenLayout out;
  out.keys = keys_of(view, size);
  out.body = body_of(view, size);
  constexpr int kAiryRows = 16;
  out.airy = size.rows >= kAiryRows;
  const int taken = 3 + static_cast<int>(out.keys.size()) + (out.airy ? 2 : 0);
  out.rows = static_cast<std::size_t>(std::max(1, size.rows - taken));
  out.hidden = out.body.lines.size() > out.rows ? out.body.lines.size() - out.rows : 0;
  if (view.first) {
    out.first = std::min(*view.first, out.hidden);
  } else {
    place_selected(view, out);
  }
  return out;
}

/// What stands in a row of the body; the last one of a message that is cut says so.
ScreenLine line_at(const ScreenLayout& layout, std::size_t row, const ScreenSize& size) {
  const std::vector<ScreenLine>& lines = layout.body.lines;
  if (row >= layout.pinned) {
    return layout.first + row < lines.size() ? lines[layout.first + row] : ScreenLine();
  }
  ScreenLine line = lines[row];
  if (row + 1 < layout.pinned || layout.pinned == layout.body.message_lines) return line;
  const std::string more = size.ascii ? " ..." : " …";
  line.text = shortened(line.text, static_cast<std::size_t>(size.columns) - 4, size.ascii) + more;
  return line;
}

std::string status_of(const LabView& view, const ScreenLayout& layout, const ScreenSize& size) {
  if (view.reading) return "Reading the workbook ...";
  std::string out;
  if (layout.hidden > 0) {
    out = "Lines " + std::to_string(layout.first + layout.pinned + 1) + "-" +
          std::to_string(layout.first + layout.rows) + " of " +
          std::to_string(layout.body.lines.size()) + ". ";
  }
  if (view.checking) return out + "Checking ...";
  if (view.opened && out.empty() && size.columns >= 60)
    return "Watching: what you save is checked.";
  if (size.columns < 60) return out + "Save to check.";
  return out + (out.empty() ? "Watching: save your answers or an exercise, and it is checked."
                            : "Watching: what you save is checked.");
}

std::string bar_line(const LabView& view, const ScreenSize& size) {
  const ChapterProgress& chapter = (*view.chapters)[view.at];
  std::size_t done = 0;
  std::size_t all = 0;
  for (const ChapterProgress& one : *view.chapters) {
    done += one.done();
    all += one.all();
  }
  const ProgressStyle style{size.columns, size.ascii, size.color};
  const bool narrow = size.columns < 60;
  const auto columns = static_cast<std::size_t>(std::max(1, size.columns));
  const std::size_t bar = std::min<std::size_t>(narrow ? 14 : 24, columns);
  std::string tail = std::to_string(chapter.done()) + " of " + std::to_string(chapter.all());
  const std::string open = open_counts(chapter);
  if (!open.empty()) tail += " (" + open + ")";
  const std::string whole = "   workbook: " + std::to_string(done) + " of " + std::to_string(all);
  if (bar + 1 + tail.size() + whole.size() <= columns) tail += whole;
  std::string shown = progress_bar(chapter.done(), chapter.all(), bar, style);
  if (columns < bar + 2) return shown;
  return shown + " " + shortened(tail, columns - bar - 1, size.ascii);
}

/// The longest that fits of what is to be said where nothing else would: each ends with how to
/// leave.
std::vector<std::string> too_small(const ScreenSize& size) {
  const auto columns = static_cast<std::size_t>(std::max(1, size.columns));
  std::vector<std::string> out(static_cast<std::size_t>(std::max(1, size.rows)));
  const std::string least = std::to_string(kLeastColumns) + "x" + std::to_string(kLeastRows);
  for (const std::string& says :
       {"Too small: this needs a terminal of " + least + " or more.  q quit",
        "Too small, needs " + least + ".  q quit", "needs " + least + "  q quit",
        std::string("q quit")}) {
    out.front() = shortened(says, columns, size.ascii);
    if (display_width(says) <= columns) break;
  }
  return out;
}

}  // namespace

std::vector<std::string> lab_screen(const LabView& view, const ScreenSize& size) {
  if (size.columns < kLeastColumns || size.rows < kLeastRows) return too_small(size);
  const ScreenLayout layout = layout_of(view, size);
  const ChapterProgress& chapter = (*view.chapters)[view.at];
  const auto columns = static_cast<std::size_t>(std::max(1, size.columns));
  std::vector<std::string> out;
  const auto add = [&](const std::string& text, const char* color = "") {
    const std::string cut = shortened(text, columns, size.ascii);
    const bool colored = size.color && *color != '\0' && !cut.empty();
    out.push_back(colored ? std::string("\033[") + color + "m" + cut + "\033[0m" : cut);
  };
  add("Chapter " + chapter.number + " of " + view.chapters->back().number + ": " +
          printable(chapter.title, size.ascii),
      kBold);
  if (view.reading) {
    add("");
  } else {
    out.push_back(bar_line(view, size));
  }
  if (layout.airy) add("");
  for (std::size_t row = 0; row < layout.rows; ++row) {
    const ScreenLine line = line_at(layout, row, size);
    add(line.text, line.color);
  }
  if (layout.airy) add("");
  add(status_of(view, layout, size), kDim);
  for (const std::string& keys : layout.keys) add(keys);
  return out;
}

std::size_t lab_scrolled(const LabView& view, const ScreenSize& size, int lines) {
  const ScreenLayout layout = layout_of(view, size);
  const int wanted = static_cast<int>(layout.first) + lines;
  return std::min(static_cast<std::size_t>(std::max(0, wanted)), layout.hidden);
}

std::size_t lab_selected(const LabView& view) {
  const ChapterProgress& chapter = (*view.chapters)[view.at];
  const std::size_t count = item_count(chapter);
  if (view.selected) return count == 0 ? 0 : std::min(*view.selected, count - 1);
  return first_open_item(chapter);
}

std::string lab_text(const ChapterProgress& chapter, int width, bool ascii) {
  std::string out = printable("Chapter " + chapter.number + ": " + chapter.title, ascii) + "\n" +
                    progress_bar(chapter.done(), chapter.all(), 30, {width, ascii, false}) + " " +
                    std::to_string(chapter.done()) + " of " + std::to_string(chapter.all()) +
                    "\n\n";
  for (const ScreenLine& line : list_body(chapter, "", {}, {width, ascii}).lines)
    out += line.text + "\n";
  return out;
}

}  // namespace tracebook
