// SPDX-License-Identifier: Apache-2.0
//
// What changed between two traces of the same work: a verdict that respects how much each trace
// varies in itself, and the ops and kernels that appeared, vanished, got slower or faster.
//
//   const Comparison comparison = compare_traces({trace_a, structure_a, "before.json"},
//                                                {trace_b, structure_b, "after.json"});
//   std::cout << comparison.verdict << comparison_json(comparison);
//   if (is_slower_by(comparison, 5.0)) …               // per cent
//
// The unit is a step where both traces have any (the first recorded one is left out, since it pays
// for first touches), else the whole trace. docs/compare.md states every rule. A value that refers
// to nothing; traces and structures may go. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/analysis/averages.h"
#include "common/trace/structure.h"
#include "common/trace/trace.h"

namespace tracebook {

/// Of B as compared with A.
enum class Outcome : std::uint8_t { kSame, kSlower, kFaster, kCannotTell };
/// "same", "slower", "faster", "cannot_tell".
std::string_view outcome_name(Outcome outcome);

/// One time for each step that is compared.
struct Series {
  std::vector<std::int64_t> values_ns;
  double median_ns = 0;
  /// 1.4826 times the median absolute deviation (a standard deviation, where the values are spread
  /// like a bell), but at least 0.5 % of the median and one tick of a GPU's clock, 32 ns: two
  /// recordings of the same program agree no better.
  double spread_ns = 0;
};
Series make_series(std::vector<std::int64_t> values_ns);

/// Steps that each side needs beside the first before anything is judged.
inline constexpr std::size_t kLeastSteps = 2;
/// From here on the narrowest margin holds.
inline constexpr std::size_t kManySteps = 7;

struct Judgement {
  Outcome outcome = Outcome::kCannotTell;
  double margin_ns = 0;  ///< medians further apart than this differ; 0 with too few steps
};
/// Medians differ where they are further apart than `factor` times the root of the sum of the
/// squared spreads. The factor is 4 for two or three steps, 3 for four to six, 2 from seven on, by
/// the side that has fewer. Equal series are the same however few.
Judgement judge(const Series& a, const Series& b);

struct Measure {
  std::string id;    ///< "step_time", "step_period", "gpu_busy", "cpu_time", "step_duration"
  std::string name;  ///< for people
  Series a;
  Series b;
  Judgement judgement;
  /// (B − A) / A of the medians; 0 where A's is 0.
  [[nodiscard]] double change() const;
};

/// What happened to a row of the profiler table.
enum class RowStatus : std::uint8_t { kBoth, kAppeared, kVanished, kReplaced };
std::string_view status_name(RowStatus status);

/// A row's figures, per step (or of the whole trace): counts are means; times are medians where the
/// row is in every step, else means.
struct RowSide {
  double calls = 0;
  double launches = 0;  ///< of an op: launches of its own; of a kernel: launches that started it
  double self_cpu_ns = 0;
  double cpu_ns = 0;
  double self_device_ns = 0;
  double device_ns = 0;
};

struct ComparedRow {
  std::string key;  ///< of a vanished row A's name, else B's
  std::string was;  ///< kReplaced: the kernel's name in A
  std::string op;   ///< kReplaced: the op around it in B
  std::string op_was;
  DeviceType device_type = DeviceType::kCpu;
  RowStatus status = RowStatus::kBoth;
  Outcome outcome = Outcome::kCannotTell;  ///< for rows of both sides
  RowSide a;
  RowSide b;
  /// Self time per step, B − A: GPU time of GPU rows, CPU time of CPU rows.
  double change_ns = 0;
};

struct ComparedSide {
  std::string label;
  std::vector<std::string> gpus;  ///< names of those that worked, "unknown GPU" where not said
  std::size_t steps = 0;          ///< recorded
  std::size_t used = 0;           ///< compared; 1 for a whole trace
  bool has_gpu = false;           ///< device work in what is compared
  double launches = 0;            ///< per step: API calls that started device work
  double device_work = 0;         ///< per step: kernels, copies and memsets
  std::int64_t outside = 0;       ///< device work that belongs to no step
};

struct Comparison {
  ComparedSide a;
  ComparedSide b;
  bool per_step = false;
  bool identical = false;          ///< every time and every row is the same
  std::string verdict;             ///< one sentence
  std::vector<std::string> notes;  ///< what a reader must know to trust the figures
  std::vector<Measure> measures;   ///< step_time first
  std::vector<ComparedRow> rows;   ///< largest change first

  /// The one the verdict is about: step_time, or step_period where the loop lost or won its time
  /// between the steps.
  [[nodiscard]] const Measure& decisive() const;
};

/// A side to compare; `label` is what the user calls it.
struct TraceView {
  const Trace& trace;
  const Structure& structure;
  std::string_view label;
};
Comparison compare_traces(const TraceView& a, const TraceView& b);

/// `--fail-if-slower`: step_time or step_period is "slower" (beyond the spread), by more than
/// `percent` of A.
bool is_slower_by(const Comparison& comparison, double percent);

/// {"schema":1,"verdict":{…},"a":{…},"b":{…},"measures":[…],"rows":[…]}; at most `row_limit` rows.
std::string comparison_json(const Comparison& comparison, std::size_t row_limit = SIZE_MAX);

}  // namespace tracebook
