// SPDX-License-Identifier: Apache-2.0
//
// tracebook next: where a student stands, and the one thing to do next.
#include <charconv>
#include <iostream>
#include <memory>
#include <string>

#include <unistd.h>

#include "common/cli/arguments.h"
#include "common/cli/commands.h"
#include "common/cli/opener.h"
#include "common/cli/output.h"
#include "common/render/terminal.h"
#include "common/trace/error.h"
#include "common/workbook/claims_report.h"
#include "common/workbook/lab/leading.h"
#include "common/workbook/lab/words.h"

namespace tracebook {
namespace {

void print_json(const std::vector<ChapterProgress>& chapters, const NextStep& next) {
  DocumentPart step{"next", {}, true};
  step.rows.columns = {"kind", "chapter", "says"};
  step.rows.rows.push_back({std::string(next_kind_name(next.kind)),
                            next.chapter.empty() ? Cell() : Cell(next.chapter), next.says});
  DocumentPart offers{"offers", {}, false};
  offers.rows.columns = {"label", "open"};
  for (const Offer& offer : next.offers) offers.rows.rows.push_back({offer.label, offer.shown()});
  DocumentPart rows{"chapters", {}, false};
  rows.rows.columns = {"chapter", "begun", "done", "of", "wrong", "error"};
  DocumentPart exercises{"exercises", {}, false};
  exercises.rows.columns = {"chapter", "name", "kind", "outcome", "says"};
  for (const ChapterProgress& one : chapters) {
    std::string error = one.broken;
    for (const std::string& fault : one.faults) error += (error.empty() ? "" : "; ") + fault;
    const auto number = [](std::size_t value) { return Cell(static_cast<std::int64_t>(value)); };
    rows.rows.rows.push_back({one.chapter, std::int64_t{one.begun ? 1 : 0}, number(one.done()),
                              number(one.all()), number(one.wrong()),
                              error.empty() ? Cell() : Cell(error)});
    for (const WorkProgress& work : one.work) {
      exercises.rows.rows.push_back({one.chapter, work.item.name, work.item.kind,
                                     std::string(work_outcome_name(work.judged.outcome)),
                                     work.judged.says});
    }
  }
  print_document(std::cout, {step, offers, rows, exercises}, Format::kJson);
}

/// Which offer a line chooses: nothing is the one that is due. `offers.size()` for none.
std::size_t choice(const std::string& line, const NextStep& next, std::size_t due) {
  const std::string text = folded(line);
  if (text.empty()) return due;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && number >= 1 && number <= next.offers.size() ? number - 1 : next.offers.size();
}

void print_next(const std::vector<ChapterProgress>& chapters, const NextStep& next) {
  const Terminal terminal = stdout_terminal();
  const ProgressStyle style{terminal.width, !terminal.utf8, terminal.color};
  std::cout << progress_text(chapters, next.chapter, style) << "\n"
            << next_text(next, terminal.width);
}

/// Asks until q: each thing that is opened and closed may have changed what is next.
void lead(ProgressReader& reader, NextStep next) {
  std::size_t due = 0;
  while (true) {
    std::cout << "Enter: " << next.offers[due].label;
    if (next.offers.size() > 1) std::cout << "; 1 to " << next.offers.size() << ": that one";
    std::cout << "; q: leave > " << std::flush;
    std::string line;
    if (!std::getline(std::cin, line)) {
      std::cout << "\n";
      return;
    }
    if (folded(line) == "q") return;
    const std::size_t chosen = choice(line, next, due);
    if (chosen == next.offers.size()) continue;
    try {
      open_offer(next.offers[chosen]);
    } catch (const InputError& fault) {
      std::cout << wrapped(printable(fault.what()), 0, stdout_terminal().width);
    }
    const std::vector<ChapterProgress> chapters = reader.workbook();
    NextStep now = next_step(chapters);
    due = (chosen + 1) % next.offers.size();
    if (now.says == next.says && now.chapter == next.chapter) {
      std::cout << "\n" << next_text(next, stdout_terminal().width);
      continue;
    }
    next = std::move(now);
    due = 0;
    std::cout << "\n";
    print_next(chapters, next);
    if (next.offers.empty()) return;
  }
}

int next_command(Format format) {
  ProgressReader reader = progress_reader();
  const std::vector<ChapterProgress> chapters = reader.workbook();
  const NextStep next = next_step(chapters);
  if (format == Format::kJson) {
    print_json(chapters, next);
    return static_cast<int>(ExitCode::kGood);
  }
  print_next(chapters, next);
  const bool person = stdout_terminal().is_terminal && isatty(STDIN_FILENO) == 1;
  if (person && !next.offers.empty()) lead(reader, next);
  return static_cast<int>(ExitCode::kGood);
}

}  // namespace

void add_next_command(CLI::App& app, Command& command) {
  Subcommand sub(app, "next", "where you stand in the workbook, and the one thing to do next");
  auto format = std::make_shared<Format>(Format::kText);
  add_format_option(sub, *format, /*with_csv=*/false);
  sub.callback([format, &command] { command.run = [format] { return next_command(*format); }; });
}

}  // namespace tracebook
