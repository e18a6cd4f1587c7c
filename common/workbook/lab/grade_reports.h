// SPDX-License-Identifier: Apache-2.0
//
// Grades as other programs read them. Neither report holds the remarks, which are the teacher's.
//
//   write_file("results.json", gradescope_json(student));
//   write_file("class.xml", grade_junit(students));
//
// Plain functions of values; any thread.
#pragma once

#include <string>
#include <vector>

#include "common/workbook/lab/grade.h"

namespace tracebook {

/// {"score", "output", "tests": [{"name", "score", "max_score", "output"}]}, as Gradescope's
/// autograder reads it.
std::string gradescope_json(const GradedStudent& student);

/// JUnit's XML: a testsuite a student, a testcase an item, with the properties points, of and
/// hints. Missed is a failure, what cannot be read an error, open skipped.
std::string grade_junit(const std::vector<GradedStudent>& students);

}  // namespace tracebook
