// SPDX-License-Identifier: Apache-2.0
#include "common/render/compare_text.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "common/analysis/compare_words.h"
#include "common/analysis/kernel_name.h"
#include "common/render/terminal.h"

namespace tracebook {
namespace {

constexpr std::size_t kLeastWidth = kMinWidth;
constexpr std::size_t kColumns = 60;  // below it there is no room for A and B side by side
constexpr std::size_t kTime = 9;      // "-123.4 µs"
constexpr std::size_t kCalls = 9;     // "0.33→0.67"
constexpr std::size_t kWord = 8;      // "replaced"

std::string right(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(width > used ? width - used : 0, ' ') + std::string(text);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

/// A line without its end; never wider than before.
std::string in_ascii(std::string_view line) {
  std::string text(line);
  replace_all(text, "µ", "u");
  replace_all(text, " ± ", "+-");
  replace_all(text, "→", ">");
  replace_all(text, "…", "~");
  return printable(text, /*ascii=*/true);
}

/// Breaks at blanks; the second line and those after are indented by `indent`.
void wrap(std::string& out, std::string_view text, std::size_t width, std::size_t indent) {
  std::size_t used = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const std::size_t size = display_width(word);
    if (used > 0 && used + 1 + size > width) {
      out += "\n" + std::string(indent, ' ');
      used = indent;
    } else if (used > 0) {
      out += ' ';
      ++used;
    }
    out += word;
    used += size;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out += "\n";
}

/// Files differ at their ends: a long path loses its beginning.
std::string path_text(std::string_view path, std::size_t width) {
  std::string text = printable(path);
  if (display_width(text) <= width) return text;
  while (display_width(text) + 1 > width) {
    std::size_t next = 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0U) == 0x80U) ++next;
    text.erase(0, next);
  }
  return "…" + text;
}

std::string gpus_text(const ComparedSide& side) {
  std::map<std::string, int> count;
  for (const std::string& gpu : side.gpus) ++count[gpu];
  std::string out;
  for (const auto& [name, number] : count) {
    if (!out.empty()) out += ", ";
    if (number > 1) out += std::to_string(number) + " x ";
    out += printable(name);
  }
  return out.empty() ? "no GPU lane" : out;
}

std::string steps_text(const Comparison& comparison, const ComparedSide& side) {
  std::string steps = std::to_string(side.steps) + (side.steps == 1 ? " step" : " steps");
  if (!comparison.per_step || side.steps == side.used) return steps;
  return steps + ", " + std::to_string(side.used) + " of them compared";
}

void add_side(std::string& out, const Comparison& comparison, const ComparedSide& side,
              std::string_view name, std::size_t width) {
  out += std::string(name) + "  " + path_text(side.label, width - 3) + "\n";
  out += "   " + shortened(gpus_text(side) + "; " + steps_text(comparison, side), width - 3) + "\n";
}

std::string_view outcome_words(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSlower:
      return "slower";
    case Outcome::kFaster:
      return "faster";
    case Outcome::kSame:
      return "within spread";
    case Outcome::kCannotTell:
      break;
  }
  return "cannot tell";
}

/// Where there is no room for words; the last line of the output explains the signs.
std::string_view outcome_sign(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSlower:
      return "slower";
    case Outcome::kFaster:
      return "faster";
    case Outcome::kSame:
      return "~";
    case Outcome::kCannotTell:
      break;
  }
  return "?";
}

void add_measures(std::string& out, const Comparison& comparison, std::size_t width) {
  const bool narrow = width < 80;
  const std::size_t value = narrow ? 16 : 19;  // "999.9 ± 999.9 µs"
  constexpr std::size_t kName = 13;
  constexpr std::size_t kChange = 8;
  const auto add = [&](std::string_view name, std::string_view a, std::string_view b,
                       std::string_view change, std::string_view outcome) {
    if (width < kColumns) {
      out += fitted(name, kName) + right(change, kChange);
      out += (outcome.empty() ? "" : " ") + std::string(outcome) + "\n  ";
      wrap(out, std::string(a) + " → " + std::string(b), width - 2, 2);
      return;
    }
    out += fitted(name, kName) + right(a, value) + right(b, value) + right(change, kChange);
    if (!outcome.empty()) out += (narrow ? " " : "  ") + std::string(outcome);
    out += "\n";
  };
  add(comparison.per_step ? "per step" : "whole trace", "A", "B", "change", "");
  for (const Measure& measure : comparison.measures) {
    const bool equal = measure.a.values_ns == measure.b.values_ns;
    const Outcome outcome = measure.judgement.outcome;
    add(measure.name, spread_text(measure.a), spread_text(measure.b),
        measure.a.median_ns == 0 ? "-" : change_text(measure.change()),
        equal                         ? "equal"
        : narrow && width >= kColumns ? outcome_sign(outcome)
                                      : outcome_words(outcome));
  }
  if (!comparison.a.has_gpu || !comparison.b.has_gpu) return;
  const auto add_count = [&](std::string_view name, double a, double b) {
    add(name, number_text(a), number_text(b), (b > a ? "+" : "") + number_text(b - a), "");
  };
  add_count("launches", comparison.a.launches, comparison.b.launches);
  add_count("GPU work", comparison.a.device_work, comparison.b.device_work);
}

