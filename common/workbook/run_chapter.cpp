// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/run_chapter.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string_view>
#include <vector>

#include "common/analysis/averages.h"
#include "common/analysis/database.h"
#include "common/render/compact_table.h"
#include "common/render/table.h"
#include "common/render/terminal.h"
#include "common/render/timeline.h"
#include "common/render/wrap.h"
#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/trace/reader.h"
#include "common/trace/structure.h"
#include "common/trace/writer.h"
#include "common/workbook/check.h"
#include "common/workbook/claims_report.h"
#include "common/workbook/comparison.h"
#include "common/workbook/options.h"
#include "common/workbook/paths.h"
#include "common/workbook/recordings.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNoCuda =
    "this build has no CUDA: install the CUDA Toolkit and build again, or read on with --replay";

/// A trace to report on, and where it came from.
struct Source {
  Trace trace;
  std::string line;                 ///< printed first
  std::string note;                 ///< printed below it: why this is a replay; "" otherwise
  std::string label;                ///< what claims know it by, "h200/64_bf16_cold_eager"
  bool known = true;                ///< a run or recording of this chapter, not someone's file
  std::string artefact;             ///< stem of the artefacts
  std::optional<fs::path> copy_of;  ///< the JSON artefact is this file, byte for byte
};

bool gpu_required() {
  const char* const value = std::getenv("TRACEBOOK_REQUIRE_GPU");
  return value != nullptr && std::string_view(value) == "1";
}

std::optional<std::string> why_no_gpu(const LiveRun& live) {
  if (!live.record) return kNoCuda;
  return live.why_no_gpu ? live.why_no_gpu() : std::nullopt;
}

std::string recordings_list(const ChapterInfo& chapter, const Manifest& manifest) {
  std::string out;
  for (const Recording& recording : manifest.recordings) {
    out += "  " + recording.label() + "  (" + describe_origin(recording) + ")\n";
    out += "      " + recording.command + "\n";
  }
  if (out.empty()) out = "  none yet for " + chapter.stem + "\n";
  return out;
}

/// The recordings whose names begin most like `name`, three at most.
std::string nearest_of_ours(const Manifest& manifest, const std::string& name) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names;
  for (const Recording& recording : manifest.recordings) {
    if (recording.source == "tracebook") names.push_back(recording.name);
  }
  const auto likeness = [&name](const std::string& other) {
    const auto ends = std::mismatch(name.begin(), name.end(), other.begin(), other.end());
    return ends.first - name.begin();
  };
  std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return likeness(a) > likeness(b);
  });
  if (names.empty()) return "there are none";
  std::string out = names.size() > kMost ? "the nearest are " : "there are ";
  for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i) {
    out += (i == 0 ? "" : ", ") + names[i];
  }
  return out;
}

Source live_source(const ChapterInfo& chapter, const Knobs& knobs, const LiveRun& live) {
  Source source;
  source.artefact = recording_stem(chapter, knobs);
  source.trace = live.record(knobs);
  Provenance& made = source.trace.head.provenance;
  made.chapter = chapter.stem;
  made.recording = source.artefact;
  made.command = chapter.stem;
  if (const std::string arguments = knob_arguments(chapter, knobs); !arguments.empty()) {
    made.command += " " + arguments;
  }
  source.line = "Source: live run on " + made.gpu + ", driver " + made.driver + ", CUDA " +
                made.cuda + ", " + made.recorded_at.substr(0, 10);
  source.label = "live/" + source.artefact;
  return source;
}

Source recorded_source(const ChapterInfo& chapter, const Knobs& knobs, const Manifest& manifest,
                       const std::string& why) {
  const std::string name = recording_stem(chapter, knobs);
  const Recording* const recording = manifest.find(name);
  if (recording == nullptr) {
    std::string reason = why.empty() ? "" : " (" + why + ")";
    throw CannotJudge("no recording of these knobs: " + name + "; " +
                      nearest_of_ours(manifest, name) +
                      " (--list-recordings shows all, with their commands)" + reason);
  }
  Source source;
  source.trace = read_trace_file(recording->path).trace;
  source.line = "Source: recording made on " + describe_origin(*recording);
  source.label = recording->label();
  source.artefact = name;
  source.copy_of = recording->path;
  return source;
}

