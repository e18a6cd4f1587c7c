// SPDX-License-Identifier: Apache-2.0
#include "common/render/markdown.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <optional>
#include <vector>

#include "common/render/markdown_inline.h"
#include "common/render/terminal.h"

namespace tracebook {
namespace {

using Cells = std::vector<std::string>;

constexpr std::size_t kGap = 2;  // columns between those of a table

std::string_view trimmed_line(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

bool is_fence(std::string_view line) { return trimmed_line(line).starts_with("```"); }
bool is_table(std::string_view line) { return trimmed_line(line).starts_with("|"); }

/// Signs of a heading, 0 for no heading.
std::size_t heading_level(std::string_view line) {
  const std::size_t signs = std::min(line.find_first_not_of('#'), line.size());
  return signs >= 1 && signs <= 6 && signs < line.size() && line[signs] == ' ' ? signs : 0;
}

bool is_rule(std::string_view line) {
  const std::string_view text = trimmed_line(line);
  return text.size() >= 3 && text.find_first_not_of('-') == std::string_view::npos;
}

/// Bytes of "- ", "3. " and the blanks before and behind; 0 for no list item.
std::size_t item_marker(std::string_view line) {
  std::size_t at = indent_of(line);
  const std::size_t begin = at;
  while (at < line.size() && std::isdigit(static_cast<unsigned char>(line[at])) != 0) ++at;
  const bool numbered = at > begin && at < line.size() && line[at] == '.';
  const bool dash = at == begin && at < line.size() && (line[at] == '-' || line[at] == '*');
  if (!numbered && !dash) return 0;
  ++at;
  const std::size_t text = line.find_first_not_of(' ', at);
  return text == std::string_view::npos || text == at ? 0 : text;
}

bool is_numbered(std::string_view line) {
  const std::string_view text = trimmed_line(line);
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0;
}

Cells cells_of(std::string_view line) {
  line = trimmed_line(line);
  line.remove_prefix(1);
  Cells out;
  std::string cell;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cell += line[++i];
    } else if (line[i] == '|') {
      out.push_back(inline_text(trimmed_line(cell)));
      cell.clear();
    } else {
      cell += line[i];
    }
  }
  if (!trimmed_line(cell).empty()) out.push_back(inline_text(trimmed_line(cell)));
  return out;
}

bool is_separator(std::string_view line) {
  return line.find_first_not_of(" |:-\t\r") == std::string_view::npos &&
         line.find('-') != std::string_view::npos;
}

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string& word : broken(text, 1)) longest = std::max(longest, marked_width(word));
  return longest;
}

/// Does it begin as a number does? Columns of those stand to the right.
bool looks_like_number(const std::string& cell) {
  const std::string plain = finished(cell, false);
  const std::size_t at = std::min(plain.find_first_not_of("+-~("), plain.size());
  return at < plain.size() && std::isdigit(static_cast<unsigned char>(plain[at])) != 0;
}

class TableWriter {
 public:
  TableWriter(std::vector<Cells> rows, const MarkdownStyle& style)
      : rows_(std::move(rows)), style_(style) {
    std::size_t columns = 0;
    for (const Cells& row : rows_) columns = std::max(columns, row.size());
    for (Cells& row : rows_) row.resize(columns);
    find_widths(columns);
    for (std::size_t i = 0; i < columns; ++i) right_.push_back(is_of_numbers(i));
  }

  std::string text() const {
    std::string out;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      out += row_text(rows_[row]);
      if (row == 0) out += rule();
    }
    return out;
  }

 private:
  /// As wide as the cells are, if there is room; else the widest are made narrower first, down to
  /// their longest words.
  void find_widths(std::size_t columns) {
    std::vector<std::size_t> least(columns, 1);
    widths_.assign(columns, 1);
    for (const Cells& row : rows_) {
      for (std::size_t i = 0; i < columns; ++i) {
        widths_[i] = std::max(widths_[i], marked_width(row[i]));
        least[i] = std::max(least[i], longest_word(row[i]));
      }
    }
    while (total() > style_.width) {
      std::optional<std::size_t> widest;
      for (std::size_t i = 0; i < columns; ++i) {
        if (widths_[i] > least[i] && (!widest || widths_[i] > widths_[*widest])) widest = i;
      }
      if (!widest) return;
      --widths_[*widest];
    }
  }
  [[nodiscard]] std::size_t total() const {
    const std::size_t gaps = widths_.empty() ? 0 : kGap * (widths_.size() - 1);
    return std::accumulate(widths_.begin(), widths_.end(), gaps);
  }
  [[nodiscard]] bool is_of_numbers(std::size_t column) const {
    return column > 0 && rows_.size() > 1 &&
           std::all_of(rows_.begin() + 1, rows_.end(), [column](const Cells& row) {
             return row[column].empty() || looks_like_number(row[column]);
           });
  }
  [[nodiscard]] std::string rule() const {
    std::string out;
    for (std::size_t i = 0; i < widths_.size(); ++i) {
      if (i > 0) out += std::string(kGap, ' ');
      for (std::size_t k = 0; k < widths_[i]; ++k) out += style_.ascii ? "-" : "─";
    }
    return out + "\n";
  }
  [[nodiscard]] std::string row_text(const Cells& row) const {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(broken(row[i], widths_[i]));
      height = std::max(height, cells.back().size());
    }
    std::string out;
    for (std::size_t line = 0; line < height; ++line) {
      std::string text;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string cell = line < cells[i].size() ? cells[i][line] : "";
        const std::string blanks(widths_[i] - std::min(widths_[i], marked_width(cell)), ' ');
        if (i > 0) text += std::string(kGap, ' ');
        text += right_[i] ? blanks + cell : cell + blanks;
      }
      text.erase(text.find_last_not_of(' ') + 1);
      out += finished(text, style_.color) + "\n";
    }
    return out;
  }

  std::vector<Cells> rows_;
  MarkdownStyle style_;
  std::vector<std::size_t> widths_;
  std::vector<bool> right_;
};

