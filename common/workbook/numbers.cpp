// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>

#include "common/analysis/database.h"
#include "common/render/rows.h"
#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/trace/reader.h"
#include "common/trace/structure.h"
#include "common/workbook/claims.h"
#include "common/workbook/paths.h"
#include "common/workbook/recordings.h"

namespace tracebook {
namespace {

constexpr std::string_view kOpen = "<!--=";
constexpr std::string_view kClose = "-->";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

/// The number that ends at the end of `text`, emphasis marks aside: "takes **1,234.5**" →
/// "1,234.5".
std::string_view last_number(std::string_view text) {
  while (!text.empty() && (text.back() == '*' || text.back() == '`')) text.remove_suffix(1);
  std::size_t begin = text.size();
  while (begin > 0 &&
         std::string_view("0123456789.,-").find(text[begin - 1]) != std::string_view::npos) {
    --begin;
  }
  std::string_view number = text.substr(begin);
  while (!number.empty() && (number.front() == '.' || number.front() == ','))
    number.remove_prefix(1);
  return number.find_first_of("0123456789") == std::string_view::npos ? std::string_view() : number;
}

int decimals(std::string_view written) {
  const std::size_t point = written.find('.');
  return point == std::string_view::npos ? 0 : static_cast<int>(written.size() - point - 1);
}

std::string fixed(double value, int places) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", places, value);
  return buffer;
}

double value_of(std::string written) {
  written.erase(std::remove(written.begin(), written.end(), ','), written.end());
  return std::stod(written);
}

/// A recording, opened once for all the numbers that come from it.
struct OpenRecording {
  explicit OpenRecording(const std::filesystem::path& path)
      : trace(read_trace_file(path).trace),
        structure(build_structure(trace)),
        database(trace, structure) {}
  Trace trace;
  Structure structure;
  Database database;
};

void measure(LessonNumber& number, const Database& database) {
  const QueryResult result = database.query(number.sql);
  if (result.rows.size() != 1 || result.columns.size() != 1) {
    number.measured = "the query must answer one value";
    return;
  }
  const Cell& cell = result.rows[0][0];
  double value = 0;
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
    value = static_cast<double>(*whole);
  } else if (const auto* real = std::get_if<double>(&cell)) {
    value = *real;
  } else {
    number.measured = "the query answers no number but " + cell_text(cell);
    return;
  }
  const int places = decimals(number.written);
  number.measured = fixed(value, places);
  number.has_value = true;
  constexpr double kRounding = 0.5 + 1e-6;  // a half may have been rounded either way
  number.agrees = std::abs(value - value_of(number.written)) <= kRounding * std::pow(10.0, -places);
}

/// The chapter's recording of this label, or the planted one, which no chapter records; "" for
/// none.
std::filesystem::path path_of(const std::string& label, const Manifest& manifest) {
  if (label.starts_with("planted/")) {
    const std::filesystem::path planted = workbook_root() / "expected" / (label + ".json.gz");
    return std::filesystem::exists(planted) ? planted : std::filesystem::path();
  }
  for (const Recording& candidate : manifest.recordings) {
    if (candidate.label() == label) return candidate.path;
  }
  return {};
}

}  // namespace

std::vector<LessonNumber> find_numbers(const std::filesystem::path& file, std::string_view text) {
  std::vector<LessonNumber> out;
  for (std::size_t at = text.find(kOpen); at != std::string_view::npos;
       at = text.find(kOpen, at + 1)) {
    LessonNumber number;
    number.file = file;
    number.line = static_cast<int>(std::count(
                      text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) +
                  1;
    const std::string where = file.string() + ":" + std::to_string(number.line) + ": ";
    const std::string_view written = last_number(text.substr(0, at));
    number.written = written;
    if (number.written.empty()) throw InputError(where + "expected a number right before <!--=");
    number.offset = static_cast<std::size_t>(written.data() - text.data());
    const std::size_t end = text.find(kClose, at);
    const std::string_view inside = end == std::string_view::npos
                                        ? std::string_view()
                                        : text.substr(at + kOpen.size(), end - at - kOpen.size());
    const std::size_t colon = inside.find(':');
    if (colon == std::string_view::npos) {
      throw InputError(where + "expected <!--= RECORDING: SELECT … -->");
    }
    number.recording = trimmed(inside.substr(0, colon));
    number.sql = trimmed(inside.substr(colon + 1));
    out.push_back(std::move(number));
  }
  return out;
}

std::vector<LessonNumber> check_numbers(const std::filesystem::path& lesson,
                                        const std::filesystem::path& chapter_folder) {
  std::vector<LessonNumber> numbers = find_numbers(lesson, read_file(lesson));
  const Manifest manifest = read_manifest(chapter_folder);
  std::map<std::string, std::unique_ptr<OpenRecording>> open;
  for (LessonNumber& number : numbers) {
    const std::filesystem::path recording = path_of(number.recording, manifest);
    if (recording.empty()) {
      number.measured = "no recording " + number.recording + " in " + chapter_folder.string();
      continue;
    }
    std::unique_ptr<OpenRecording>& trace = open[number.recording];
    if (!trace) trace = std::make_unique<OpenRecording>(recording);
    try {
      measure(number, trace->database);
    } catch (const SqlError& error) {
      number.measured = error.what();
    }
  }
  return numbers;
}

std::string updated_lesson(std::string text, const std::vector<LessonNumber>& numbers) {
  // From the back, so that the offsets in front stay true.
  for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) {
    if (number->agrees || !number->has_value) continue;
    std::string value = number->measured;
    if (number->written.find(',') != std::string::npos) {
      const std::size_t point = std::min(value.find('.'), value.size());
      for (std::size_t at = point; at > 3; at -= 3) value.insert(at - 3, ",");
    }
    text.replace(number->offset, number->written.size(), value);
  }
  return text;
}

}  // namespace tracebook
