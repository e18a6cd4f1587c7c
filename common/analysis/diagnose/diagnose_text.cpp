// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ranges>

#include "common/analysis/diagnose/diagnose.h"
#include "common/analysis/diagnose/rule_support.h"

namespace tracebook {
namespace {

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// Appends `text` with line breaks at blanks: the first line after `first`, the others after as
/// many blanks as `first` is wide.
void wrap(std::string& out, std::string_view first, std::string_view text, std::size_t width) {
  const std::string indent(columns(first), ' ');
  out += first;
  std::size_t used = indent.size();
  bool fresh = true;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!fresh && used + 1 + columns(word) > width) {
      out += "\n" + indent;
      used = indent.size();
      fresh = true;
    }
    // A name longer than a line is cut where the line ends.
    if (fresh && used + columns(word) > width && width > used) {
      const std::size_t room = width - used;
      out += word.substr(0, room);
      text.remove_prefix(room);
      out += "\n" + indent;
      used = indent.size();
      continue;
    }
    if (!fresh) {
      out += ' ';
      ++used;
    }
    out += word;
    used += columns(word);
    fresh = false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out += "\n";
}

std::string padded(std::string text, std::size_t width, bool right = false) {
  const std::size_t own = columns(text);
  const std::string blanks(width > own ? width - own : 0, ' ');
  return right ? blanks + text : text + blanks;
}

/// What no clock gave lies before the trace's first event, or years after it.
std::string start_text(std::int64_t ns) {
  constexpr std::int64_t kYears = 1'000'000'000'000'000'000;
  return ns < 0 || ns > kYears ? "no time" : time_text(ns);
}

void add_evidence(std::string& out, const Finding& finding, std::size_t width) {
  if (finding.evidence.empty()) return;
  out += "  Look at:\n";
  for (const Evidence& each : finding.evidence) {
    const std::string line =
        "    " + padded(each.step ? "step " + std::to_string(*each.step) : "", 9) + "at " +
        padded(start_text(each.ts_ns), 9, true) + padded(time_text(each.dur_ns), 10, true);
    constexpr std::size_t kLeastRoom = 16;
    const bool beside = width >= columns(line) + 2 + kLeastRoom;
    out += line + (beside ? "  " : "\n      ");
    out += short_kernel_name(each.name, width - (beside ? columns(line) + 2 : 6)) + "\n";
  }
  const auto shown = static_cast<std::int64_t>(finding.evidence.size());
  if (finding.occurrences > shown) {
    out += "    and " + count_text(finding.occurrences - shown, "more", "more") + "\n";
  }
}

void add_finding(std::string& out, const Finding& finding, std::size_t width) {
  const std::string share = finding.share > 0 ? ", " + percent_text(finding.share) : "";
  out += "\n";
  const std::string head =
      std::string(severity_name(finding.severity)) + " " + finding.id + share + ": ";
  if (width >= 60) {
    wrap(out, head, finding.title, width);
  } else {
    out += head + "\n";
    wrap(out, "  ", finding.title, width);
  }
  wrap(out, "  Means:  ", finding.meaning, width);
  wrap(out, "  Next:   ", finding.next, width);
  wrap(out, "  Check:  ", finding.experiment, width);
  if (!finding.arithmetic.empty()) wrap(out, "  Share:  ", finding.arithmetic, width);
  if (!finding.chapter.empty()) out += "  Lesson: " + finding.chapter + "\n";
  add_evidence(out, finding, width);
}

/// How long each GPU works, where they differ by more than a tenth.
std::string other_gpus(const Diagnosis& diagnosis) {
  const auto& busy = diagnosis.device_busy_ns;
  if (busy.empty()) return {};
  const auto [least, most] = std::ranges::minmax(busy | std::views::values);
  if (10 * (most - least) <= most) return {};
  std::string out = " Busy times differ:";
  for (const auto& [device, ns] : busy) {
    out += (out.back() == ':' ? " GPU " : ", GPU ") + std::to_string(device) + " " + time_text(ns);
  }
  return out + ".";
}

}  // namespace

std::string diagnosis_text(const Diagnosis& diagnosis, std::size_t width, bool all) {
  width = std::max<std::size_t>(width, 40);
  std::string out;
  out += "Verdict: " + diagnosis.verdict + "\n";
  wrap(out, "  ", diagnosis.arithmetic, width);
  if (diagnosis.device_count > 1) {
    wrap(out, "  ",
         "The trace holds " + std::to_string(diagnosis.device_count) + " GPUs; this is about GPU " +
             std::to_string(diagnosis.device) + ", which works most." + other_gpus(diagnosis),
         width);
  }
  std::vector<const Finding*> seen;
  bool acted = false;
  for (const Finding& finding : diagnosis.findings) {
    if (all || finding.severity != Severity::kInfo) {
      add_finding(out, finding, width);
      acted = true;
    } else {
      seen.push_back(&finding);
    }
  }
  // Where the verdict is unknown, nothing found is no clean bill.
  if (!acted && diagnosis.verdict != "unknown") {
    out += "\n";
    wrap(out, "", "Nothing stands out: no finding explains 2 % of the window.", width);
  }
  if (!seen.empty()) {
    out += "\nAlso seen:\n";
    for (const Finding* finding : seen) {
      std::string share = finding->share >= 0.0005 ? " (" + percent_text(finding->share) + ")" : "";
      wrap(out, "  " + padded(finding->id, 5), finding->title + share, width);
    }
    out += "\n";
    wrap(out, "", "--all explains these, tracebook cheatsheet all patterns.", width);
  }
  return out;
}

}  // namespace tracebook
