// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/comparison.h"

#include <algorithm>
#include <iostream>
#include <sstream>
#include <utility>

#include "common/render/rows.h"
#include "common/render/terminal.h"
#include "common/trace/error.h"
#include "common/trace/reader.h"
#include "common/trace/structure.h"
#include "common/workbook/claims.h"
#include "common/workbook/options.h"
#include "common/workbook/process.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRunColumn = "run";

/// Runs this program with other arguments, its output thrown away; its exit code.
int run_self(const std::vector<std::string>& arguments) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) throw InputError("cannot find this program's file: " + error.message());
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_process(std::move(words), Output::kDropped).exit_code;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// The file of one run, made now or recorded.
struct RunFile {
  fs::path path;
  bool missed = false;
};

RunFile live_run(const ChapterInfo& chapter, const std::string& line, const fs::path& out) {
  std::vector<std::string> arguments = words_of(line);
  arguments.insert(arguments.end(), {"--live", "--out", out.string()});
  const int code = run_self(arguments);
  if (code != static_cast<int>(ExitCode::kGood) && code != static_cast<int>(ExitCode::kMissed)) {
    throw InputError(chapter.stem + " " + line + " ended with exit code " + std::to_string(code));
  }
  const std::string name = recording_stem(chapter, parse_knobs(chapter, line));
  return {.path = out / chapter.stem / (name + ".json"),
          .missed = code == static_cast<int>(ExitCode::kMissed)};
}

const Recording& recorded_run(const ChapterInfo& chapter, const std::string& line,
                              const Manifest& manifest) {
  const std::string name = recording_stem(chapter, parse_knobs(chapter, line));
  const Recording* const recording = manifest.find(name);
  if (recording == nullptr) throw CannotJudge("no recording of " + chapter.stem + " " + line);
  return *recording;
}

std::string run_name(const std::string& line) { return line.empty() ? "(plain)" : line; }

}  // namespace

ComparedRuns compare_runs(const ChapterInfo& chapter, const RunComparison& comparison,
                          const Manifest& manifest, bool live, const fs::path& out) {
  ComparedRuns compared;
  const bool several = comparison.runs.size() > 1;
  const bool progress = live && several && stderr_is_terminal();
  std::size_t number = 0;
  for (const std::string& line : comparison.runs) {
    if (progress) {
      std::cerr << "\r\033[K" << ++number << " of " << comparison.runs.size() << ": " << line
                << std::flush;
    }
    fs::path file;
    if (live) {
      const RunFile run = live_run(chapter, line, out);
      if (run.missed) compared.missed.push_back(run_name(line));
      file = run.path;
    } else {
      const Recording& recording = recorded_run(chapter, line, manifest);
      if (compared.source.empty()) {
        compared.source = "recordings made on " + describe_origin(recording);
      }
      file = recording.path;
    }
    const Trace trace = read_trace_file(file).trace;
    if (compared.source.empty()) {
      const Provenance& made = trace.head.provenance;
      compared.source = "live runs on " + made.gpu + ", driver " + made.driver + ", CUDA " +
                        made.cuda + ", " + made.recorded_at.substr(0, 10);
    }
    const Structure structure = build_structure(trace);
    QueryResult rows = Database(trace, structure).query(comparison.sql);
    if (compared.rows.columns.empty()) {
      compared.rows.columns = rows.columns;
      if (several) compared.rows.columns.insert(compared.rows.columns.begin(), kRunColumn);
    }
    for (std::vector<Cell>& row : rows.rows) {
      if (several) row.insert(row.begin(), Cell(run_name(line)));
      compared.rows.rows.push_back(std::move(row));
    }
  }
  if (progress) std::cerr << "\r\033[K" << std::flush;
  return compared;
}

std::string compared_text(const QueryResult& rows, std::size_t width) {
  const bool has_runs = !rows.columns.empty() && rows.columns.front() == kRunColumn;
  if (width == 0 || !has_runs || !rows_are_wider(rows, width)) {
    return rows_text(rows, {.width = width, .break_headers = true});
  }
  QueryResult numbered = rows;
  std::string legend;
  std::string last;
  std::int64_t number = 0;
  for (std::vector<Cell>& row : numbered.rows) {
    const std::string name = cell_text(row.front());
    if (name != last) {
      ++number;
      legend += (number < 10 ? "  " : " ") + std::to_string(number) + "  " + name + "\n";
    }
    last = name;
    row.front() = number;
  }
  return legend + "\n" + rows_text(numbered, {.width = width, .break_headers = true});
}

}  // namespace tracebook
