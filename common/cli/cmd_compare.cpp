// SPDX-License-Identifier: Apache-2.0
//
// tracebook compare: what changed between two traces of the same work.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "common/analysis/compare.h"
#include "common/analysis/compare_words.h"
#include "common/cli/arguments.h"
#include "common/cli/commands.h"
#include "common/cli/output.h"
#include "common/render/compare_text.h"
#include "common/render/terminal.h"
#include "common/render/wrap.h"
#include "common/trace/error.h"

namespace tracebook {
namespace {

struct CompareCommand {
  std::string file_a;
  std::string file_b;
  std::string fail_if_slower;  ///< per cent; "": not given
  int row_limit = 0;           ///< 0: not given
  bool salvage = false;
  Format format = Format::kText;
};

/// A finite number of at least 0, and nothing behind it.
std::optional<double> percent_of(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value) || std::signbit(value)) {
    return std::nullopt;
  }
  return value;
}

QueryResult as_rows(const Comparison& comparison, std::size_t limit) {
  QueryResult out;
  out.columns = {"key",         "was",        "device_type",      "status",
                 "outcome",     "change_us",  "calls_a",          "calls_b",
                 "launches_a",  "launches_b", "self_cpu_a_us",    "self_cpu_b_us",
                 "cpu_a_us",    "cpu_b_us",   "self_device_a_us", "self_device_b_us",
                 "device_a_us", "device_b_us"};
  const auto us = [](double ns) { return std::round(ns) / 1000.0; };
  for (const ComparedRow& row : comparison.rows) {
    if (out.rows.size() == limit) break;
    const bool in_a = row.status != RowStatus::kAppeared;
    const bool in_b = row.status != RowStatus::kVanished;
    std::vector<Cell>& line = out.rows.emplace_back();
    line.emplace_back(row.key);
    line.push_back(row.was.empty() ? Cell() : Cell(row.was));
    line.emplace_back(std::string(row.device_type == DeviceType::kCpu ? "CPU" : "CUDA"));
    line.emplace_back(std::string(status_name(row.status)));
    line.push_back(in_a && in_b ? Cell(std::string(outcome_name(row.outcome))) : Cell());
    line.emplace_back(us(row.change_ns));
    const auto add = [&](double a, double b) {
      line.push_back(in_a ? Cell(a) : Cell());
      line.push_back(in_b ? Cell(b) : Cell());
    };
    add(row.a.calls, row.b.calls);
    add(row.a.launches, row.b.launches);
    add(us(row.a.self_cpu_ns), us(row.b.self_cpu_ns));
    add(us(row.a.cpu_ns), us(row.b.cpu_ns));
    add(us(row.a.self_device_ns), us(row.b.self_device_ns));
    add(us(row.a.device_ns), us(row.b.device_ns));
  }
  return out;
}

void print(const Comparison& comparison, const CompareCommand& wish) {
  const std::size_t limit =
      wish.row_limit > 0 ? static_cast<std::size_t>(wish.row_limit) : SIZE_MAX;
  switch (wish.format) {
    case Format::kText: {
      const Terminal terminal = stdout_terminal();
      const int width = terminal.is_terminal ? std::min(terminal.width, 120) : 80;
      std::cout << comparison_text(comparison,
                                   {.width = static_cast<std::size_t>(width),
                                    .row_limit = wish.row_limit == 0 ? std::size_t{20} : limit,
                                    .ascii = !terminal.utf8});
      break;
    }
    case Format::kJson:
      std::cout << comparison_json(comparison, limit);
      break;
    case Format::kCsv:
      print_rows(std::cout, as_rows(comparison, limit), Format::kCsv);
      break;
  }
}

int run_compare(const CompareCommand& wish) {
  if (wish.file_a == "-" && wish.file_b == "-") {
    throw UsageError("compare: expected at most one of A and B to be - (standard input)");
  }
  const auto a = open_trace(wish.file_a, wish.salvage, /*keep_args=*/false);
  const auto b = open_trace(wish.file_b, wish.salvage, /*keep_args=*/false);
  const Comparison comparison =
      compare_traces({a->trace, a->structure, wish.file_a}, {b->trace, b->structure, wish.file_b});
  print(comparison, wish);
  if (const int exit_code = std::max(a->exit_code, b->exit_code); exit_code != 0) return exit_code;
  if (wish.fail_if_slower.empty()) return static_cast<int>(ExitCode::kGood);
  const double percent = percent_of(wish.fail_if_slower).value_or(0);
  const Outcome outcome = comparison.decisive().judgement.outcome;
  if (outcome == Outcome::kCannotTell) {
    std::cerr << fitted_to_stderr(
        "tracebook: --fail-if-slower passes unjudged: " + comparison.verdict + "\n");
  }
  if (!is_slower_by(comparison, percent)) return static_cast<int>(ExitCode::kGood);
  std::cout.flush();
  std::cerr << fitted_to_stderr("tracebook: " + comparison.verdict + "; at most " +
                                number_text(percent) + " % was allowed\n");
  return static_cast<int>(ExitCode::kMissed);
}

}  // namespace

void add_compare_command(CLI::App& app, Command& command) {
  Subcommand sub(app, "compare",
                 "what changed from trace A to trace B, per step: a verdict, ops, kernels");
  auto wish = std::make_shared<CompareCommand>();
  sub.add_option("A", wish->file_a, "trace before (.json, .json.gz, or - for standard input)")
      .required()
      .type_name("FILE");
  sub.add_option("B", wish->file_b, "trace after").required().type_name("FILE");
  sub.add_option("--fail-if-slower", wish->fail_if_slower,
                 "exit with 1 if B's median step time, or time from step to step, is above A's "
                 "both by more than PCT % of A's "
                 "and by more than the spread (2 to 4 times the root of the sum of both squared "
                 "spreads, see docs/compare.md); 0 otherwise, also where it cannot be told")
      .check([](const std::string& text) -> std::string {
        return percent_of(text) ? "" : "expected a percentage of at least 0, such as 5";
      })
      .type_name("PCT");
  sub.add_flag("--salvage", wish->salvage, "read what is whole of a file that is cut or broken");
  add_row_limit_option(sub, wish->row_limit,
                       "rows (-1: all; default: 20 of each table, or all in json and csv)");
  add_format_option(sub, wish->format);
  sub.callback([wish, &command] { command.run = [wish] { return run_compare(*wish); }; });
}

}  // namespace tracebook
