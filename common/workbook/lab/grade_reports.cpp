// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/grade_reports.h"

#include <algorithm>

#include "common/workbook/json_file.h"
#include "common/workbook/lab/words.h"

namespace tracebook {
namespace {

/// What is said of an item: "wrong, 2 hints: That is the whole step."
std::string item_text(const GradedItem& item) {
  std::string out = item.outcome;
  if (item.hints > 0) out += ", " + counted(static_cast<std::size_t>(item.hints), "hint");
  if (!item.says.empty()) out += ": " + item.says;
  return out;
}

/// Only bytes that are UTF-8 stay as they are: the JSON library knows which.
std::string valid_utf8(const std::string& text) {
  const std::string quoted = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  return Json::parse(quoted).get<std::string>();
}

/// `text` in an attribute or between tags.
std::string xml(const std::string& text) {
  std::string out;
  for (const char c : valid_utf8(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        // XML has no other control characters, not even as numbers.
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + xml(value) + '"';
}

std::string properties(double points, double of, int hints, const std::string& indent) {
  std::string out = indent + "<properties>\n";
  const auto add = [&](const char* name, const std::string& value) {
    out += indent + "  <property" + attribute("name", name) + attribute("value", value) + "/>\n";
  };
  add("points", points_text(points));
  add("of", points_text(of));
  add("hints", std::to_string(hints));
  return out + indent + "</properties>\n";
}

/// The element that says how a testcase ended; "" for one that passed.
std::string ending(const GradedItem& item) {
  const char* tag = nullptr;
  switch (item.state) {
    case ItemState::kEarned:
      return "";
    case ItemState::kMissed:
      tag = "failure";
      break;
    case ItemState::kFaulty:
      tag = "error";
      break;
    case ItemState::kOpen:
      tag = "skipped";
      break;
  }
  return std::string("      <") + tag + attribute("message", item_text(item)) + "/>\n";
}

std::size_t count_of(const GradedStudent& student, ItemState state) {
  std::size_t count = 0;
  for (const GradedChapter& chapter : student.chapters) {
    for (const GradedItem& item : chapter.items) count += item.state == state ? 1 : 0;
  }
  return count;
}

std::string counts(const std::vector<GradedStudent>& students) {
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::size_t skipped = 0;
  for (const GradedStudent& student : students) {
    for (const GradedChapter& chapter : student.chapters) tests += chapter.items.size();
    failures += count_of(student, ItemState::kMissed);
    errors += count_of(student, ItemState::kFaulty);
    skipped += count_of(student, ItemState::kOpen);
  }
  return attribute("tests", std::to_string(tests)) +
         attribute("failures", std::to_string(failures)) +
         attribute("errors", std::to_string(errors)) +
         attribute("skipped", std::to_string(skipped));
}

std::string suite(const GradedStudent& student) {
  std::string out = "  <testsuite" + attribute("name", student.name) + counts({student}) + ">\n";
  out += properties(student.points, student.of, student.hints, "    ");
  for (const GradedChapter& chapter : student.chapters) {
    for (const GradedItem& item : chapter.items) {
      out += "    <testcase" + attribute("classname", chapter.chapter) +
             attribute("name", item.id) + attribute("time", "0") + ">\n" +
             properties(item.points, item.of, item.hints, "      ") + ending(item) +
             "    </testcase>\n";
    }
  }
  if (!student.faults.empty()) {
    out += "    <system-err>";
    for (const std::string& fault : student.faults) out += xml(fault) + "\n";
    out += "</system-err>\n";
  }
  return out + "  </testsuite>\n";
}

}  // namespace

std::string gradescope_json(const GradedStudent& student) {
  Json tests = Json::array();
  for (const GradedChapter& chapter : student.chapters) {
    for (const GradedItem& item : chapter.items) {
      tests.push_back({{"name", chapter.chapter + " " + item.id},
                       {"score", item.points},
                       {"max_score", item.of},
                       {"output", item_text(item)}});
    }
  }
  std::string output = "Hints used: " + std::to_string(student.hints);
  for (const std::string& fault : student.faults) output += "\n" + fault;
  const Json document{{"score", student.points}, {"output", output}, {"tests", tests}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string grade_junit(const std::vector<GradedStudent>& students) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
                    attribute("name", "tracebook grade") + counts(students) + ">\n";
  for (const GradedStudent& student : students) out += suite(student);
  return out + "</testsuites>\n";
}

}  // namespace tracebook
