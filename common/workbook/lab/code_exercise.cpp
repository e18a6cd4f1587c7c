// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/code_exercise.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <sstream>

#include "common/render/terminal.h"
#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/trace/reader.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/claims.h"
#include "common/workbook/json_file.h"
#include "common/workbook/lab/loaded_trace.h"
#include "common/workbook/lab/skeleton.h"
#include "common/workbook/lab/sql_exercise.h"
#include "common/workbook/lab/words.h"
#include "common/workbook/paths.h"
#include "common/workbook/process.h"
#include "common/workbook/run_exercise.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

constexpr int kExercisesSchema = 1;
/// The solutions take seconds.
constexpr std::chrono::minutes kRunTimeLimit{5};
#ifdef TRACEBOOK_HAS_CUDA
constexpr bool kCanCompile = true;
#else
constexpr bool kCanCompile = false;
#endif

/// Without comments, blanks folded: what two sources are the same by.
std::string bare_code(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::string_view two = text.substr(i, 2);
    if (c == '"' || c == '\'') {
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != c && text[end] != '\n') {
        end += text[end] == '\\' ? 2 : 1;
      }
      out += text.substr(i, end + 1 - i);
      i = end;
    } else if (two == "//") {
      i = std::min(text.find('\n', i), text.size());
      out += ' ';
    } else if (two == "/*") {
      i = std::min(text.find("*/", i + 2), text.size() - 2) + 1;
      out += ' ';
    } else {
      out += c;
    }
  }
  return folded(out);
}

/// The build folder around the running program, if it is one.
std::optional<fs::path> build_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return std::nullopt;
  const fs::path folder = program.parent_path().parent_path();
  if (!fs::exists(folder / "CMakeCache.txt", error)) return std::nullopt;
  return folder;
}

/// "exercise" or "solution": whose CMake target builds this file. "" if none does.
std::string target_kind(const CodeExercise& exercise, const fs::path& file) {
  std::error_code error;
  const auto is = [&](const fs::path& other) { return fs::equivalent(file, other, error); };
  if (is(exercise.skeleton_file())) return "exercise";
  return is(solution_path(exercise.chapter, exercise.file)) ? "solution" : "";
}

/// What a compiler has to say, without the build tool's own lines.
std::string compiler_lines(const std::string& output) {
  constexpr int kMost = 20;
  std::istringstream stream(output);
  std::string out;
  int lines = 0;
  for (std::string line; std::getline(stream, line);) {
    const bool tool = line.empty() || line.front() == '[' || line.rfind("FAILED:", 0) == 0 ||
                      line.rfind("ninja: ", 0) == 0 || line.rfind("gmake", 0) == 0 ||
                      line.rfind("make", 0) == 0 || line.find(" -c ") != std::string::npos;
    if (tool) continue;
    if (++lines > kMost) return out + "…\n";
    out += line + "\n";
  }
  return out;
}

JudgedExercise at_fault(const std::string& says, const std::string& detail = "") {
  return {.outcome = ExerciseOutcome::kFailed, .says = says, .detail = detail, .runs = false};
}

/// The text or the trace is another than it should be: nothing that a hint would help with.
JudgedExercise not_judged_as_it_is(const std::string& says) {
  JudgedExercise judged = at_fault(says);
  judged.hint_helps = false;
  return judged;
}

/// What takes longer than a moment says so, at a terminal.
void say_progress(const std::string& what) {
  if (stderr_is_terminal()) std::cerr << what << " …" << std::endl;
}

struct Built {
  fs::path program;
  std::optional<JudgedExercise> ends;  ///< there is no program: say this instead
};

Built build_program(const CodeExercise& exercise, const fs::path& file) {
  const std::string kind = target_kind(exercise, file);
  if (kind.empty()) {
    throw InputError(file.string() + ": only " + exercise.skeleton_file().string() +
                     " is built here; write there, or give --program or --trace");
  }
  if (!kCanCompile) {
    return {.program = {},
            .ends = JudgedExercise{ExerciseOutcome::kNeedsGpu,
                                   "It was not compiled either: this build has no CUDA "
                                   "Toolkit"}};
  }
  const std::optional<fs::path> folder = build_folder();
  if (!folder) {
    return {.program = {},
            .ends = JudgedExercise{ExerciseOutcome::kNeedsGpu,
                                   "It was not compiled either: this program does not lie "
                                   "in a build folder"}};
  }
  const std::string target = kind + "_" + exercise.number() + "_" + exercise.name();
  say_progress("building " + target);
  const ProcessEnd end =
      run_process({"cmake", "--build", folder->string(), "--target", target}, Output::kKept);
  if (end.exit_code != 0) {
    return {.program = {}, .ends = at_fault("it does not compile", compiler_lines(end.output))};
  }
  return {.program = *folder / "bin" / "exercises" / target, .ends = std::nullopt};
}

