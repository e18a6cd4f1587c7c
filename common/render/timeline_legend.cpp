// SPDX-License-Identifier: Apache-2.0
#include "common/render/timeline_legend.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "common/render/kernel_names.h"
#include "common/render/terminal.h"
#include "common/render/timeline_raster.h"

namespace tracebook {
namespace {

constexpr std::size_t kMaxLines = 6;

/// One letter's work.
struct Entry {
  char letter = 0;
  SliceId example = kNoSlice;
  std::size_t count = 0;
  std::int64_t total_ns = 0;
  std::vector<std::int64_t> delays_ns = {};
};

constexpr std::size_t kColumns = 4;
using Line = std::array<std::string, kColumns>;

std::vector<Entry> entries_of(const Trace& trace, const Structure& structure,
                              const KernelLetters& letters, std::span<const SliceId> work) {
  std::vector<Entry> entries;
  for (const SliceId id : work) {
    const char letter = letters.of(id);
    auto entry = std::find_if(entries.begin(), entries.end(),
                              [letter](const Entry& known) { return known.letter == letter; });
    if (entry == entries.end()) {
      entry = entries.insert(entry, Entry{.letter = letter, .example = id});
    }
    ++entry->count;
    entry->total_ns += structure.dur_ns(trace.slices, id);
    const SliceId call = structure.launch[id];
    if (call == kNoSlice) continue;
    entry->delays_ns.push_back(trace.slices.ts_ns[id] - trace.slices.ts_ns[call]);
  }
  return entries;
}

std::string median(std::vector<std::int64_t>& values_ns, bool ascii) {
  if (values_ns.empty()) return "-";
  const auto middle = values_ns.begin() + static_cast<std::ptrdiff_t>(values_ns.size() / 2);
  std::nth_element(values_ns.begin(), middle, values_ns.end());
  return time_text(*middle, ascii);
}

/// Columns side by side, numbers to the right; the name gives way.
std::vector<std::string> aligned(const std::vector<Line>& lines, const LegendForm& form) {
  std::array<std::size_t, kColumns> widths{};
  for (const Line& line : lines) {
    for (std::size_t c = 0; c < kColumns; ++c) {
      widths[c] = std::max(widths[c], display_width(line[c]));
    }
  }
  constexpr std::size_t kSpacing = 2;
  std::size_t numbers = 0;
  for (std::size_t c = 1; c < kColumns; ++c) numbers += widths[c] + kSpacing;
  widths[0] = std::min(widths[0], form.width - std::min(form.width, numbers));
  std::vector<std::string> texts;
  for (const Line& line : lines) {
    std::string text = fitted(line[0], widths[0], form.ascii);
    for (std::size_t c = 1; c < kColumns; ++c) {
      text.append(kSpacing + widths[c] - display_width(line[c]), ' ');
      text += line[c];
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

KernelLetters::KernelLetters(const Trace& trace, std::span<const SliceId> work) : trace_(trace) {
  std::map<StringId, std::int64_t> total_ns;
  std::vector<StringId> by_appearance;
  for (const SliceId id : work) {
    const auto [entry, is_new] = total_ns.try_emplace(trace.slices.name[id], 0);
    entry->second += trace.slices.dur_ns[id];
    if (is_new) by_appearance.push_back(trace.slices.name[id]);
  }
  std::vector<StringId> named = by_appearance;
  std::stable_sort(named.begin(), named.end(), [&total_ns](StringId left, StringId right) {
    return total_ns[left] > total_ns[right];
  });
  constexpr std::size_t kLetters = 26;
  if (named.size() > kLetters) named.resize(kLetters);
  char letter = 'A';
  for (const StringId kernel : by_appearance) {
    if (std::find(named.begin(), named.end(), kernel) != named.end()) letters_[kernel] = letter++;
  }
}

char KernelLetters::of(SliceId work) const {
  const auto found = letters_.find(trace_.slices.name[work]);
  return found == letters_.end() ? kOther : found->second;
}

std::vector<std::string> kernel_legend(const Trace& trace, const Structure& structure,
                                       const KernelLetters& letters, std::span<const SliceId> work,
                                       const LegendForm& form) {
  std::vector<Entry> entries = entries_of(trace, structure, letters, work);
  if (entries.empty()) return {};
  std::vector<const Entry*> longest;
  longest.reserve(entries.size());
  for (const Entry& entry : entries) longest.push_back(&entry);
  std::stable_sort(longest.begin(), longest.end(), [](const Entry* left, const Entry* right) {
    return left->total_ns > right->total_ns;
  });
  longest.resize(std::min(longest.size(), kMaxLines));

  std::vector<Line> lines{{"", "count", "time", "delay"}};
  std::size_t further = 0;
  std::int64_t further_ns = 0;
  for (Entry& entry : entries) {
    if (std::find(longest.begin(), longest.end(), &entry) == longest.end()) {
      further += entry.count;
      further_ns += entry.total_ns;
      continue;
    }
    const std::string name =
        entry.letter == KernelLetters::kOther
            ? "other names"
            : short_kernel_name(printable(trace.name(entry.example), form.ascii));
    lines.push_back({std::string(1, entry.letter) + " " + name, std::to_string(entry.count),
                     time_text(entry.total_ns, form.ascii), median(entry.delays_ns, form.ascii)});
  }
  if (further > 0) {
    lines.push_back({form.ascii ? "... others" : "… others", std::to_string(further),
                     time_text(further_ns, form.ascii), ""});
  }
  return aligned(lines, form);
}

}  // namespace tracebook
