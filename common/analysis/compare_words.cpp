// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/compare_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>

namespace tracebook {
namespace {

struct Unit {
  double ns;
  const char* name;
};

Unit unit_of(double ns) {
  const double size = std::abs(ns);
  // What would be printed as 1000.0 goes to the next unit.
  if (size < 999'950) return {1e3, "µs"};
  if (size < 999'950'000) return {1e6, "ms"};
  return {1e9, "s"};
}

std::string fixed(double value, int decimals) {
  std::array<char, 64> buffer{};
  const int size = std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  std::string text(buffer.data(), static_cast<std::size_t>(std::max(size, 0)));
  // "-0.00" says nothing that "0.00" does not.
  if (text.find_first_not_of("-0.") == std::string::npos && text.front() == '-') text.erase(0, 1);
  return text;
}

int decimals_of(double value) { return std::abs(value) < 10 ? 2 : 1; }

std::string steps_text(std::size_t steps) {
  return std::to_string(steps) + (steps == 1 ? " step" : " steps");
}

std::string cannot_tell(const Comparison& comparison) {
  if (!comparison.per_step) {
    const bool neither = comparison.a.steps == 0 && comparison.b.steps == 0;
    const std::string who = neither                   ? "neither trace has"
                            : comparison.a.steps == 0 ? "A has"
                                                      : "B has";
    return "cannot tell: " + who + (neither ? " steps" : " 0 steps") +
           " (ProfilerStep#N), so each side is one measurement without a spread";
  }
  return "cannot tell: " + steps_text(comparison.a.steps) + " in A, " +
         steps_text(comparison.b.steps) + " in B; each needs " + std::to_string(kLeastSteps + 1) +
         ", since the first is left out";
}

bool gpus_differ(const ComparedSide& a, const ComparedSide& b) {
  return std::set<std::string>(a.gpus.begin(), a.gpus.end()) !=
         std::set<std::string>(b.gpus.begin(), b.gpus.end());
}

/// What a side lacks whose steps hold no device work.
std::string missing(const ComparedSide& side) {
  return side.gpus.empty() ? "no GPU lane" : "no GPU work in what is compared";
}

/// What the verdict must not be read without.
std::string reservation(const Comparison& comparison) {
  const ComparedSide& a = comparison.a;
  const ComparedSide& b = comparison.b;
  if (a.has_gpu && b.has_gpu) return gpus_differ(a, b) ? "; the GPUs differ" : "";
  if (!a.has_gpu && !b.has_gpu) return "; CPU only";
  return "; CPU only, since " + (a.has_gpu ? "B has " + missing(b) : "A has " + missing(a));
}

void note_gpus(const ComparedSide& a, const ComparedSide& b, std::vector<std::string>& notes) {
  if (!a.has_gpu || !b.has_gpu) {
    if (a.has_gpu != b.has_gpu) {
      notes.push_back((a.has_gpu ? "B has " + missing(b) : "A has " + missing(a)) +
                      ": only CPU rows and the CPU's time of a step are compared.");
    } else {
      notes.emplace_back("Neither trace has GPU work in what is compared: only the CPU is.");
    }
    return;
  }
  if (gpus_differ(a, b)) {
    notes.emplace_back(
        "The GPUs differ (see above): a change of time may be the machine's and not the "
        "program's.");
  } else if (a.gpus.size() != b.gpus.size()) {
    notes.push_back("The number of GPUs differs: A used " + std::to_string(a.gpus.size()) + ", B " +
                    std::to_string(b.gpus.size()) + "; GPU times are sums over all.");
  } else if (a.gpus.size() > 1) {
    notes.push_back("GPU times are sums over " + std::to_string(a.gpus.size()) + " GPUs.");
  }
}

void note_steps(const Comparison& comparison, std::vector<std::string>& notes) {
  const ComparedSide& a = comparison.a;
  const ComparedSide& b = comparison.b;
  if (!comparison.per_step) {
    if (a.steps == 0 && b.steps == 0) {
      notes.emplace_back("No steps (ProfilerStep#N): the whole traces are compared.");
    } else {
      notes.push_back(std::string(a.steps == 0 ? "A" : "B") +
                      " has no steps (ProfilerStep#N): the whole traces are compared, though the "
                      "other has " +
                      steps_text(a.steps + b.steps) + ".");
    }
    return;
  }
  if (a.steps > 1 && b.steps > 1) {
    notes.emplace_back(
        "The first recorded step of each is left out as an outlier: it pays for loading, first "
        "allocations and the profiler's own start.");
  } else if (a.steps != b.steps) {
    notes.push_back(std::string(a.steps == 1 ? "A" : "B") +
                    " has one step only, its first, which pays for loading, first allocations and "
                    "the profiler's own start; of the other the first step is left out.");
  } else {
    notes.emplace_back(
        "Each side has one step only, its first, which pays for loading, first allocations and "
        "the profiler's own start.");
  }
  const std::size_t fewest = std::min(a.used, b.used);
  if (fewest >= kLeastSteps && fewest < kManySteps) {
    notes.push_back("Judged by " + steps_text(fewest) +
                    ", only large differences can be told: record " +
                    std::to_string(kManySteps + 1) + " or more for a sharper verdict.");
  }
}

void note_outside(const ComparedSide& side, const char* name, std::vector<std::string>& notes) {
  if (side.outside == 0) return;
  notes.push_back(std::to_string(side.outside) + (side.outside == 1 ? " piece" : " pieces") +
                  " of GPU work in " + name + (side.outside == 1 ? " belongs" : " belong") +
                  " to no step and " + (side.outside == 1 ? "is" : "are") + " not compared.");
}

}  // namespace

std::string duration_text(double ns) {
  const Unit unit = unit_of(ns);
  const double value = ns / unit.ns;
  return fixed(value, decimals_of(value)) + " " + unit.name;
}

std::string spread_text(const Series& series) {
  if (series.values_ns.size() < 2) return duration_text(series.median_ns);
  const Unit unit = unit_of(series.median_ns);
  const double value = series.median_ns / unit.ns;
  const int decimals = decimals_of(value);
  return fixed(value, decimals) + " ± " + fixed(series.spread_ns / unit.ns, decimals) + " " +
         unit.name;
}

std::string change_text(double share) {
  const double percent = share * 100;
  std::string text = fixed(percent, std::abs(percent) < 9.95 ? 1 : 0);
  if (percent > 0 && text.find_first_not_of("0.") != std::string::npos) text.insert(0, 1, '+');
  return text + " %";
}

std::string number_text(double number) {
  std::string text = fixed(number, 2);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string comparison_verdict(const Comparison& comparison) {
  const Measure& first = comparison.decisive();
  if (comparison.identical) return "no differences: every row takes the same time in both";
  const std::string a = spread_text(first.a);
  const std::string b = spread_text(first.b);
  const std::string amount = first.a.median_ns == 0
                                 ? duration_text(first.b.median_ns)
                                 : change_text(std::abs(first.change())).substr(1);
  const std::string what =
      first.id == "step_period" ? ": from step to step it takes " : ": a step takes ";
  const std::string times = what + b + " in B, " + a + " in A";
  switch (first.judgement.outcome) {
    case Outcome::kSlower:
      return "B is slower by " + amount + times + reservation(comparison);
    case Outcome::kFaster:
      return "B is faster by " + amount + times + reservation(comparison);
    case Outcome::kSame:
      return "no difference beyond the spread (a: " + a + ", b: " + b + ")" +
             reservation(comparison);
    case Outcome::kCannotTell:
      break;
  }
  return cannot_tell(comparison);
}

std::vector<std::string> comparison_notes(const Comparison& comparison) {
  std::vector<std::string> notes;
  note_steps(comparison, notes);
  note_gpus(comparison.a, comparison.b, notes);
  note_outside(comparison.a, "A", notes);
  note_outside(comparison.b, "B", notes);
  return notes;
}

}  // namespace tracebook