/// Runs it; nothing if it left its trace.
std::optional<JudgedExercise> run_program(const fs::path& program, const fs::path& trace) {
  // What lies there was made by another run, and must not be taken for this one's.
  std::error_code error;
  fs::remove(trace, error);
  say_progress("running " + program.filename().string());
  const ProcessEnd end = run_process({fs::absolute(program).string(), "--out", trace.string()},
                                     Output::kKept, kRunTimeLimit);
  if (end.timed_out) {
    return at_fault("the program did not end within " +
                    std::to_string(std::chrono::seconds(kRunTimeLimit).count()) + " s");
  }
  if (end.exit_code == static_cast<int>(ExitCode::kGood)) {
    if (fs::exists(trace, error)) return std::nullopt;
    return at_fault("the program ended well, but left no trace in " + trace.string());
  }
  std::string last = end.output;
  while (!last.empty() && last.back() == '\n') last.pop_back();
  last = last.substr(last.rfind('\n') + 1);
  if (end.exit_code == static_cast<int>(ExitCode::kCannotJudge)) {
    return JudgedExercise{ExerciseOutcome::kNeedsGpu, "It compiles. " + last};
  }
  const std::string how = end.exit_code > 128
                              ? "was ended by signal " + std::to_string(end.exit_code - 128)
                              : "ended with exit code " + std::to_string(end.exit_code);
  return at_fault("the program " + how, last + "\n");
}

}  // namespace

const char* outcome_name(ExerciseOutcome outcome) {
  switch (outcome) {
    case ExerciseOutcome::kPassed:
      return "passed";
    case ExerciseOutcome::kFailed:
      return "failed";
    case ExerciseOutcome::kNotStarted:
      return "not started";
    case ExerciseOutcome::kNeedsGpu:
      return "needs a GPU";
  }
  return "";
}

std::string CodeExercise::name() const { return fs::path(file).stem().string(); }
std::string CodeExercise::number() const { return chapter_number(chapter); }

fs::path CodeExercise::skeleton_file() const {
  return workbook_root() / "exercises" / chapter / file;
}

fs::path CodeExercise::claims_file() const {
  return workbook_root() / "exercises" / chapter / (name() + ".claims.json");
}

std::vector<CodeExercise> chapter_code_exercises(const std::string& chapter) {
  const fs::path file = workbook_root() / "exercises" / chapter / "exercises.json";
  std::error_code error;
  if (!fs::exists(file, error)) return {};
  const Json document = parse_json_file(file, kExercisesSchema);
  const auto list = document.find("code");
  if (list == document.end()) return {};
  if (!list->is_array()) throw InputError(file.string() + ": expected an array \"code\"");
  std::vector<CodeExercise> out;
  for (const Json& object : *list) {
    const std::string where = file.string() + ": code exercise " + std::to_string(out.size() + 1);
    out.push_back({.chapter = chapter,
                   .file = text_member(object, "file", where),
                   .title = text_member(object, "title", where),
                   .hints = text_list(object, "hints", where),
                   .like = text_list(object, "like", where)});
  }
  return out;
}

std::optional<CodeExercise> find_code_exercise(const fs::path& file) {
  const std::string folder = fs::absolute(file).parent_path().filename().string();
  fs::path name = file.filename();
  if (name.stem().extension() == ".wrong") name = name.stem().stem().string() + ".cu";
  std::vector<CodeExercise> by_name;
  for (const ChapterInfo& chapter : all_chapters()) {
    for (const CodeExercise& exercise : chapter_code_exercises(chapter.stem)) {
      if (exercise.file != name) continue;
      if (chapter.stem == folder) return exercise;
      by_name.push_back(exercise);
    }
  }
  if (by_name.size() == 1) return by_name.front();
  return std::nullopt;
}

std::vector<std::string> exercise_files() {
  std::vector<std::string> out;
  for (const ChapterInfo& chapter : all_chapters()) {
    const std::string folder = "exercises/" + chapter.stem + "/";
    for (const SqlExercise& one : chapter_exercises(chapter.stem)) out.push_back(folder + one.file);
    for (const CodeExercise& one : chapter_code_exercises(chapter.stem)) {
      out.push_back(folder + one.file);
    }
  }
  return out;
}

