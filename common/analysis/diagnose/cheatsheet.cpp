// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "common/analysis/diagnose/diagnose.h"

namespace tracebook {
namespace {

struct Family {
  char letter;
  std::string_view title;
  std::string_view says;
};

constexpr Family kFamilies[] = {
    {'T', "The profiler table", "What `tracebook table` and PyTorch's `key_averages()` show."},
    {'C', "The CPU lane", "Ranges, ops and CUDA calls of the CPU's threads."},
    {'G', "The GPU lane", "Kernels and copies, and the gaps between them."},
    {'D', "The dispatch chain", "From the step down to the kernel."},
    {'P', "torch.compile", "What compiled code leaves in a trace."},
    {'X', "What holds the work back", "Causes that show up in anyone's traces."},
};

}  // namespace

std::string cheatsheet_markdown() {
  std::string out =
      "# Cheat sheet: what a trace says\n"
      "\n"
      "`tracebook diagnose TRACE` looks for each of these. A finding's share is the part of the "
      "recorded\n"
      "window that would at most vanish if its cause did: below 2 % it is info, from 2 % advice, "
      "from\n"
      "10 % a warning. A pattern that is only recognised has share 0. Each idle moment of the GPU "
      "is put\n"
      "down to one cause.\n"
      "\n"
      "This page is printed by `tracebook cheatsheet`; change the rules, not the page.\n";
  for (const Family& family : kFamilies) {
    out.append("\n## ").append(family.title).append("\n\n").append(family.says).append("\n");
    for (const Rule& rule : all_rules()) {
      if (rule.id.front() != family.letter) continue;
      out.append("\n### ").append(rule.id).append(" ").append(rule.title).append("\n\n");
      const auto item = [&out](std::string_view label, std::string_view text) {
        out.append("- **").append(label).append("** ").append(text).append("\n");
      };
      item("Look for:", rule.looks_for);
      item("It means:", rule.means);
      item("Next:", rule.next);
      item("Experiment:", rule.experiment);
      if (!rule.chapter.empty()) {
        out.append("- **Chapter:** [")
            .append(rule.chapter)
            .append("](../chapters/")
            .append(rule.chapter)
            .append("/README.md)\n");
      }
      if (rule.information) out.append("- Information only: never advice.\n");
    }
  }
  return out;
}

}  // namespace tracebook