double self_ns(const ComparedRow& row, const RowSide& side) {
  return row.device_type == DeviceType::kCpu ? side.self_cpu_ns : side.self_device_ns;
}

std::string_view word_of(const ComparedRow& row) {
  switch (row.status) {
    case RowStatus::kAppeared:
      return "new";
    case RowStatus::kVanished:
      return "gone";
    case RowStatus::kReplaced:
      return "replaced";
    case RowStatus::kBoth:
      break;
  }
  return outcome_sign(row.outcome);
}

bool has_changed(const ComparedRow& row) {
  return row.status != RowStatus::kBoth || row.change_ns != 0 || row.a.calls != row.b.calls;
}

std::string calls_text(const ComparedRow& row) {
  const std::string a = number_text(row.a.calls);
  const std::string b = number_text(row.b.calls);
  return a == b ? a : a + "→" + b;
}

void add_row(std::string& out, const ComparedRow& row, std::size_t width) {
  const bool in_a = row.status != RowStatus::kAppeared;
  const bool in_b = row.status != RowStatus::kVanished;
  const bool narrow = width < kColumns;
  const std::size_t room = width - (narrow ? kTime + kWord + 4 : 3 * kTime + kCalls + kWord + 7);
  const bool gpu = row.device_type == DeviceType::kCuda;
  const std::string name = printable(gpu ? short_kernel_name(row.key, 4 * room) : row.key);
  out += right((row.change_ns > 0 ? "+" : "") + duration_text(row.change_ns), kTime + 1) + " ";
  if (narrow) {
    out += fitted(word_of(row), kWord) + "  " + shortened(name, room) + "\n";
    return;
  }
  out += right(in_a ? duration_text(self_ns(row, row.a)) : "-", kTime) + " " +
         right(in_b ? duration_text(self_ns(row, row.b)) : "-", kTime) + " " +
         right(calls_text(row), kCalls) + " " + fitted(word_of(row), kWord) + "  " +
         shortened(name, room) + "\n";
}

void add_table(std::string& out, const Comparison& comparison, DeviceType device,
               const CompareTextOptions& options, std::size_t width) {
  std::vector<const ComparedRow*> rows;
  std::size_t same = 0;
  for (const ComparedRow& row : comparison.rows) {
    if (row.device_type != device) continue;
    if (has_changed(row)) {
      rows.push_back(&row);
    } else {
      ++same;
    }
  }
  if (rows.empty()) return;
  const bool gpu = device == DeviceType::kCuda;
  out += "\n";
  wrap(out,
       std::string(gpu ? "GPU time" : "Self CPU time") + (comparison.per_step ? " per step" : "") +
           ", largest change first",
       width, 0);
  out += right("change", kTime + 1) + " ";
  if (width >= kColumns) {
    out += right("A", kTime) + " " + right("B", kTime) + " " + right("calls", kCalls) + " ";
  }
  out += fitted("", kWord) + "  name\n";
  const std::size_t shown = std::min(rows.size(), options.row_limit);
  for (std::size_t i = 0; i < shown; ++i) add_row(out, *rows[i], width);
  if (shown < rows.size()) {
    const std::size_t more = rows.size() - shown;
    wrap(out,
         "… " + std::to_string(more) + (more == 1 ? " more row" : " more rows") +
             " (--row-limit -1 shows all)",
         width, 2);
  }
  if (same > 0) {
    out += std::to_string(same) + (same == 1 ? " row is" : " rows are") + " equal in both\n";
  }
}

void add_replaced(std::string& out, const Comparison& comparison, std::size_t width) {
  bool first = true;
  for (const ComparedRow& row : comparison.rows) {
    if (row.status != RowStatus::kReplaced) continue;
    if (first) out += "\nAnother kernel in its place\n";
    first = false;
    const std::string op = row.op == row.op_was ? row.op : row.op_was + " → " + row.op;
    out += "  " + shortened(printable(op.empty() ? "unknown op" : op), width - 2) + "\n";
    // Two names that look alike when cut are worth their whole length.
    for (const auto& [side, name] : {std::pair{"    A  ", &row.was}, {"    B  ", &row.key}}) {
      out += side + shortened(printable(*name), width - 7) + "\n";
    }
  }
}

}  // namespace

std::string comparison_text(const Comparison& comparison, const CompareTextOptions& options) {
  const std::size_t width = std::max(options.width, kLeastWidth);
  std::string out;
  add_side(out, comparison, comparison.a, "A", width);
  add_side(out, comparison, comparison.b, "B", width);
  out += "\n";
  wrap(out, "Verdict: " + comparison.verdict, width, 0);
  out += "\n";
  add_measures(out, comparison, width);
  out += "\n";
  for (const std::string& note : comparison.notes) wrap(out, "- " + note, width, 2);
  add_table(out, comparison, DeviceType::kCuda, options, width);
  add_replaced(out, comparison, width);
  add_table(out, comparison, DeviceType::kCpu, options, width);
  if (!comparison.identical) {
    out += "\n~ within the spread";
    out += width < kColumns ? "\n" : "   ";
    out += "? too few steps, or not in every step\n";
  }
  if (!options.ascii) return out;
  std::string ascii;
  for (std::size_t at = 0; at < out.size();) {
    const std::size_t end = std::min(out.find('\n', at), out.size());
    ascii += in_ascii(std::string_view(out).substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return ascii;
}

}  // namespace tracebook
