// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/comparison.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <sstream>
#include <utility>

#include "common/render/terminal.h"
#include "common/trace/error.h"
#include "common/trace/reader.h"
#include "common/trace/structure.h"
#include "common/workbook/claims.h"
#include "common/workbook/options.h"

extern char** environ;

namespace tracebook {
namespace {

namespace fs = std::filesystem;

/// Runs this program with other arguments, its output thrown away; its exit code.
int run_self(const std::vector<std::string>& arguments) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) throw InputError("cannot find this program's file: " + error.message());
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failure = posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) {
    throw InputError("cannot start " + program.string() + ": " + std::strerror(failure));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw InputError("cannot wait for " + program.string());
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
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

constexpr std::size_t kSpaceBetween = 2;

/// Lines of cells, the header's first.
struct Grid {
  std::vector<std::vector<std::string>> lines;
  std::vector<bool> right;  ///< columns of numbers
  std::size_t header_lines = 1;

  [[nodiscard]] std::vector<std::size_t> widths() const {
    std::vector<std::size_t> widths(right.size(), 0);
    for (const std::vector<std::string>& line : lines) {
      for (std::size_t c = 0; c < line.size(); ++c) {
        widths[c] = std::max(widths[c], display_width(line[c]));
      }
    }
    return widths;
  }

  [[nodiscard]] std::size_t total() const {
    std::size_t sum = 0;
    for (const std::size_t width : widths()) sum += width + kSpaceBetween;
    return sum - std::min(sum, kSpaceBetween);
  }

  [[nodiscard]] std::string text() const {
    const std::vector<std::size_t> widths = this->widths();
    std::string out;
    for (const std::vector<std::string>& line : lines) {
      std::string row;
      for (std::size_t c = 0; c < line.size(); ++c) {
        const std::string padding(widths[c] - display_width(line[c]), ' ');
        if (c > 0) row.append(kSpaceBetween, ' ');
        row += right[c] ? padding + line[c] : line[c] + padding;
      }
      row.erase(row.find_last_not_of(' ') + 1);
      out += row + "\n";
    }
    return out;
  }
};

Grid grid_of(const QueryResult& result) {
  Grid grid{.lines = {result.columns}, .right = std::vector<bool>(result.columns.size(), true)};
  for (const std::vector<Cell>& row : result.rows) {
    std::vector<std::string>& line = grid.lines.emplace_back();
    for (std::size_t c = 0; c < row.size(); ++c) {
      line.push_back(printable(cell_text(row[c])));
      if (std::holds_alternative<std::string>(row[c])) grid.right[c] = false;
    }
  }
  return grid;
}

/// "first_step_us" as "first", "step", "us".
std::vector<std::string> words_of_header(const std::string& name) {
  std::vector<std::string> words;
  std::istringstream stream(name);
  for (std::string word; std::getline(stream, word, '_');) words.push_back(word);
  return words;
}

/// Headers in as many lines as the longest has words, at the bottom of their columns.
void break_headers(Grid& grid) {
  const std::vector<std::string> names = grid.lines.front();
  std::size_t most = 1;
  for (const std::string& name : names) most = std::max(most, words_of_header(name).size());
  std::vector<std::vector<std::string>> header(most, std::vector<std::string>(names.size()));
  for (std::size_t c = 0; c < names.size(); ++c) {
    const std::vector<std::string> words = words_of_header(names[c]);
    for (std::size_t i = 0; i < words.size(); ++i) header[most - words.size() + i][c] = words[i];
  }
  grid.lines.erase(grid.lines.begin());
  grid.lines.insert(grid.lines.begin(), header.begin(), header.end());
  grid.header_lines = most;
}

/// Cuts the widest column of texts, again and again, until the grid fits or none can be cut.
void cut_texts(Grid& grid, std::size_t width) {
  constexpr std::size_t kLeast = 8;
  while (grid.total() > width) {
    const std::vector<std::size_t> widths = grid.widths();
    std::size_t widest = widths.size();
    for (std::size_t c = 0; c < widths.size(); ++c) {
      const bool may_cut = !grid.right[c] && widths[c] > kLeast;
      if (may_cut && (widest == widths.size() || widths[c] > widths[widest])) widest = c;
    }
    if (widest == widths.size()) return;
    const std::size_t over = grid.total() - width;
    const std::size_t target = std::max(kLeast, widths[widest] - std::min(over, widths[widest]));
    for (std::vector<std::string>& line : grid.lines)
      line[widest] = shortened(line[widest], target);
  }
}

std::string compact_text(const QueryResult& result, std::size_t width) {
  Grid grid = grid_of(result);
  std::string legend;
  if (!grid.lines.front().empty() && grid.lines.front().front() == "run") {
    std::string last;
    std::size_t number = 0;
    for (std::size_t i = 1; i < grid.lines.size(); ++i) {
      std::string& name = grid.lines[i].front();
      if (name != last) legend += "  " + std::to_string(++number) + "  " + name + "\n";
      last = name;
      name = std::to_string(number);
    }
    grid.right.front() = true;
    legend += "\n";
  }
  break_headers(grid);
  cut_texts(grid, width);
  return legend + grid.text();
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
      if (several) compared.rows.columns.insert(compared.rows.columns.begin(), "run");
    }
    for (std::vector<Cell>& row : rows.rows) {
      if (several) row.insert(row.begin(), Cell(run_name(line)));
      compared.rows.rows.push_back(std::move(row));
    }
  }
  if (progress) std::cerr << "\r\033[K" << std::flush;
  return compared;
}

std::string rows_text(const QueryResult& result, std::size_t width) {
  const Grid grid = grid_of(result);
  if (width == 0 || grid.total() <= width) return grid.text();
  return compact_text(result, width);
}

}  // namespace tracebook
