// SPDX-License-Identifier: Apache-2.0
//
// What makes a trace trustworthy or not: records that were lost, times that cannot be, work that
// nobody launched. `tracebook info` prints it, and `diagnose` believes no idle time without it.
//
//   const Health health = examine_health(trace, structure);
//   for (const std::string& says : health_problems(trace, health)) …   // none: a healthy trace
//
// A value; trace and structure may go. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/analysis/lanes.h"
#include "common/trace/structure.h"
#include "common/trace/trace.h"

namespace tracebook {

struct Health {
  std::int64_t timed_events = 0;  ///< what has a duration, the profiler's own span left out
  std::int64_t device_work = 0;
  std::int64_t launches = 0;               ///< calls that start kernels or replay graphs
  std::int64_t launches_without_work = 0;  ///< their device records were lost
  std::int64_t launches_unlinked = 0;      ///< their work is there, but does not say who started it
  std::int64_t launches_at_end = 0;   ///< their work began after the recording: normal, as is what
                                      ///< a graph's capture swallowed
  std::int64_t waits_for_unseen = 0;  ///< the CPU waited for a GPU that shows no work: records of
                                      ///< it are missing, launches and all or a replay's kernels
  std::int64_t short_replays = 0;     ///< replays with fewer kernels than others of the same graph
  std::int64_t undecided_work = 0;    ///< claimed by several processes of a merged file alike
  std::int64_t work_without_launch = 0;         ///< normal: launched before recording began
  std::int64_t work_without_launch_inside = 0;  ///< of these, after launched work on its stream
  std::int64_t impossible_times = 0;
  std::int64_t starts_before_launch = 0;       ///< device work that began before its launch call
  std::int64_t starts_long_before_launch = 0;  ///< of these, by over 100 us
  std::int64_t starts_long_after_launch = 0;   ///< GPUs that left their first work waiting
  std::int64_t calls = 0;                      ///< into CUDA, of any kind
  std::int64_t overlaps_on_stream = 0;
  std::int64_t overruns = 0;  ///< work that goes on far beyond the start of the next
  std::int64_t orphan_flows = 0;
  std::int64_t uncategorised =
      0;                      ///< ranges without a category that count as CPU ranges or kernels
  std::int64_t unplaced = 0;  ///< ranges of unknown category, which count nowhere

  /// Those whose work was lost, or has no possible time, and the short replays; by start.
  std::vector<SliceId> lost_launches;
  Intervals unseen;  ///< of these waits, when no GPU shows work; sorted, apart
  std::vector<SliceId> waiting_for_unseen;  ///< the waits
  std::vector<SliceId> impossible;          ///< the first few with impossible times

  [[nodiscard]] bool records_lost() const {
    return launches_without_work + short_replays + waits_for_unseen > 0;
  }
  [[nodiscard]] bool times_impossible() const {
    return impossible_times + overruns + starts_long_before_launch + starts_long_after_launch > 0;
  }
  /// Whether CPU and GPU times cannot be compared.
  [[nodiscard]] bool clocks_disagree() const {
    const std::int64_t launched = device_work - work_without_launch;
    return starts_long_after_launch > 0 || 2 * starts_long_before_launch > launched;
  }
};

Health examine_health(const Trace& trace, const Structure& structure);

/// What is wrong, a clause each, with its count; what weighs most first. What the reader repaired
/// or skipped comes last. Empty for a healthy trace.
std::vector<std::string> health_problems(const Trace& trace, const Health& health);
/// The same without what the reader repaired or skipped.
std::vector<std::string> recording_problems(const Health& health);

/// Why a trace without work has none, as a rule: one sentence.
std::string_view why_nothing_was_recorded();
/// Why a table or a picture of this trace is empty: one or two sentences.
std::string why_nothing_to_show(const Trace& trace);

}  // namespace tracebook
