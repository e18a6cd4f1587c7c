// SPDX-License-Identifier: Apache-2.0
#include "common/render/markdown_inline.h"

#include <algorithm>

#include "common/render/terminal.h"

namespace tracebook {
namespace {

/// The place of `closing` for the bracket at `open`, with brackets of the same kind in between.
std::size_t closing_bracket(std::string_view text, std::size_t open, char closing) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == text[open]) ++depth;
    if (text[i] == closing && --depth == 0) return i;
  }
  return std::string_view::npos;
}

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t'; }

/// Reads inline Markdown from the left; one rule a member function.
class InlineReader {
 public:
  explicit InlineReader(std::string_view text) : text_(text) {}

  std::string read() {
    while (at_ < text_.size()) {
      if (!escape() && !code() && !link() && !stars()) out_ += text_[at_++];
    }
    if (bold_) out_ += kBoldOff;
    return std::move(out_);
  }

 private:
  bool escape() {
    if (text_[at_] != '\\' || at_ + 1 >= text_.size()) return false;
    constexpr std::string_view kSigns = "\\`*_{}[]()<>#+-.!|";
    if (kSigns.find(text_[at_ + 1]) == std::string_view::npos) return false;
    out_ += text_[at_ + 1];
    at_ += 2;
    return true;
  }
  /// Everything up to as many backquotes as it begins with.
  bool code() {
    if (text_[at_] != '`') return false;
    const std::size_t ticks = std::min(text_.find_first_not_of('`', at_), text_.size()) - at_;
    const std::string fence(ticks, '`');
    const std::size_t end = text_.find(fence, at_ + ticks);
    const std::size_t next = end == std::string_view::npos ? at_ + ticks : end + ticks;
    out_ += text_.substr(at_, next - at_);
    at_ = next;
    return true;
  }
  bool link() {
    const bool picture = text_[at_] == '!' && at_ + 1 < text_.size() && text_[at_ + 1] == '[';
    const std::size_t open = at_ + (picture ? 1 : 0);
    if (text_[open] != '[') return false;
    const std::size_t close = closing_bracket(text_, open, ']');
    if (close == std::string_view::npos || close + 1 >= text_.size() || text_[close + 1] != '(') {
      return false;
    }
    const std::size_t end = closing_bracket(text_, close + 1, ')');
    if (end == std::string_view::npos) return false;
    out_ += inline_text(text_.substr(open + 1, close - open - 1));
    at_ = end + 1;
    return true;
  }
  /// A star between blanks is one; others open or close emphasis.
  bool stars() {
    if (text_[at_] != '*') return false;
    const std::size_t end = std::min(text_.find_first_not_of('*', at_), text_.size());
    const bool blank_before = at_ == 0 || is_blank(text_[at_ - 1]);
    const bool blank_behind = end == text_.size() || is_blank(text_[end]);
    if (blank_before && blank_behind) return false;
    if (end - at_ >= 2) {
      out_ += bold_ ? kBoldOff : kBoldOn;
      bold_ = !bold_;
    }
    at_ = end;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool bold_ = false;
  std::string out_;
};

}  // namespace

std::string without_comments(std::string_view markdown) {
  constexpr std::string_view kOpen = "<!--";
  constexpr std::string_view kClose = "-->";
  std::string out;
  bool in_code = false;
  while (!markdown.empty()) {
    std::size_t end = std::min(markdown.find('\n'), markdown.size());
    const bool is_fence = markdown.substr(0, end).starts_with("```");
    if (is_fence) in_code = !in_code;
    std::string line;
    bool had_comment = false;
    while (!in_code && !is_fence) {
      const std::size_t open = markdown.substr(0, end).find(kOpen);
      if (open == std::string_view::npos) break;
      had_comment = true;
      line += markdown.substr(0, open);
      const std::size_t close = markdown.find(kClose, open);
      markdown.remove_prefix(close == std::string_view::npos ? markdown.size()
                                                             : close + kClose.size());
      end = std::min(markdown.find('\n'), markdown.size());
    }
    line += markdown.substr(0, end);
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
    const bool is_empty = line.find_first_not_of(" \t\r") == std::string::npos;
    if (!had_comment || !is_empty) out += line + "\n";
  }
  return out;
}

std::string inline_text(std::string_view text) { return InlineReader(text).read(); }

std::size_t marked_width(std::string_view text) { return display_width(finished(text, false)); }

std::vector<std::string> broken(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  bool bold = false;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" \n\t\r");
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin);
    const std::size_t size = std::min(text.find_first_of(" \n\t\r"), text.size());
    const std::string word(text.substr(0, size));
    text.remove_prefix(size);
    std::string& last = lines.back();
    if (marked_width(last) == 0) {
      last += word;
    } else if (marked_width(last) + 1 + marked_width(word) <= width) {
      last += " " + word;
    } else {
      // Each line is whole by itself.
      if (bold) last += kBoldOff;
      lines.push_back(bold ? kBoldOn + word : word);
    }
    for (const char c : word) {
      if (c == kBoldOn || c == kBoldOff) bold = c == kBoldOn;
    }
  }
  return lines;
}

std::string finished(std::string_view text, bool color) {
  std::string out;
  for (const char c : text) {
    if (c != kBoldOn && c != kBoldOff) {
      out += c;
    } else if (color) {
      out += c == kBoldOn ? "\033[1m" : "\033[0m";
    }
  }
  return out;
}

}  // namespace tracebook
