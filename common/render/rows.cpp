// SPDX-License-Identifier: Apache-2.0
#include "common/render/rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <sstream>
#include <string_view>
#include <variant>
#include <vector>

#include "common/render/terminal.h"

namespace tracebook {
namespace {

constexpr std::size_t kSpaceBetween = 2;
constexpr std::size_t kNarrow = 8;  ///< no column is cut below this

/// Lines of cells, the header's first.
struct Grid {
  std::vector<std::vector<std::string>> lines;
  std::vector<bool> right;  ///< columns of numbers

  [[nodiscard]] std::vector<std::size_t> widths() const {
    std::vector<std::size_t> widths(right.size(), 0);
    for (const std::vector<std::string>& line : lines) {
      for (std::size_t c = 0; c < line.size(); ++c) {
        widths[c] = std::max(widths[c], display_width(line[c]));
      }
    }
    return widths;
  }
};

std::size_t total(const std::vector<std::size_t>& widths) {
  std::size_t sum = 0;
  for (const std::size_t width : widths) sum += width + kSpaceBetween;
  return sum - std::min(sum, kSpaceBetween);
}

Grid grid_of(const QueryResult& result) {
  Grid grid{.lines = {result.columns},
            .right = std::vector<bool>(result.columns.size(), !result.rows.empty())};
  for (const std::vector<Cell>& row : result.rows) {
    std::vector<std::string>& line = grid.lines.emplace_back();
    for (std::size_t c = 0; c < row.size(); ++c) {
      line.push_back(cell_text(row[c]));
      if (std::holds_alternative<std::string>(row[c])) grid.right[c] = false;
    }
  }
  return grid;
}

std::vector<std::string> words_of_header(const std::string& name) {
  std::vector<std::string> words;
  std::istringstream stream(name);
  for (std::string word; std::getline(stream, word, '_');) words.push_back(word);
  return words;
}

/// Headers in as many lines as the longest has words, at the bottom of their columns.
void break_headers(Grid& grid) {
  const std::vector<std::string> names = grid.lines.front();
  std::size_t most = 1;
  for (const std::string& name : names) most = std::max(most, words_of_header(name).size());
  std::vector<std::vector<std::string>> header(most, std::vector<std::string>(names.size()));
  for (std::size_t c = 0; c < names.size(); ++c) {
    const std::vector<std::string> words = words_of_header(names[c]);
    for (std::size_t i = 0; i < words.size(); ++i) header[most - words.size() + i][c] = words[i];
  }
  grid.lines.erase(grid.lines.begin());
  grid.lines.insert(grid.lines.begin(), header.begin(), header.end());
}

/// Takes from the widest of these columns until all columns fit, or none of these is wide.
void narrow(std::vector<std::size_t>& widths, const std::vector<bool>& spared, std::size_t room) {
  while (total(widths) > room) {
    std::size_t widest = widths.size();
    for (std::size_t c = 0; c < widths.size(); ++c) {
      if (spared[c] || widths[c] <= kNarrow) continue;
      if (widest == widths.size() || widths[c] > widths[widest]) widest = c;
    }
    if (widest == widths.size()) return;
    std::size_t next = kNarrow;  // the second widest: down to there at once
    for (std::size_t c = 0; c < widths.size(); ++c) {
      if (!spared[c] && widths[c] < widths[widest]) next = std::max(next, widths[c]);
    }
    widths[widest] -= std::min(widths[widest] - next, total(widths) - room);
  }
}

/// In one line, blanks of any kind as one.
std::string in_one_line(std::string_view cell) {
  std::string line;
  for (const char c : cell) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank) {
      line += c;
    } else if (line.empty() || line.back() != ' ') {
      line += ' ';
    }
  }
  return printable(line);
}

void fit(Grid& grid, const RowsLook& look) {
  for (std::vector<std::string>& line : grid.lines) {
    for (std::string& cell : line) cell = in_one_line(cell);
  }
  if (look.break_headers && total(grid.widths()) > look.width) break_headers(grid);
  std::vector<std::size_t> widths = grid.widths();
  narrow(widths, grid.right, look.width);
  narrow(widths, std::vector<bool>(widths.size(), false), look.width);
  for (std::vector<std::string>& line : grid.lines) {
    for (std::size_t c = 0; c < line.size(); ++c) {
      line[c] = shortened(line[c], widths[c], look.ascii);
    }
  }
}

std::string text_of(const Grid& grid) {
  const std::vector<std::size_t> widths = grid.widths();
  std::string out;
  for (const std::vector<std::string>& line : grid.lines) {
    std::string row;
    for (std::size_t c = 0; c < line.size(); ++c) {
      const std::string padding(widths[c] - display_width(line[c]), ' ');
      if (c > 0) row.append(kSpaceBetween, ' ');
      row += grid.right[c] ? padding + line[c] : line[c] + padding;
    }
    row.erase(row.find_last_not_of(' ') + 1);
    out += row + "\n";
  }
  return out;
}

}  // namespace

std::string rounded_text(double value) {
  char buffer[64];
  // Three decimals would leave nothing of a small number.
  if (value != 0 && std::abs(value) < 0.01) {
    std::snprintf(buffer, sizeof buffer, "%.3g", value);
    return buffer;
  }
  std::snprintf(buffer, sizeof buffer, "%.3f", value);
  std::string text = buffer;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string cell_text(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return rounded_text(*real);
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return "-";
}

std::string rows_text(const QueryResult& result, const RowsLook& look) {
  Grid grid = grid_of(result);
  if (look.width > 0) fit(grid, look);
  return text_of(grid);
}

bool rows_are_wider(const QueryResult& result, std::size_t width) {
  return total(grid_of(result).widths()) > width;
}

}  // namespace tracebook
