// SPDX-License-Identifier: Apache-2.0
#include "common/cli/output.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <iostream>
#include <map>
#include <string_view>
#include <vector>

#include "common/analysis/health.h"
#include "common/render/rows.h"
#include "common/render/terminal.h"
#include "common/render/wrap.h"
#include "common/trace/args.h"
#include "common/trace/error.h"
#include "common/trace/issues.h"
#include "common/trace/reader.h"
#include "common/workbook/claims.h"
#include "common/workbook/lab/quiz.h"
#include "common/workbook/paths.h"

namespace tracebook {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kDocumentSchema = 1;

/// A line on stderr that overwrites itself, from the second second on.
class Progress {
 public:
  explicit Progress(std::string what) : what_(std::move(what)) {}
  void operator()(std::uint64_t done, std::uint64_t total) {
    if (Clock::now() < next_) return;
    next_ = Clock::now() + std::chrono::milliseconds(200);
    line_.say(what_ + ": " + std::to_string(done / 1'000'000) + " MB" +
              (total > 0 ? " of " + std::to_string(total / 1'000'000) : ""));
  }

 private:
  std::string what_;
  PassingLine line_;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
};

/// Shortest text that reads back as the same number.
std::string exact_text(const Cell& cell) {
  if (const auto* real = std::get_if<double>(&cell)) {
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, *real).ptr;
    return {buffer, end};
  }
  return cell_text(cell);
}

std::string json_text(const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return "null";
  if (const auto* text = std::get_if<std::string>(&cell)) return json_quote(*text);
  const auto* const real = std::get_if<double>(&cell);
  if (real != nullptr && !std::isfinite(*real)) return "null";  // JSON has no infinity
  return exact_text(cell);
}

std::string json_object(const QueryResult& result, std::size_t row) {
  std::string out = "{";
  for (std::size_t c = 0; c < result.columns.size(); ++c) {
    out += (c == 0 ? "" : ", ") + json_quote(result.columns[c]) + ": " +
           json_text(result.rows[row][c]);
  }
  return out + "}";
}

void print_json(std::ostream& out, const QueryResult& result) {
  out << "[";
  for (std::size_t row = 0; row < result.rows.size(); ++row) {
    out << (row == 0 ? "\n" : ",\n") << json_object(result, row);
  }
  out << "\n]";
}

/// Members of one name would hide each other.
void require_distinct_names(const std::vector<std::string>& columns) {
  std::vector<std::string> sorted = columns;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return;
  throw UsageError("--format json: expected columns of different names, found two named \"" +
                   *twice + "\": give one another name with AS");
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

void print_csv(std::ostream& out, const QueryResult& result) {
  for (std::size_t c = 0; c < result.columns.size(); ++c) {
    out << (c == 0 ? "" : ",") << csv_field(result.columns[c]);
  }
  out << "\n";
  for (const std::vector<Cell>& row : result.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool null = std::holds_alternative<std::monostate>(row[c]);
      out << (c == 0 ? "" : ",") << (null ? "" : csv_field(exact_text(row[c])));
    }
    out << "\n";
  }
}

void print_text(std::ostream& out, const QueryResult& result) {
  const Terminal terminal = stdout_terminal();
  const std::size_t width = terminal.is_terminal ? static_cast<std::size_t>(terminal.width) : 0;
  out << rows_text(result, {.width = width, .ascii = !terminal.utf8});
}

}  // namespace

PassingLine::~PassingLine() { take_back(); }

void PassingLine::say(const std::string& text) {
  if (!stderr_is_terminal()) return;
  shown_ = true;
  const auto width = static_cast<std::size_t>(stderr_width() - 1);
  std::cerr << "\r\033[K" << shortened(printable(text), width) << std::flush;
}

void PassingLine::take_back() {
  if (shown_) std::cerr << "\r\033[K" << std::flush;
  shown_ = false;
}

ProgressReader progress_reader() {
  const auto line = std::make_shared<PassingLine>();
  return ProgressReader(workbook_root() / "answers", [line](const WorkItem* item) {
    if (item == nullptr) return line->take_back();
    line->say("judging " + shown_path(item->file) + " …");
  });
}

void add_format_option(Subcommand& command, Format& format, bool with_csv) {
  std::map<std::string, Format> names{{"text", Format::kText}, {"json", Format::kJson}};
  if (with_csv) names["csv"] = Format::kCsv;
  std::string list = with_csv ? "text, json or csv" : "text or json";
  command
      .add_option_function(
          "--format", [&format, names](const std::string& name) { format = names.at(name); },
          "output: " + list)
      .check([names, list](const std::string& name) -> std::string {
        return names.contains(name) ? "" : "expected " + list + ", got \"" + name + "\"";
      })
      .type_name("FORMAT");
}

void add_row_limit_option(Subcommand& command, int& limit, const std::string& says) {
  command.add_option("--row-limit", limit, says)
      .check([](const std::string& text) -> std::string {
        const bool minus_one = text == "-1";
        const bool digits = !text.empty() && text.size() < 10 && text != "0" &&
                            text.find_first_not_of("0123456789") == std::string::npos;
        return minus_one || digits ? "" : "expected a whole number of at least 1, or -1";
      })
      .type_name("N");
}

std::unique_ptr<OpenTrace> open_trace(const std::string& file, bool salvage, bool keep_args) {
  auto open = std::make_unique<OpenTrace>();
  {
    Progress progress("reading " + file);
    ReadResult result =
        read_trace_file(file, {.salvage = salvage,
                               .keep_args = keep_args,
                               .keep_flows = keep_args,
                               .progress = [&progress](std::uint64_t done, std::uint64_t total) {
                                 progress(done, total);
                               }});
    open->trace = std::move(result.trace);
    open->exit_code = result.exit_code;
  }
  for (const Issue& issue : open->trace.issues) {
    const bool is_why = open->exit_code != 0 && issue::skips(issue.kind);
    std::cerr << fitted_to_stderr(
        "warning: " + file + ": " + issue.says + " (" + std::to_string(issue.count) +
        "x, first at byte " + std::to_string(issue.first_offset) + ")" +
        (is_why ? ": exit code 3; --salvage accepts what is whole" : "") + "\n");
  }
  open->structure = build_structure(open->trace);
  return open;
}

void warn_of_health(const std::string& file, const OpenTrace& open) {
  const Health health = examine_health(open.trace, open.structure);
  if (!health.records_lost() && !health.times_impossible()) return;
  for (const std::string& problem : recording_problems(health)) {
    std::cerr << fitted_to_stderr("warning: " + file + ": " + problem + "\n");
  }
}

void print_rows(std::ostream& out, const QueryResult& result, Format format) {
  switch (format) {
    case Format::kText:
      print_text(out, result);
      break;
    case Format::kJson:
      require_distinct_names(result.columns);
      print_json(out, result);
      out << "\n";
      break;
    case Format::kCsv:
      print_csv(out, result);
      break;
  }
}

void print_document(std::ostream& out, const std::vector<DocumentPart>& parts, Format format) {
  if (format != Format::kJson) return print_rows(out, parts.front().rows, format);
  out << "{\"schema\": " << kDocumentSchema;
  for (const DocumentPart& part : parts) {
    out << ",\n" << json_quote(part.name) << ": ";
    if (part.is_object) {
      out << json_object(part.rows, 0);
    } else {
      print_json(out, part.rows);
    }
  }
  out << "}\n";
}

}  // namespace tracebook