Source file_source(const ChapterInfo& chapter, const std::string& file, const Manifest& manifest) {
  Source source;
  ReadResult result = read_trace_file(file);
  if (result.exit_code != 0) {
    throw InputError(file + ": holds events that cannot be understood; tracebook info " + file +
                     " says which");
  }
  source.trace = std::move(result.trace);
  const Provenance& made = source.trace.head.provenance;
  const TraceName name = name_of_trace(chapter, file, source.trace, manifest);
  source.label = name.label;
  source.known = name.known;
  source.artefact = trace_stem(file);
  source.line = "Source: " + file;
  if (!made.empty()) {
    source.line += ", recorded on " + made.gpu + ", driver " + made.driver + ", CUDA " + made.cuda +
                   ", " + made.recorded_at.substr(0, 10);
  } else if (!source.trace.head.devices.empty()) {
    source.line += ", recorded on " + source.trace.head.devices.front().name;
  }
  return source;
}

Source choose_source(const ChapterInfo& chapter, const ChapterOptions& options,
                     const Manifest& manifest, const LiveRun& live) {
  if (!options.replay_file.empty()) return file_source(chapter, options.replay_file, manifest);
  if (options.mode == RunMode::kReplay)
    return recorded_source(chapter, options.knobs, manifest, "");
  const std::optional<std::string> why = why_no_gpu(live);
  if (!why) return live_source(chapter, options.knobs, live);
  if (gpu_required()) {
    throw Error(ExitCode::kMissed, "TRACEBOOK_REQUIRE_GPU=1, but no GPU can be used: " + *why);
  }
  if (options.mode == RunMode::kLive) throw CannotJudge("--live: " + *why);
  Source source = recorded_source(chapter, options.knobs, manifest, *why);
  source.note = "Replayed, not run: " + *why;
  return source;
}

/// The two artefacts; returns the lines that name them.
std::string leave_artefacts(const ChapterInfo& chapter, const ChapterOptions& options,
                            const Source& source, const std::string& table) {
  const fs::path folder = options.out / chapter.stem;
  const bool packed = source.copy_of && source.copy_of->extension() == ".gz";
  const fs::path json = folder / (source.artefact + (packed ? ".json.gz" : ".json"));
  const fs::path text = folder / (source.artefact + ".txt");
  // Both or none: each is written beside its place, and only then do they take it.
  NewFile trace_file(json);
  NewFile table_file(text);
  trace_file.write(source.copy_of ? read_file(*source.copy_of) : write_trace_text(source.trace));
  table_file.write(table);
  trace_file.commit();
  table_file.commit();
  return "Artefacts: " + json.string() + "  (open it in ui.perfetto.dev)\n           " +
         text.string();
}

int report(const ChapterInfo& chapter, const ChapterOptions& options, const Source& source) {
  const Trace& trace = source.trace;
  const Structure structure = build_structure(trace);
  Averages averages = key_averages(trace, structure);
  sort_averages(averages, options.sort_by);
  const Terminal terminal = stdout_terminal();

  std::cout << fitted_to_stdout(source.line + "\n")
            << wrapped(source.note, /*indent=*/8, terminal.width);
  std::cout << "\n" << fitted_to_stdout(chapter.question + "\n\n");
  std::cout << render_table_for(averages, {.row_limit = options.row_limit}, terminal) << "\n";
  std::cout << render_timeline(
                   trace, structure,
                   {.width = terminal.width, .color = terminal.color, .ascii = !terminal.utf8})
            << "\n";

  const fs::path file = claims_file(chapter);
  const Database database(trace, structure);
  JudgedClaims judged =
      judge_all(claims_for(read_claims(file), source.label, source.known), database);
  if (!source.known) set_other_runs_aside(judged);
  std::cout << "Claims of " << chapter.stem << " on " << source.artefact << "\n"
            << (judged.empty() ? "  none are made for these knobs\n"
                               : fitted_to_stdout(claims_text(judged, terminal.width)))
            << "\n";

  const std::string full_table =
      render_table(averages, {.row_limit = -1, .max_name_column_width = 1 << 20});
  if (!options.replay_file.empty()) {
    std::cout << "Artefacts: none made; the trace is " << options.replay_file << "\n";
  } else {
    std::cout << fitted_to_stdout(leave_artefacts(chapter, options, source, full_table) + "\n");
  }
  if (const std::string broken = broken_claim(judged, file.string()); !broken.empty()) {
    throw InputError(broken);
  }
  return static_cast<int>(any_missed(judged) ? ExitCode::kMissed : ExitCode::kGood);
}

