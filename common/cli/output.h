// SPDX-License-Identifier: Apache-2.0
//
// What the commands share: opening a trace as the user named it, saying what takes its time, and
// printing rows as text, JSON or CSV.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "common/analysis/database.h"
#include "common/cli/arguments.h"
#include "common/trace/structure.h"
#include "common/trace/trace.h"
#include "common/workbook/lab/progress.h"

namespace tracebook {

enum class Format { kText, kJson, kCsv };

/// A line on stderr that says what is going on, at a terminal only; nothing of it is left there.
class PassingLine {
 public:
  PassingLine() = default;
  PassingLine(const PassingLine&) = delete;
  PassingLine& operator=(const PassingLine&) = delete;
  ~PassingLine();
  /// In place of what it said before; cut to the terminal's width.
  void say(const std::string& text);
  void take_back();

 private:
  bool shown_ = false;
};

/// Of this workbook's answers; which exercise is being judged is said in a PassingLine.
ProgressReader progress_reader();

/// Adds `--format` to a command.
void add_format_option(Subcommand& command, Format& format, bool with_csv = true);

/// Adds `--row-limit` to a command: a whole number of at least 1, or -1.
void add_row_limit_option(Subcommand& command, int& limit, const std::string& says);

/// A trace and what was made of it, at one address (Database points into the other two).
struct OpenTrace {
  Trace trace;
  Structure structure;
  int exit_code = 0;  ///< 3 where events had to be skipped
};

/// Reads with progress on a terminal. What the reader repaired or skipped is said on stderr, one
/// line a kind.
std::unique_ptr<OpenTrace> open_trace(const std::string& file, bool salvage, bool keep_args = true);

/// Says on stderr where records were lost or times are impossible, so that nobody takes what is
/// missing for an idle GPU. For the commands that print no health of their own.
void warn_of_health(const std::string& file, const OpenTrace& open);

/// Text: aligned columns with a header, numbers to the right; on a terminal cut to its width. JSON:
/// an array of objects; UsageError where two columns have one name. CSV: as RFC 4180 has it, with a
/// header.
void print_rows(std::ostream& out, const QueryResult& result, Format format);

/// A member of a JSON document: an array of objects, or the one row's object.
struct DocumentPart {
  std::string name;
  QueryResult rows;
  bool is_object = false;
};

/// JSON: {"schema": 1, NAME: [rows] …}. Text and CSV: the rows of the first part.
void print_document(std::ostream& out, const std::vector<DocumentPart>& parts, Format format);

}  // namespace tracebook