class PageWriter {
 public:
  PageWriter(std::string_view markdown, const MarkdownStyle& style) : style_(style) {
    while (!markdown.empty()) {
      const std::size_t end = std::min(markdown.find('\n'), markdown.size());
      lines_.push_back(markdown.substr(0, end));
      markdown.remove_prefix(std::min(end + 1, markdown.size()));
    }
  }

  std::string text() {
    while (at_ < lines_.size()) block();
    return std::move(out_);
  }

 private:
  void block() {
    const std::string_view line = lines_[at_];
    if (trimmed_line(line).empty()) {
      if (!out_.empty() && !out_.ends_with("\n\n")) out_ += '\n';
      ++at_;
    } else if (is_fence(line)) {
      code();
    } else if (heading_level(line) > 0) {
      flow(kBoldOn + inline_text(trimmed_line(line.substr(heading_level(line)))) + kBoldOff, "",
           "");
      ++at_;
    } else if (is_table(line)) {
      table();
    } else if (is_rule(line)) {
      for (std::size_t i = 0; i < style_.width; ++i) out_ += style_.ascii ? "-" : "─";
      out_ += '\n';
      ++at_;
    } else if (trimmed_line(line).starts_with(">")) {
      quote();
    } else {
      paragraph();
    }
  }
  void code() {
    constexpr const char* kMargin = "  ";
    for (++at_; at_ < lines_.size() && !is_fence(lines_[at_]); ++at_) {
      out_ += (lines_[at_].empty() ? "" : kMargin) + std::string(lines_[at_]) + "\n";
    }
    at_ = std::min(at_ + 1, lines_.size());
  }
  void table() {
    std::vector<Cells> rows;
    for (; at_ < lines_.size() && is_table(lines_[at_]); ++at_) {
      if (!is_separator(lines_[at_])) rows.push_back(cells_of(lines_[at_]));
    }
    out_ += TableWriter(std::move(rows), style_).text();
  }
  void quote() {
    std::string inner;
    for (; at_ < lines_.size() && trimmed_line(lines_[at_]).starts_with(">"); ++at_) {
      inner += std::string(trimmed_line(trimmed_line(lines_[at_]).substr(1))) + "\n";
    }
    const std::string margin = style_.ascii ? "| " : "│ ";
    flow(inline_text(inner), margin, margin);
  }
  /// A paragraph, or one item of a list: up to an empty line, or to what begins a block itself.
  void paragraph() {
    const std::size_t marker = item_marker(lines_[at_]);
    std::string text(lines_[at_].substr(marker));
    const std::string first(lines_[at_].substr(0, marker));
    const bool in_numbers = marker > 0 && is_numbered(lines_[at_]);
    for (++at_; at_ < lines_.size() && goes_on(lines_[at_], in_numbers); ++at_) {
      // "\" or two blanks at the end of a line break it there.
      if (text.ends_with("  ") || text.ends_with("\\")) {
        if (text.back() == '\\') text.pop_back();
        flow(inline_text(text), first, std::string(marker, ' '));
        text.clear();
      }
      text += "\n" + std::string(trimmed_line(lines_[at_]));
      if (lines_[at_].ends_with("  ")) text += "  ";
    }
    flow(inline_text(text), first, std::string(marker, ' '));
  }
  /// Does the paragraph go on with this line? A number with a point may just be the end of its
  /// sentence: within a list of numbers it begins an item, elsewhere only where it is the first.
  static bool goes_on(std::string_view line, bool in_numbers) {
    if (trimmed_line(line).empty() || is_fence(line) || heading_level(line) > 0 || is_table(line) ||
        trimmed_line(line).starts_with(">")) {
      return false;
    }
    if (item_marker(line) == 0) return true;
    return is_numbered(line) && !in_numbers && !trimmed_line(line).starts_with("1.");
  }
  void flow(const std::string& text, const std::string& first, const std::string& others) {
    const std::size_t margin = display_width(others);
    const std::size_t room = style_.width > margin + 10 ? style_.width - margin : 10;
    bool begins = true;
    for (const std::string& line : broken(text, room)) {
      out_ += (begins ? first : others) + finished(line, style_.color) + "\n";
      begins = false;
    }
  }

  MarkdownStyle style_;
  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
  std::string out_;
};

/// Line by line: what a terminal would obey is shown as "?".
std::string harmless(std::string_view markdown, bool ascii) {
  std::string out;
  while (!markdown.empty()) {
    const std::size_t end = std::min(markdown.find('\n'), markdown.size());
    std::string line;
    for (const char c : markdown.substr(0, end))
      line += c == '\t' ? std::string(4, ' ') : std::string(1, c);
    if (line.ends_with('\r')) line.pop_back();
    out += printable(line, ascii) + "\n";
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
  }
  return out;
}

}  // namespace

std::string markdown_text(std::string_view markdown, const MarkdownStyle& style) {
  const std::string text = without_comments(harmless(markdown, style.ascii));
  return PageWriter(text, style).text();
}

}  // namespace tracebook