/// The table over several runs, live where there is a GPU.
int report_comparison(const ChapterInfo& chapter, const ChapterOptions& options,
                      const Manifest& manifest, const LiveRun& live) {
  std::string note;
  bool run_live = false;
  if (options.mode != RunMode::kReplay) {
    const std::optional<std::string> why = why_no_gpu(live);
    if (why && gpu_required()) {
      throw Error(ExitCode::kMissed, "TRACEBOOK_REQUIRE_GPU=1, but no GPU can be used: " + *why);
    }
    if (why && options.mode == RunMode::kLive) throw CannotJudge("--live: " + *why);
    run_live = !why;
    if (why) note = "Replayed, not run: " + *why;
  }
  const RunComparison& comparison = *options.comparison;
  const ComparedRuns runs = compare_runs(chapter, comparison, manifest, run_live, options.out);
  const Terminal terminal = stdout_terminal();
  const std::size_t width = terminal.is_terminal ? static_cast<std::size_t>(terminal.width) : 0;
  std::cout << "Source: " << runs.source << "\n"
            << wrapped(note, /*indent=*/8, terminal.width) << "\n"
            << chapter.question << "\n\n"
            << compared_text(runs.rows, width);
  for (const std::string& line : runs.missed) {
    std::cout << "a claim missed: " << chapter.stem << " " << line << "\n";
  }
  return static_cast<int>(runs.missed.empty() ? ExitCode::kGood : ExitCode::kMissed);
}

int run(const ChapterInfo& chapter, int argc, char** argv, const LiveRun& live) {
  const std::optional<ChapterOptions> options = parse_chapter_options(chapter, argc, argv);
  if (!options) return static_cast<int>(ExitCode::kGood);
  if (options->list_variants) {
    for (const std::string& variant : chapter.variants) std::cout << variant << "\n";
    return static_cast<int>(ExitCode::kGood);
  }
  if (options->list_comparisons) {
    for (const RunComparison& comparison : chapter.comparisons) {
      std::cout << "--" << comparison.flag << "\n";
    }
    return static_cast<int>(ExitCode::kGood);
  }
  if (live.prepare) live.prepare(options->knobs);
  if (options->gpu_status) {
    const std::optional<std::string> why = why_no_gpu(live);
    std::cout << why.value_or("a GPU can be used") << "\n";
    return static_cast<int>(why ? ExitCode::kCannotJudge : ExitCode::kGood);
  }
  const Manifest manifest = read_manifest(workbook_root() / "expected" / chapter.stem);
  if (options->list_recordings) {
    std::cout << recordings_list(chapter, manifest);
    return static_cast<int>(ExitCode::kGood);
  }
  if (options->comparison != nullptr) {
    return report_comparison(chapter, *options, manifest, live);
  }
  return report(chapter, *options, choose_source(chapter, *options, manifest, live));
}

}  // namespace

int run_chapter(const ChapterInfo& chapter, int argc, char** argv, const LiveRun& live) {
  try {
    const int exit_code = run(chapter, argc, argv, live);
    std::cout.flush();
    if (!std::cout) throw InputError("cannot write the output");
    return exit_code;
  } catch (const Error& error) {
    std::cout.flush();
    std::cerr << fitted_to_stderr(chapter.stem + ": " + error.what() + "\n");
    return error.exit_code();
  } catch (const std::exception& error) {
    std::cout.flush();
    std::cerr << fitted_to_stderr(chapter.stem + ": unexpected: " + error.what() + "\n");
    return static_cast<int>(ExitCode::kBadInput);
  }
}

}  // namespace tracebook
