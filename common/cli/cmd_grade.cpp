// SPDX-License-Identifier: Apache-2.0
//
// tracebook grade: points for many students' answers.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "common/cli/arguments.h"
#include "common/cli/commands.h"
#include "common/cli/output.h"
#include "common/render/terminal.h"
#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/lab/grade.h"
#include "common/workbook/lab/grade_reports.h"
#include "common/workbook/lab/variants.h"
#include "common/workbook/lab/words.h"

namespace tracebook {
namespace {

struct GradeCommand {
  std::vector<std::string> folders;
  std::vector<std::string> chapters;
  std::string gradescope;
  std::string junit;
  std::string seed;
  bool code = false;
  Format format = Format::kText;
};

/// What begins so would be a formula in a spreadsheet, and the students write it: with a quote
/// before it, it is a text.
std::string harmless(std::string text) {
  if (text.find_first_of("=+-@\t\r") == 0) text.insert(0, 1, '\'');
  return text;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += (out.empty() ? "" : "; ") + printable(line);
  return out;
}

QueryResult as_rows(const std::vector<GradedStudent>& students, bool for_spreadsheet) {
  const auto text = [for_spreadsheet](const std::string& words) {
    return for_spreadsheet ? harmless(words) : words;
  };
  QueryResult rows;
  rows.columns = {"student", "points", "of"};
  for (const GradedChapter& chapter : students.front().chapters) {
    rows.columns.push_back(chapter.chapter.substr(0, 2));
  }
  rows.columns.insert(rows.columns.end(), {"hints", "folder", "faults", "remarks"});
  for (const GradedStudent& student : students) {
    std::vector<Cell>& cells = rows.rows.emplace_back();
    cells = {text(printable(student.name)), student.points, student.of};
    for (const GradedChapter& chapter : student.chapters) {
      Cell& points = cells.emplace_back();
      if (chapter.handed_in) points = chapter.points;
    }
    cells.insert(cells.end(), {std::int64_t{student.hints}, text(printable(student.folder)),
                               text(joined(student.faults)), text(joined(student.remarks))});
  }
  return rows;
}

/// The table without faults and remarks, which stand below it in lines of their own.
void print_text(const std::vector<GradedStudent>& students) {
  QueryResult rows = as_rows(students, false);
  rows.columns.resize(rows.columns.size() - 2);
  for (std::vector<Cell>& row : rows.rows) row.resize(rows.columns.size());
  print_rows(std::cout, rows, Format::kText);
  for (const GradedStudent& student : students) {
    for (const std::string& fault : student.faults) {
      std::cout << printable(student.name) << ": " << printable(fault) << "\n";
    }
    for (const std::string& remark : student.remarks) {
      std::cout << printable(student.name) << ": remark: " << printable(remark) << "\n";
    }
  }
}

GradeOptions options_of(const GradeCommand& wish) {
  GradeOptions options;
  options.code = wish.code;
  if (!wish.seed.empty()) expect_seed(wish.seed, "--seed");
  options.seed = wish.seed.empty() ? class_seed() : wish.seed;
  for (const std::string& chapter : wish.chapters) {
    options.chapters.push_back(std::string(find_chapter(chapter).stem));
  }
  return options;
}

int grade(const GradeCommand& wish) {
  if (!wish.gradescope.empty() && wish.folders.size() != 1) {
    throw UsageError("grade: --gradescope is for one folder, not for " +
                     std::to_string(wish.folders.size()));
  }
  Grader grader(options_of(wish));
  if (grader.sheets().empty()) throw CannotJudge("there are no questions to grade by");
  std::vector<GradedStudent> students;
  std::vector<std::string> missing;
  std::vector<std::string> classes;
  for (const std::string& folder : wish.folders) {
    students.push_back(grader.grade(folder));
    if (!students.back().is_folder) missing.push_back(folder);
    if (students.back().is_class) classes.push_back(folder);
  }
  remark_same_names(students);
  if (!wish.gradescope.empty()) write_file(wish.gradescope, gradescope_json(students.front()));
  if (!wish.junit.empty()) write_file(wish.junit, grade_junit(students));
  if (wish.format == Format::kText) {
    print_text(students);
  } else {
    print_document(std::cout, {{"students", as_rows(students, wish.format == Format::kCsv)}},
                   wish.format);
  }
  if (!missing.empty()) {
    throw InputError("grade: expected a folder a student; there is no folder " +
                     listed(missing, "and"));
  }
  if (!classes.empty()) {
    throw InputError("grade: expected a folder a student; those of several lie in " +
                     listed(classes, "and"));
  }
  return static_cast<int>(ExitCode::kGood);
}

}  // namespace

void add_grade_command(CLI::App& app, Command& command) {
  Subcommand sub(app, "grade", "points for many students' answers");
  auto wish = std::make_shared<GradeCommand>();
  sub.add_option("folders", wish->folders,
                 "a folder a student, with answers/NN_name.json and exercises/NN_name/NAME.sql")
      .required()
      .type_name("DIR");
  sub.add_option("--gradescope", wish->gradescope,
                 "write results.json for Gradescope's autograder (one folder)")
      .type_name("FILE");
  sub.add_option("--junit", wish->junit,
                 "write JUnit's XML, a test suite a student, points as properties")
      .type_name("FILE");
  sub.add_option("--chapters", wish->chapters, "only these, such as 02,03 (default: all)")
      .delimiter(',')
      .allow_extra_args(false)
      .type_name("N,N");
  sub.add_option("--seed", wish->seed,
                 "of the class whose recordings the students read (default: exercises/class.json)")
      .type_name("SEED");
  sub.add_flag("--code", wish->code, "count code exercises too, by the traces handed in with them");
  add_format_option(sub, wish->format);
  sub.callback([wish, &command] { command.run = [wish] { return grade(*wish); }; });
}

}  // namespace tracebook