fs::path trace_of_attempt(const CodeExercise& exercise, const CodeAttempt& attempt) {
  const fs::path folder = fs::absolute(attempt.file).parent_path().parent_path();
  fs::path out = attempt.out / "exercises";
  if (folder.filename() == "solutions") out /= "solutions";
  return out / (exercise.number() + "_" + attempt.file.stem().string() + ".json");
}

bool same_code(std::string_view one, std::string_view other) {
  return bare_code(one) == bare_code(other);
}

bool is_untouched(const CodeExercise& exercise, std::string_view text) {
  const std::optional<std::string> original = original_skeleton(exercise.chapter, exercise.file);
  return original && same_code(text, *original);
}

JudgedExercise judge_code_trace(const CodeExercise& exercise, const fs::path& trace) {
  const LoadedTrace loaded(trace);
  const std::vector<Claim> claims = read_claims(exercise.claims_file());
  for (const Claim& claim : claims) {
    const ClaimResult result = judge(claim, loaded.database);
    if (result.broken) {
      throw InputError(exercise.claims_file().string() + ": " + claim.id + ": " + result.reason);
    }
    if (result.verdict != Verdict::kMissed) continue;
    std::string says = result.measured ? "expected " + claim.expect.text() +
                                             (claim.expect.unit.empty() ? "" : " ") +
                                             claim.expect.unit + ", measured " + result.value
                                       : result.reason;
    says = claim.says + " (" + says + ")";
    if (!claim.otherwise.empty()) says = claim.otherwise + " Expected: " + says;
    return {ExerciseOutcome::kFailed, says};
  }
  const Provenance& made = loaded.trace.head.provenance;
  return {ExerciseOutcome::kPassed, counted(claims.size(), "claim") + " held on the trace of " +
                                        (made.gpu.empty() ? "an unnamed GPU" : made.gpu) + ", " +
                                        made.recorded_at + ", " + trace.string()};
}

bool recorded_by(const fs::path& trace, std::string_view source) {
  return read_trace_file(trace).trace.head.member(kExerciseSource) == exercise_source_json(source);
}

namespace {

/// A trace that is there, can be read, and was recorded by this source.
bool has_trace_of(const fs::path& trace, std::string_view source) {
  std::error_code error;
  if (!fs::exists(trace, error)) return false;
  try {
    return recorded_by(trace, source);
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

JudgedExercise judge_code_so_far(const CodeExercise& exercise, const CodeAttempt& attempt) {
  const std::string text = read_file(attempt.file);
  if (is_untouched(exercise, text)) return {ExerciseOutcome::kNotStarted, "the TODO is untouched"};
  if (const std::string fault = encoding_fault(text); !fault.empty()) {
    return not_judged_as_it_is(fault);
  }
  const fs::path trace = trace_of_attempt(exercise, attempt);
  if (has_trace_of(trace, text)) return judge_code_trace(exercise, trace);
  return {ExerciseOutcome::kNeedsGpu,
          "neither compiled nor run as it stands now; `tracebook exercise` does both"};
}

JudgedExercise judge_code_exercise(const CodeExercise& exercise, const CodeAttempt& attempt) {
  const std::string text = read_file(attempt.file);
  if (is_untouched(exercise, text)) return {ExerciseOutcome::kNotStarted, "the TODO is untouched"};
  if (const std::string fault = encoding_fault(text); !fault.empty()) {
    return not_judged_as_it_is(fault);
  }
  if (!attempt.trace.empty()) {
    if (!recorded_by(attempt.trace, text)) {
      return not_judged_as_it_is(
          attempt.trace.string() +
          " was not recorded by this source: build and run it again where the GPU is");
    }
    return judge_code_trace(exercise, attempt.trace);
  }
  const fs::path trace = trace_of_attempt(exercise, attempt);
  if (attempt.program.empty() && !attempt.run_again && has_trace_of(trace, text)) {
    return judge_code_trace(exercise, trace);
  }
  fs::path program = attempt.program;
  if (program.empty()) {
    const Built built = build_program(exercise, attempt.file);
    if (built.ends) return *built.ends;
    program = built.program;
  }
  if (const auto ends = run_program(program, trace)) return *ends;
  if (!recorded_by(trace, text)) {
    return not_judged_as_it_is("the program was built from another text than " +
                               attempt.file.string() + ": build it again");
  }
  return judge_code_trace(exercise, trace);
}

}  // namespace tracebook
