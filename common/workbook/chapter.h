// SPDX-License-Identifier: Apache-2.0
//
// What a chapter is, and the knobs that its program takes. A chapter declares both once, in a
// host-only header of its folder (chapters/NN_name/knobs.h), read by its .cu, by the build that
// only replays, and by `tracebook chapters`.
//
//   inline const ChapterInfo kChapter{.stem = "01_cold_trace", .title = "…", .question = "…"};
//
// Plain values; no CUDA.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tracebook {

/// "03", of "03_schedule_tweak".
inline std::string chapter_number(std::string_view stem) {
  return std::string(stem.substr(0, stem.find('_')));
}

/// The knobs that every chapter's program has. `extra` holds the chapter's own, by flag name.
struct Knobs {
  std::int64_t size = 64;            ///< matrices are size × size
  std::string dtype = "bf16";        ///< one of ChapterInfo::dtypes
  std::int64_t batch = 0;            ///< matrices per tensor; 0: plain 2D
  bool warmup = false;               ///< run the step ten times before the profiler starts
  std::int64_t wait = 1;             ///< steps that the schedule skips
  std::int64_t profiler_warmup = 1;  ///< steps that run profiled but unrecorded
  std::int64_t active = 3;           ///< steps recorded
  std::int64_t repeat = 1;           ///< cycles of wait, warm-up, active
  std::int64_t steps = 0;            ///< steps in all; 0: as many as the schedule needs
  bool record_cpu = true;
  bool record_cuda = true;
  std::map<std::string, std::string> extra;

  bool operator==(const Knobs&) const = default;

  /// `steps`, or what the schedule needs.
  [[nodiscard]] std::int64_t step_count() const {
    return steps != 0 ? steps : (wait + profiler_warmup + active) * (repeat == 0 ? 1 : repeat);
  }
};

/// A knob that only some chapters have.
struct ExtraKnob {
  std::string flag;  ///< "buffers", for --buffers
  std::string help;
  std::string default_value;
  std::vector<std::string> choices;  ///< empty: a whole number of at least `minimum`
  std::int64_t minimum = 0;
  std::int64_t maximum = std::int64_t{1} << 40;
};

/// A table over several runs of a chapter, printed by one command (`--sweep`): each live run is a
/// process of its own, so that none inherits what another has warmed up; without a GPU, their
/// recordings.
struct RunComparison {
  std::string flag;  ///< "sweep", for --sweep
  std::string help;
  std::vector<std::string> runs;  ///< command lines, all among ChapterInfo::variants
  std::string sql;                ///< its rows, run by run, are the rows of the table
};

struct ChapterInfo {
  std::string stem;  ///< "01_cold_trace": its folder, program and artefact folder
  std::string title;
  std::string question;  ///< the question that opens the chapter
  Knobs defaults = {};
  std::vector<ExtraKnob> extra_knobs = {};
  bool batches = false;                                        ///< the program reads --batch
  std::vector<std::string> dtypes = {"bf16", "fp16", "fp32"};  ///< that --dtype takes
  /// Command lines (without the program's name) of the runs that the lesson shows: `make live` runs
  /// them and `make record` records them. The first is the plain run.
  std::vector<std::string> variants = {""};
  std::vector<RunComparison> comparisons = {};

  /// "01".
  [[nodiscard]] std::string number() const { return chapter_number(stem); }
};

/// Name of a run's artefacts and recording, from its knobs: "64_bf16_cold_eager", and what differs
/// from the chapter's defaults behind it ("_wait0_profiler-warmup0").
std::string recording_stem(const ChapterInfo& chapter, const Knobs& knobs);

/// The knobs as command-line arguments: only what differs from the defaults, "" for a plain run.
std::string knob_arguments(const ChapterInfo& chapter, const Knobs& knobs);

}  // namespace tracebook
