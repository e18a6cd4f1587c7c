// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/sql_exercise.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>

#include "common/render/rows.h"
#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/json_file.h"
#include "common/workbook/lab/code_exercise.h"
#include "common/workbook/lab/exercise_recordings.h"
#include "common/workbook/lab/skeleton.h"
#include "common/workbook/lab/words.h"
#include "common/workbook/paths.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

/// Its own query needs milliseconds; one without end must not wait for long.
constexpr std::chrono::milliseconds kExerciseTimeLimit{10'000};
constexpr std::size_t kMostExerciseRows = 100'000;
constexpr int kExercisesSchema = 1;

SqlExercise read_exercise(const Json& object, const std::string& chapter,
                          const std::string& where) {
  SqlExercise exercise;
  exercise.chapter = chapter;
  exercise.file = text_member(object, "file", where);
  exercise.title = text_member(object, "title", where);
  exercise.recordings = text_list(object, "recordings", where);
  exercise.columns = text_list(object, "columns", where);
  exercise.hints = text_list(object, "hints", where);
  if (object.contains("ordered")) {
    if (!object.at("ordered").is_boolean()) {
      throw InputError(where + ": \"ordered\" must be true or false");
    }
    exercise.ordered = object.at("ordered").get<bool>();
  }
  return exercise;
}

/// The statement without comments, blanks folded: what two attempts are the same by.
std::string bare_sql(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\'' || c == '"') {
      const std::size_t end = std::min(text.find(c, i + 1), text.size() - 1);
      out += text.substr(i, end - i + 1);
      i = end;
    } else if (text.substr(i, 2) == "--") {
      i = std::min(text.find('\n', i), text.size());
      out += ' ';
    } else {
      out += c;
    }
  }
  return folded(out);
}

QueryResult ordered_rows(const SqlExercise& exercise, QueryResult result) {
  // NULL, numbers, texts: as the variant has them, but whole and real numbers as one.
  const auto key = [](const Cell& cell) -> Cell {
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
    return cell;
  };
  if (!exercise.ordered) {
    std::stable_sort(result.rows.begin(), result.rows.end(), [key](const auto& a, const auto& b) {
      return std::lexicographical_compare(
          a.begin(), a.end(), b.begin(), b.end(),
          [key](const Cell& x, const Cell& y) { return key(x) < key(y); });
    });
  }
  return result;
}

}  // namespace

std::string SqlExercise::name() const { return fs::path(file).stem().string(); }

fs::path SqlExercise::skeleton_file() const {
  return workbook_root() / "exercises" / chapter / file;
}

fs::path SqlExercise::solution_file() const {
  return workbook_root() / "exercises" / "solutions" / chapter / file;
}

std::vector<SqlExercise> chapter_exercises(const std::string& chapter) {
  const fs::path file = workbook_root() / "exercises" / chapter / "exercises.json";
  std::error_code error;
  if (!fs::exists(file, error)) return {};
  const Json document = parse_json_file(file, kExercisesSchema);
  const auto list = document.find("exercises");
  if (list == document.end() || !list->is_array()) {
    throw InputError(file.string() + ": expected an array \"exercises\"");
  }
  std::vector<SqlExercise> out;
  for (const Json& object : *list) {
    const std::string where = file.string() + ": exercise " + std::to_string(out.size() + 1);
    out.push_back(read_exercise(object, chapter, where));
  }
  return out;
}

SqlExercise find_exercise(const fs::path& file) {
  const std::string folder = fs::absolute(file).parent_path().filename().string();
  std::vector<SqlExercise> by_name;
  for (const ChapterInfo& chapter : all_chapters()) {
    for (const SqlExercise& exercise : chapter_exercises(chapter.stem)) {
      if (exercise.file != file.filename()) continue;
      if (chapter.stem == folder) return exercise;
      by_name.push_back(exercise);
    }
  }
  if (by_name.size() == 1) return by_name.front();
  throw UsageError("exercise: " + file.string() + " is no exercise; there are " +
                   listed(exercise_files(), "and"));
}

namespace {

bool has_column(const QueryResult& result, const std::string& name) {
  return std::any_of(result.columns.begin(), result.columns.end(),
                     [&](const std::string& column) { return folded(column) == folded(name); });
}

/// `text` as a message quotes it beside `other`. Where both are long and begin alike, from where
/// they differ.
std::string short_beside(const std::string& text, const std::string& other) {
  if (text == other || short_text(text) != short_text(other)) return short_text(text);
  constexpr std::size_t kBefore = 20;
  const auto at = static_cast<std::size_t>(
      std::mismatch(text.begin(), text.end(), other.begin(), other.end()).first - text.begin());
  std::size_t start = at - std::min(at, kBefore);
  while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0U) == 0x80) --start;
  return (start > 0 ? "…" : "") + short_text(std::string_view(text).substr(start));
}

/// Which columns asked for the result lacks, in a sentence's words; "" if it has all.
std::string missing_columns(const SqlExercise& exercise, const QueryResult& given) {
  std::vector<std::string> missing;
  for (const std::string& name : exercise.columns) {
    if (!has_column(given, name)) missing.push_back(name);
  }
  if (missing.empty()) return "";
  constexpr std::size_t kMostNames = 12;
  std::vector<std::string> has;
  for (const std::string& name : given.columns) {
    if (has.size() < kMostNames) has.push_back(short_text(name));
  }
  const std::size_t more = given.columns.size() - has.size();
  if (more > 0) has.push_back(std::to_string(more) + " more");
  return "the result has no column " + listed(missing, "and") + "; it has " + listed(has, "and");
}

}  // namespace

