// SPDX-License-Identifier: Apache-2.0
//
// tracebook grade: points for many students' answers.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "common/cli/commands.h"
#include "common/cli/output.h"
#include "common/render/terminal.h"
#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/lab/grade.h"

namespace tracebook {
namespace {

struct GradeCommand {
  std::vector<std::string> folders;
  std::string gradescope;
  Format format = Format::kText;
};

QueryResult as_rows(const std::vector<GradedStudent>& students) {
  QueryResult rows;
  rows.columns = {"student", "points", "of"};
  for (const GradedChapter& chapter : students.front().chapters) {
    rows.columns.push_back(chapter.chapter.substr(0, 2));
  }
  rows.columns.insert(rows.columns.end(), {"hints", "faults", "folder"});
  for (const GradedStudent& student : students) {
    std::vector<Cell>& cells = rows.rows.emplace_back();
    cells = {printable(student.name), student.points, student.of};
    for (const GradedChapter& chapter : student.chapters) {
      cells.push_back(chapter.handed_in ? Cell(chapter.points) : Cell());
    }
    std::string faults;
    for (const std::string& fault : student.faults) {
      faults += (faults.empty() ? "" : "; ") + printable(fault);
    }
    cells.insert(cells.end(), {std::int64_t{student.hints}, faults, printable(student.folder)});
  }
  return rows;
}

/// The table without the column of faults, which stand below it in lines of their own.
void print_text(const std::vector<GradedStudent>& students) {
  QueryResult rows = as_rows(students);
  const std::size_t faults = rows.columns.size() - 2;
  const auto drop = [faults](auto& list) {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(faults), list.end());
  };
  drop(rows.columns);
  for (auto& row : rows.rows) drop(row);
  print_rows(std::cout, rows, Format::kText);
  for (const GradedStudent& student : students) {
    for (const std::string& fault : student.faults) {
      std::cout << printable(student.name) << ": " << printable(fault) << "\n";
    }
  }
}

int grade(const GradeCommand& wish) {
  if (!wish.gradescope.empty() && wish.folders.size() != 1) {
    throw UsageError("grade: --gradescope is for one folder, not for " +
                     std::to_string(wish.folders.size()));
  }
  Grader grader;
  if (grader.sheets().empty()) throw CannotJudge("there are no questions in this workbook yet");
  std::vector<GradedStudent> students;
  for (const std::string& folder : wish.folders) students.push_back(grader.grade(folder));
  if (!wish.gradescope.empty()) write_file(wish.gradescope, gradescope_json(students.front()));
  if (wish.format == Format::kText) {
    print_text(students);
  } else {
    print_document(std::cout, {{"students", as_rows(students)}}, wish.format);
  }
  return static_cast<int>(ExitCode::kGood);
}

}  // namespace

void add_grade_command(CLI::App& app, Command& command) {
  CLI::App* const sub = app.add_subcommand("grade", "points for many students' answers");
  auto wish = std::make_shared<GradeCommand>();
  sub->add_option("folders", wish->folders,
                  "a folder a student, with answers/NN_name.json or NN_name.json")
      ->required()
      ->type_name("DIR");
  sub->add_option("--gradescope", wish->gradescope,
                  "write results.json for Gradescope's autograder (one folder)")
      ->type_name("FILE");
  add_format_option(*sub, wish->format);
  sub->callback([wish, &command] { command.run = [wish] { return grade(*wish); }; });
}

}  // namespace tracebook
