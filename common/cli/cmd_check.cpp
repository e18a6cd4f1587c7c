// SPDX-License-Identifier: Apache-2.0
//
// tracebook check: a chapter's claims, on its recordings (both ways: they hold where they should
// and miss where they should) or on traces of yours.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "common/analysis/database.h"
#include "common/cli/arguments.h"
#include "common/cli/commands.h"
#include "common/cli/output.h"
#include "common/render/terminal.h"
#include "common/render/wrap.h"
#include "common/trace/error.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/check.h"

namespace tracebook {
namespace {

struct CheckCommand {
  std::string chapter;
  std::vector<std::string> files;
  bool salvage = false;
  Format format = Format::kText;
};

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHeld:
      return "held";
    case Verdict::kMissed:
      return "missed";
    case Verdict::kNotApplicable:
      return "not applicable";
  }
  return "";
}

QueryResult as_rows(const std::vector<CheckedTrace>& traces) {
  QueryResult rows;
  rows.columns = {"trace", "claim",    "verdict", "must_miss", "value",
                  "unit",  "expected", "reason",  "says"};
  const auto add = [&rows](const CheckedTrace& trace, const JudgedClaims& judged, bool must_miss) {
    for (const auto& [claim, result] : judged) {
      const std::string& unit = claim.expect.unit;
      rows.rows.push_back({trace.label, claim.id, verdict_name(result.verdict),
                           std::int64_t{must_miss}, result.cell, unit.empty() ? Cell() : Cell(unit),
                           claim.expect.text(), result.reason, claim.says});
    }
  };
  for (const CheckedTrace& trace : traces) {
    add(trace, trace.judged, false);
    add(trace, trace.controls, true);
  }
  return rows;
}

void print_controls(const CheckedTrace& trace) {
  for (const auto& [claim, result] : trace.controls) {
    const bool good = result.verdict == Verdict::kMissed && result.measured;
    std::cout << fitted_to_stdout(
        (good ? "  misses  " : "  WRONG   ") + claim.id + ": " +
        (result.measured ? result.value : result.reason) + ", as it " +
        (good ? "should here" : "should not: it must miss here by a measured value") +
        "  (expected " + claim.expect.text() + ")\n");
  }
}

int check(const CheckCommand& wish) {
  const ChapterInfo& chapter = find_chapter(wish.chapter);
  std::vector<CheckedTrace> traces;
  int exit_code = 0;
  if (wish.files.empty()) {
    traces = check_recordings(chapter);
  } else {
    for (const std::string& file : wish.files) {
      const auto open = open_trace(file, wish.salvage);
      exit_code = std::max(exit_code, open->exit_code);
      traces.push_back(check_trace(chapter, file, open->trace, open->structure));
    }
  }
  if (wish.format == Format::kText) {
    for (const CheckedTrace& trace : traces) {
      std::cout << trace.label << "\n"
                << wrapped(trace.note, /*indent=*/2, stdout_terminal().width);
      std::cout << fitted_to_stdout(claims_text(trace.judged, stdout_terminal().width));
      print_controls(trace);
      std::cout << "\n";
    }
  } else {
    print_document(std::cout, {{"claims", as_rows(traces)}}, wish.format);
  }
  for (const CheckedTrace& trace : traces) {
    for (const JudgedClaims* const judged : {&trace.judged, &trace.controls}) {
      const std::string broken = broken_claim(*judged, claims_file(chapter).string());
      if (!broken.empty()) throw InputError(broken);
    }
  }
  if (exit_code != 0) return exit_code;
  const bool good = std::all_of(traces.begin(), traces.end(),
                                [](const CheckedTrace& trace) { return trace.good(); });
  return static_cast<int>(good ? ExitCode::kGood : ExitCode::kMissed);
}

}  // namespace

void add_check_command(CLI::App& app, Command& command) {
  Subcommand sub(app, "check", "a chapter's claims, on its recordings or on traces of yours");
  auto wish = std::make_shared<CheckCommand>();
  sub.add_option("chapter", wish->chapter, "01, or 01_cold_trace").required().type_name("CHAPTER");
  sub.add_option("files", wish->files, "traces (default: the chapter's recordings)")
      .type_name("FILE");
  sub.add_flag("--salvage", wish->salvage, "read what is whole of a file that is cut or broken");
  add_format_option(sub, wish->format);
  sub.callback([wish, &command] { command.run = [wish] { return check(*wish); }; });
}

}  // namespace tracebook