std::string row_difference(const SqlExercise& exercise, const QueryResult& given,
                           const QueryResult& expected) {
  const auto chosen = [&](const QueryResult& result) {
    QueryResult out;
    out.columns = exercise.columns;
    out.rows.resize(result.rows.size());
    for (const std::string& name : exercise.columns) {
      const auto found =
          std::find_if(result.columns.begin(), result.columns.end(),
                       [&](const std::string& c) { return folded(c) == folded(name); });
      const auto index = static_cast<std::size_t>(found - result.columns.begin());
      for (std::size_t row = 0; row < out.rows.size(); ++row) {
        out.rows[row].push_back(result.rows[row][index]);
      }
    }
    return out;
  };
  if (!missing_columns(exercise, expected).empty()) {
    throw InputError(exercise.file + ": the solution lacks columns");
  }
  if (std::string lacks = missing_columns(exercise, given); !lacks.empty()) return lacks;
  QueryResult right = chosen(expected);
  QueryResult mine = chosen(given);
  right = ordered_rows(exercise, std::move(right));
  mine = ordered_rows(exercise, std::move(mine));
  std::string rows;
  if (mine.rows.size() != right.rows.size()) {
    rows = counted(mine.rows.size(), "row") + " where " + std::to_string(right.rows.size()) +
           (right.rows.size() == 1 ? " is expected" : " are expected");
  }
  const auto same = [](const Cell& a, const Cell& b) {
    const auto number = [](const Cell& cell) -> std::optional<double> {
      if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
      if (const auto* real = std::get_if<double>(&cell)) return *real;
      return std::nullopt;
    };
    const auto x = number(a);
    const auto y = number(b);
    if (!x || !y) return a == b;
    // The difference of two infinities is no number, and an infinite tolerance lets all pass.
    if (!std::isfinite(*x) || !std::isfinite(*y)) return *x == *y;
    return std::abs(*x - *y) <= 1e-6 * std::max(std::abs(*x), std::abs(*y));
  };
  // Full digits where short ones would look alike, and the kind where even those do.
  const auto shown = [](const Cell& cell, const Cell& other) {
    std::string text = cell_text(cell);
    if (text != cell_text(other)) return short_beside(text, cell_text(other));
    if (const auto* real = std::get_if<double>(&cell)) {
      char buffer[64];
      std::snprintf(buffer, sizeof buffer, "%.12g", *real);
      return std::string(buffer) + (std::holds_alternative<std::string>(other) ? ", a number" : "");
    }
    return short_text(text);
  };
  for (std::size_t row = 0; row < std::min(mine.rows.size(), right.rows.size()); ++row) {
    for (std::size_t column = 0; column < exercise.columns.size(); ++column) {
      const Cell& is = mine.rows[row][column];
      const Cell& should = right.rows[row][column];
      if (same(is, should)) continue;
      return (rows.empty() ? "" : rows + "; ") + "row " + std::to_string(row + 1) + ": " +
             exercise.columns[column] + " is " + shown(is, should) + ", expected " +
             shown(should, is);
    }
  }
  return rows;
}

JudgedExercise judge_exercise(const SqlExercise& exercise, const std::string& sql) {
  ExerciseRecordings recordings;
  return judge_exercise(exercise, sql, recordings, kExerciseTimeLimit);
}

JudgedExercise judge_exercise(const SqlExercise& exercise, const std::string& sql,
                              ExerciseRecordings& recordings, std::chrono::milliseconds limit) {
  const std::optional<std::string> original = original_skeleton(exercise.chapter, exercise.file);
  if (original && bare_sql(sql) == bare_sql(*original)) {
    return {ExerciseOutcome::kNotStarted, "the TODO is untouched"};
  }
  if (const std::string fault = encoding_fault(sql); !fault.empty()) {
    return {.outcome = ExerciseOutcome::kFailed, .says = fault, .runs = false, .hint_helps = false};
  }
  std::error_code error;
  const bool judges = fs::exists(exercise.solution_file(), error);
  for (const std::string& label : exercise.recordings) {
    try {
      const QueryResult given =
          recordings.database(exercise, label).query(sql, limit, kMostExerciseRows);
      if (!judges) {
        const std::string lacks = missing_columns(exercise, given);
        if (!lacks.empty()) return {ExerciseOutcome::kFailed, lacks};
        break;
      }
      const std::string differs =
          row_difference(exercise, given, recordings.expected(exercise, label));
      if (!differs.empty()) return {ExerciseOutcome::kFailed, "on " + label + ": " + differs};
    } catch (const SqlError& fault) {
      return {.outcome = ExerciseOutcome::kFailed,
              .says = std::string("the query does not run: ") + fault.what(),
              .runs = false};
    }
  }
  if (!judges) {
    throw CannotJudge(
        exercise.file +
        " runs and has the columns, but cannot be judged here: its solution is not in "
        "this copy; hand it in");
  }
  return {ExerciseOutcome::kPassed, "on " + counted(exercise.recordings.size(), "recording")};
}

}  // namespace tracebook
